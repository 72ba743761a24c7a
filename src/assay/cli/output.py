"""Options and output that several verbs share: formats, thresholds, progress."""

import importlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from assay.kit.check import Check
from assay.model.evidence import Capture, Ref
from assay.model.outcome import Severity
from assay.model.report import NodeRow, NodeState, Report

F = TypeVar("F", bound=Callable[..., Any])
Excerpts = Callable[[Ref], str | None]

FORMATS = ("terminal", "json", "html", "markdown", "sarif", "junit")
EXCERPT = 1200  # characters of evidence quoted in a report


class Format(click.ParamType[tuple[str, Path | None]]):
    """``NAME`` or ``NAME=FILE``."""

    name = "format[=file]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Path | None]:
        """Split at the first ``=``."""
        if isinstance(value, tuple):
            return value
        name, _, file = str(value).partition("=")
        if name not in FORMATS:
            self.fail(f"{name!r} is none of {', '.join(FORMATS)}", param, ctx)
        return name, Path(file) if file and file != "-" else None


OPTIONS = (
    click.option(
        "--format",
        "formats",
        type=Format(),
        multiple=True,
        help=f"One of {', '.join(FORMATS)}; with =FILE into a file. May be repeated.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Short for --format json."),
    click.option("--html", type=click.Path(path_type=Path), help="Also write an HTML report."),
    click.option(
        "--fail-on",
        type=click.Choice([*map(str, Severity), "never"]),
        default="high",
        show_default=True,
        help="Severity at which a failure (or an unknown) makes the exit code 1 (or 3).",
    ),
    click.option("-v", "--verbose", is_flag=True, help="List passes and what does not apply."),
    click.option("-q", "--quiet", is_flag=True, help="No progress, no remarks."),
)


class Seconds(click.ParamType[float]):
    """A number of seconds that a run can take."""

    name = "seconds"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """More than nothing, a day at most."""
        try:
            seconds = float(str(value))
        except ValueError:
            self.fail(f"{value!r} is no number of seconds", param, ctx)
        if not 0 < seconds <= 86400:
            self.fail("more than 0 and at most 86400 seconds", param, ctx)
        return seconds


@dataclass(frozen=True, slots=True)
class Output:
    """What the user wants to see of a report, and when it shall count as bad."""

    formats: tuple[tuple[str, Path | None], ...]
    fail_on: Severity | None
    verbose: bool
    quiet: bool


def report_options(function: F) -> F:
    """Give a verb the options of every report, handed over as one ``output``."""

    @wraps(function)
    def gathered(
        *args: Any,
        formats: tuple[tuple[str, Path | None], ...],
        as_json: bool,
        html: Path | None,
        fail_on: str,
        verbose: bool,
        quiet: bool,
        **kwargs: Any,
    ) -> Any:
        wanted = formats
        if as_json and ("json", None) not in wanted:
            wanted = (("json", None), *wanted)
        wanted = wanted or (("terminal", None),)
        if html is not None:
            wanted = (*wanted, ("html", html))
        for _, file in wanted:
            _writable(file)
        threshold = None if fail_on == "never" else Severity(fail_on)
        return function(*args, output=Output(wanted, threshold, verbose, quiet), **kwargs)

    found: Any = gathered
    for option in OPTIONS:
        found = option(found)
    return cast(F, found)


def excerpts(captures: Mapping[tuple[str, str], Capture]) -> Excerpts:
    """Look up what a verdict points to, by node and source."""

    def look(ref: Ref) -> str | None:
        capture = captures.get((ref.node, ref.source))
        if capture is None or capture.sha256 != ref.sha256:
            return None
        return capture.data[:EXCERPT].decode("utf-8", "replace")

    return look


def write(
    report: Report,
    checks: Sequence[Check],
    look: Excerpts,
    output: Output,
    bundle: Path | None = None,
) -> None:
    """Render *report* in every format asked for; files are written whole and private."""
    by_id = {check.id: check for check in checks}
    for name, file in output.formats:
        if name == "terminal" and file is None:
            show(report, by_id, look, verbose=output.verbose)
            if bundle and not output.quiet:
                print(f"evidence: {bundle}", file=sys.stderr)
            continue
        text = render(name, report, by_id, look, verbose=output.verbose)
        if file is None:
            sys.stdout.write(text)
        else:
            save(file, text)
            if not output.quiet:
                print(f"{name}: {file}", file=sys.stderr)


def show(
    report: Report, checks: Mapping[str, Check], look: Excerpts, *, verbose: bool = False
) -> None:
    """*report* on the terminal: colour only where somebody looks."""
    from rich.console import Console

    from assay.reports.terminal import Screen

    Console(highlight=False).print(Screen(report, checks, look, verbose=verbose))


def render(
    name: str, report: Report, checks: Mapping[str, Check], look: Excerpts, *, verbose: bool = False
) -> str:
    """*report* in the format called *name*."""
    if name == "json":
        from assay import codec

        return codec.pretty(report) + "\n"
    if name == "terminal":
        from io import StringIO

        from rich.console import Console

        from assay.reports.terminal import Screen

        out = StringIO()
        Console(file=out, width=100, highlight=False).print(
            Screen(report, checks, look, verbose=verbose)
        )
        return out.getvalue()
    module = importlib.import_module(f"assay.reports.{name}")
    return str(module.render(report, checks, look))


def save(path: Path, text: str) -> None:
    """Write *text* to *path*, whole or not at all, readable by its owner alone.

    What is there and is no plain file (a pipe, a terminal, /dev/null) is written to, not replaced.
    """
    import os
    import tempfile

    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        return
    path = path.resolve()  # a link keeps pointing to the file
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _writable(file: Path | None) -> None:
    """Say before the work begins, and not after it, that a report cannot be written there."""
    if file is None:
        return
    if file.is_dir() or not file.name or not file.absolute().parent.is_dir():
        raise click.UsageError(
            f"cannot write {str(file)!r}: it is a folder, or its folder is missing"
        )


class Progress:
    """One line on stderr that says how far a run has got; silent when it is quick or not a tty."""

    PATIENCE = 0.7  # seconds before anything is shown

    def __init__(self, *, quiet: bool) -> None:
        self._shown = False
        self._on = sys.stderr.isatty() and not quiet
        self._quiet = quiet
        self._began = time.monotonic()
        self._last = 0.0
        self._nodes = 0

    def captured(self, node: str, capture: Capture, done: int, of: int) -> None:
        """*node* gave *done* of *of* answers."""
        now = time.monotonic()
        if self._on and now - self._began > self.PATIENCE and now - self._last > 0.1:
            self._last = now
            self._shown = True
            source = capture.source[:48]
            line = f"reading {node}: {done} of {of}   {source}"
            sys.stderr.write("\r\x1b[K" + "".join(c for c in line if c.isprintable())[:98])
            sys.stderr.flush()

    def node(self, row: NodeRow) -> None:
        """A node is done."""
        self._nodes += 1
        if row.state is not NodeState.READ and not self._quiet:
            self.clear()
            line = f"{row.name}: {row.state}: {row.reason}"
            print("assay: " + "".join(c for c in line if c.isprintable()), file=sys.stderr)

    def clear(self) -> None:
        """Take the line away again."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
