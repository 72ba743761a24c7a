"""The page in a real browser: it fetches nothing, complains of nothing, and everybody can read it.

axe-core comes from npm into a cache outside the repository; without it that test is skipped.
"""

import os
import shutil
import subprocess
import tarfile
from collections import namedtuple
from functools import cache
from pathlib import Path

import pytest
from sample import CHECKS, EVERY, excerpt

from assay.reports import html

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
AXE = "axe-core@4.14.1"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"no Chromium at {CHROMIUM}"),
]
Opened = namedtuple("Opened", "page console requests")


@cache
def axe():
    """The source of axe-core, or None where npm cannot get it."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / "assay-tests"
    packed = folder / "axe-core-4.14.1.tgz"
    npm = shutil.which("npm")
    if not packed.exists() and npm:
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [npm, "pack", AXE, "--silent", "--pack-destination", str(folder)],
            cwd=folder,
            capture_output=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            return None
    if not packed.exists():
        return None
    with tarfile.open(packed) as archive:
        return archive.extractfile("package/axe.min.js").read().decode()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a sample report; what the browser says and asks for is kept."""
    contexts = []

    def open_(case, width=1280, **options):
        file = tmp_path / f"{case}.html"
        file.write_text(html.render(EVERY[case](), CHECKS, excerpt), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        found = Opened(page, [], [])
        page.on("console", lambda message: found.console.append(message.text))
        page.on("pageerror", lambda error: found.console.append(str(error)))
        page.on("request", lambda request: found.requests.append(request.url))
        page.goto(file.as_uri())
        return found

    yield open_
    for context in contexts:
        context.close()


@pytest.mark.parametrize("case", EVERY)
def test_nothing_is_fetched_and_nothing_goes_wrong(opened, case):
    found = opened(case)
    assert found.console == []
    outside = [url for url in found.requests[1:] if not url.startswith("data:")]
    assert outside == []


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
@pytest.mark.parametrize("case", EVERY)
def test_no_width_needs_sideways_scrolling(opened, case, width):
    page = opened(case, width).page
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("case", ["fleet", "one-machine", "all-green", "plain-vm", "nothing"])
def test_axe_finds_nothing(opened, browser, case, scheme):
    source = axe()
    if source is None:
        pytest.skip(f"no {AXE}: npm could not get it")
    page = opened(case, color_scheme=scheme, bypass_csp=True).page
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.evaluate(source)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    result = page.evaluate("(tags) => axe.run(document, {runOnly: tags})", tags)
    told = [
        f"{v['id']}: {v['help']}: {[node['html'][:150] for node in v['nodes'][:3]]}"
        for v in result["violations"]
    ]
    assert told == []
    assert len(result["passes"]) > 20  # it did run


def test_dark_is_dark(opened):
    colour = "getComputedStyle(document.body).backgroundColor"
    light = opened("fleet", color_scheme="light").page.evaluate(colour)
    dark = opened("fleet", color_scheme="dark").page.evaluate(colour)
    assert light == "rgb(250, 248, 243)"
    assert dark == "rgb(21, 20, 18)"


def shown(page):
    return page.locator("[data-outcome]:visible").count()


def test_the_filter(opened):
    page = opened("fleet").page
    assert page.locator("article.card:visible").count() == 8
    page.fill("#words", "xid 79")
    assert page.locator("article.card:visible").count() == 1
    assert page.locator("#shown").inner_text() == "1 of 21 shown"
    assert page.locator("#unknowns:visible").count() == 0
    page.fill("#words", "kernel.iommu")
    assert page.locator("article.card:visible").count() == 0
    assert page.get_by_text("Is the IOMMU in passthrough mode?").is_visible()  # it was unfolded
    page.fill("#words", "")
    assert not page.get_by_text("Is the IOMMU in passthrough mode?").is_visible()
    page.uncheck("input[name=fail]")
    assert page.locator("article.card:visible").count() == 0
    assert page.locator("li.reason:visible").count() == 3
    page.fill("#words", "no such thing")
    assert shown(page) == 0
    assert page.locator("#shown").inner_text() == "0 of 21 shown"


def test_a_link_to_a_check_leads_to_it(opened):
    page = opened("fleet").page
    page.click("#check-slurm\\.gres h3 a")
    assert page.url.endswith("#check-slurm.gres")


def test_without_scripts_everything_can_be_read(opened):
    page = opened("fleet", java_script_enabled=False).page
    assert not page.locator("#filter").is_visible()
    assert page.locator("article.card:visible").count() == 8
    page.locator(".evidence > summary").first.click()
    assert page.get_by_text("NVRM: Xid (PCI:0000:9b:00): 79").first.is_visible()


def test_the_keyboard_reaches_the_answer_first(opened):
    page = opened("fleet").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").is_visible()


def test_it_prints_all_of_it(opened):
    page = opened("fleet").page
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.locator("#filter").is_visible()
    folded = page.get_by_text("Is the IOMMU in passthrough mode?")
    assert folded.is_visible()


def test_hostile_text_stays_text(opened):
    found = opened("hostile")
    assert found.page.evaluate("document.querySelectorAll('main b b, main script').length") == 0
    assert found.page.get_by_text("<script>alert(1)</script>").first.is_visible()
