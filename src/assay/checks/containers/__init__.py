"""Container engines: what they expose, and whether accelerators work in them."""
