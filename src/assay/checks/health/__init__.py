"""What the kernel log tells of the node's health."""
