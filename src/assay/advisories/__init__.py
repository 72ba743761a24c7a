"""Which installed versions are vulnerable: offline, and right about backports.

Nothing here does I/O except reading the embedded database; feeds are pure functions from bytes to
records, and what downloads them is ``targets/feeds.py``.
"""
