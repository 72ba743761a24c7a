"""Public feeds: one adapter each, a pure function from the bytes of one document to records.

Downloading is ``targets/feeds.py``; merging into a database is ``feeds/refresh.py``.
"""
