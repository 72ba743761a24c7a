"""The kinds of facts, one kind a file (or a small family that always comes together)."""
