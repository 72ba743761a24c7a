"""Reference hosts and a small bundled cluster, written by hand for controls and the demo."""
