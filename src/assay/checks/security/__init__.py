"""Security: who gets in, and what is exposed to whoever is in."""
