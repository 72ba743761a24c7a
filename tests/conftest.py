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


@pytest.fixture(scope="session")
def samples() -> Path:
    found = corpus()
    if found is None:
        pytest.skip("no corpus: set ASSAY_CORPUS to a folder with samples/")
    return found / "samples"
