"""How to declare a probe, a check, a vendor: the signature is the declaration."""
