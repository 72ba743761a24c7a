"""Which versions are vulnerable: data, versions, matching, feeds."""
