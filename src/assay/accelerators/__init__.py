"""The makers of accelerators and their parts. One vendor, one file."""
