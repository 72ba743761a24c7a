"""The sample reports are shared by the tests of every renderer: ``from sample import fleet``."""

import sys
from pathlib import Path

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

sys.path.insert(0, str(Path(__file__).parent))


def one_file(suffix):
    """One snapshot, one file, with the suffix that editors and browsers know."""

    class Extension(SingleFileSnapshotExtension):
        _write_mode = WriteMode.TEXT
        file_extension = suffix

    return Extension


@pytest.fixture
def stored(snapshot):
    """``assert stored("html") == text``."""
    return lambda suffix: snapshot.use_extension(one_file(suffix))
