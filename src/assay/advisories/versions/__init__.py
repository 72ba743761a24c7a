"""Versions: one module per scheme, because no two vendors count alike.

A version that a scheme does not accept is :class:`BadVersion`: unknown, never guessed. A version
that says less than the scheme can (CUDA "12.6" from a compiler that hides its update) is an
interval, and a comparison inside the interval has no answer.
"""

from assay.advisories.versions.scheme import BadVersion, Scheme, Version, parse, scheme

__all__ = ["BadVersion", "Scheme", "Version", "parse", "scheme"]
