"""Use cases over protocols: no I/O of its own, adapters come in as arguments."""
