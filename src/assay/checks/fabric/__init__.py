"""The scale-out fabric: rails, links, partitions, RoCE settings, device nodes."""
