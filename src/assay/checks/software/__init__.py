"""Software of a node: is what a job needs there, does it fit together, does it run?"""
