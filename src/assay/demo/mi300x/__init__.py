"""A node of 8 x Instinct MI300X, Ubuntu 22.04."""
