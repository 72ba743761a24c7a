"""The node: its kernel, settings, disks, services and log."""
