"""Disks, arrays and file systems."""
