"""What to read on a node, and what the answers mean. One file a subject."""
