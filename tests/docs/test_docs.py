"""What the documents say is what the code does."""

import importlib.util
import re
from pathlib import Path

import pytest

from assay.engine.catalogue import catalogue

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def reference():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_what_the_code_says():
    assert reference().stale() == [], "run .venv/bin/python tools/reference.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_inside_the_repository_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if not target.startswith(("http", "#", "mailto:")):
            assert (page.parent / target.partition("#")[0]).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_checks_named_in_the_documents_exist(page):
    known = {check.id for check in catalogue().checks}
    areas = {check.area for check in catalogue().checks}
    for name in re.findall(r"`([a-z]+\.[a-z0-9-]+)`", page.read_text("utf-8")):
        if name.partition(".")[0] in areas and "." in name and "-" in name:
            assert name in known, f"{page.name} names {name}"
