"""Chat models behind one protocol: messages with text and pictures of known size in, an answer and its price out."""
