"""The PCI tree: links, errors, and who may talk to whom."""
