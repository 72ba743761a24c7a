"""Interfaces of the node, and how collectives are told to use the network."""
