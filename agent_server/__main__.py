"""`python -m agent_server`: the same as the `tapwright` command."""

from agent_server.cli import main

if __name__ == "__main__":
    main()
