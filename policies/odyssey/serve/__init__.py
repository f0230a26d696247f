"""The network behind Chat Completions: what any OpenAI client can ask, one worker that owns the network, figures."""
