"""The phone's shell: a parser, an interpreter, and its commands by topic."""
