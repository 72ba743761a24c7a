"""Checks over advisories: what is installed and vulnerable, and what nobody fixes any more."""
