import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def corpus() -> Path | None:
    """The folder of real tool outputs, if this machine has it."""
    folder = Path(os.environ.get("ASSAY_CORPUS", ROOT.parent / "shared" / "corpus"))
    return folder if (folder / "samples").is_dir() else None


def pytest_report_header():
    found = corpus()
    return f"corpus: {found}" if found else "corpus: ABSENT, the corpus tests will be skipped"


def pytest_collection_modifyitems(items):
    """Real components one after the other: they share ports, namespaces and the kernel log."""
    for item in items:
        if "tests/real/" in item.path.as_posix() or item.get_closest_marker("real"):
            item.add_marker(pytest.mark.xdist_group("real"))


@pytest.fixture(scope="session")
def samples() -> Path:
    found = corpus()
    if found is None:
        pytest.skip("no corpus: set ASSAY_CORPUS to a folder with samples/")
    return found / "samples"
