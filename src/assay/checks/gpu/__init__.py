"""The accelerators themselves, whoever made them."""
