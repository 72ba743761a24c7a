"""Questions about facts. One file a rule; sub-packages are areas."""
