"""What the phone's automation server can be asked for: selectors, and the methods of its JSON-RPC interface."""
