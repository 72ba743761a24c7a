"""A run in one SQLite file."""
