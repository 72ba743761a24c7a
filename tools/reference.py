"""Write the reference pages that follow from the code; a test holds them to it.

.venv/bin/python tools/reference.py          write docs/reference/
.venv/bin/python tools/reference.py --check  only say which pages are stale (exit 1)
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click

from assay import codec
from assay.cli import exits
from assay.cli.main import VERBS, assay
from assay.engine.catalogue import catalogue
from assay.kit.reading import Via

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
NOTE = "<!-- Written by tools/reference.py from the code; edit the code instead. -->\n\n"


def checks() -> str:
    """Every check, by area."""
    areas = defaultdict(list)
    for check in catalogue().checks:
        areas[check.area].append(check)
    out = [NOTE, "# Checks\n"]
    total = sum(len(found) for found in areas.values())
    out.append(f"\n{total} checks. `assay explain ID` shows one in full.\n")
    for area, found in sorted(areas.items()):
        out.append(f"\n## {area}\n\n| check | severity | question |\n|---|---|---|\n")
        out += [f"| `{c.id}` | {c.severity} | {_cell(c.asks)} |\n" for c in found]
    return "".join(out)


def readings() -> str:
    """Everything that may be run or read on a node."""
    out = [NOTE, "# What Assay may read on a node\n\n"]
    out.append("This is all. Commands run without a shell, with `LC_ALL=C`, a deadline and a cap")
    out.append(" on their output.\nReadings marked * are made only on request.\n")
    by_via = defaultdict(list)
    for reading in catalogue().readings(on_request=True):
        by_via[reading.via].append(reading)
    titles = {
        Via.COMMAND: "Commands",
        Via.FILES: "Files",
        Via.LISTING: "Listings (type, mode, owner; nothing is opened)",
        Via.LINKS: "Symbolic links (where they point)",
        Via.STATFS: "File systems",
    }
    for via, title in titles.items():
        if not by_via[via]:
            continue
        out.append(f"\n## {title}\n\n")
        for reading in sorted(by_via[via], key=lambda r: r.source):
            star = " *" if reading.on_request else ""
            out.append(f"- `{reading.source}`{star} ({reading.deadline:g} s)\n")
    return "".join(out)


def sources() -> str:
    """What `assay probes parse` understands."""
    out = [NOTE, "# Outputs that `assay probes parse` understands\n\n"]
    out.append("| `--as` | source | recognised by itself |\n|---|---|---|\n")
    found = {r.name: r for p in catalogue().probes for r in p.reads}
    for name, reading in sorted(found.items()):
        known = "yes" if reading.looks_like else ""
        out.append(f"| `{_cell(name)}` | `{_cell(reading.source[:70])}` | {known} |\n")
    return "".join(out)


def command_line() -> str:
    """Every verb with its help."""
    out = [NOTE, "# Command line\n\n```text\n", *(exits.__doc__ or "").strip(), "\n```\n"]
    context = click.Context(assay, info_name="assay")
    for verb in sorted(VERBS):
        command = assay.get_command(context, verb)
        assert command is not None
        out += _helps(command, click.Context(command, parent=context, info_name=verb))
    return "".join(out)


def report_schema() -> str:
    """The JSON schema of a report, as `assay schema` prints it."""
    return codec.pretty(codec.report_schema()) + "\n"


def _helps(command: click.Command, context: click.Context) -> Iterator[str]:
    context.max_content_width = context.terminal_width = 96
    yield f"\n## {context.command_path}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _helps(below, click.Context(below, parent=context, info_name=name))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES = {
    "checks.md": checks,
    "readings.md": readings,
    "sources.md": sources,
    "command-line.md": command_line,
    "report.schema.json": report_schema,
}


def stale() -> list[str]:
    """Pages that are not what the code says."""
    return [
        name
        for name, page in PAGES.items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text("utf-8") != page()
    ]


def main() -> int:
    """Write or check all pages."""
    found = stale()
    if "--check" in sys.argv[1:]:
        print("\n".join(found))
        return 1 if found else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in found:
        (FOLDER / name).write_text(PAGES[name](), "utf-8")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
