"""Data that a reader would argue about: the compact database and the lifecycles."""
