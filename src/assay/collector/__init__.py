"""The one program that goes to nodes: standard library only, reads and never writes."""
