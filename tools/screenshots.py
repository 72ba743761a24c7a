"""Take the README's pictures from real runs: the demo cluster in a terminal and as HTML.

.venv/bin/python tools/screenshots.py       writes docs/images/*.png (needs Chromium)
"""

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
LINES = 46  # of the terminal: the answer, the picture, the first failures
FRAME = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #14161a; }}
pre {{ margin: 0; padding: 22px 26px; color: #d9dce0; font: 14px/1.35 "DejaVu Sans Mono", monospace;
display: inline-block; }}
{styles}</style><pre>$ assay demo
{code}</pre>"""


def terminal(assay: Path) -> str:
    """The head of what `assay demo` prints in a terminal of 100 columns, as a page."""
    done = subprocess.run(  # noqa: S603 - our own program
        [assay, "demo", "--quiet"],
        capture_output=True,
        text=True,
        check=True,
        env={"FORCE_COLOR": "1", "COLUMNS": "100", "TERM": "xterm-256color", "PATH": "/usr/bin"},
    )
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("\n".join(done.stdout.splitlines()[:LINES])))
    return console.export_html(theme=MONOKAI, code_format=FRAME.replace("{styles}", "{stylesheet}"))


def main() -> None:
    """Write both pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    assay = Path(sys.executable).with_name("assay")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        screen, report = Path(scratch, "terminal.html"), Path(scratch, "report.html")
        screen.write_text(terminal(assay), "utf-8")
        subprocess.run(  # noqa: S603 - our own program
            [assay, "demo", "--quiet", "--format", f"html={report}"], check=True
        )
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page(viewport={"width": 960, "height": 600})
        page.goto(screen.as_uri())
        page.locator("pre").screenshot(path=IMAGES / "terminal.png")
        page = browser.new_page(viewport={"width": 1200, "height": 1240})
        page.goto(report.as_uri())
        page.screenshot(path=IMAGES / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
