"""Assay finds out, with evidence, how good a GPU cluster really is."""

__version__ = "0.1.0"
