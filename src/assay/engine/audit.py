"""Audit: read a target, keep the evidence, understand it, judge it."""

import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from assay import __version__
from assay.engine.catalogue import Catalogue, rules_sha256
from assay.engine.judge import Facts, judge
from assay.engine.target import Captured, Options, Target
from assay.engine.understand import Understanding
from assay.kit.reading import Reading
from assay.model.evidence import Capture, Evidence
from assay.model.report import NodeRow, NodeState, Report, Run


class Keeper(Protocol):
    """Where evidence goes the moment it arrives, before anyone interprets it."""

    def begin(self, run: Run) -> None:
        """The run starts."""

    def capture(self, node: str, capture: Capture) -> None:
        """*node* gave an answer."""

    def node(self, row: NodeRow) -> None:
        """A node is done, or given up."""


class Watcher(Protocol):
    """Who is told how far the run has got."""

    def captured(self, node: str, capture: Capture, done: int, of: int) -> None:
        """*node* gave *done* of *of* answers."""

    def node(self, row: NodeRow) -> None:
        """A node is done, or given up."""


class Interrupted(Exception):
    """The user ended the reading; what was read until then is in ``report``."""

    def __init__(self, report: Report) -> None:
        super().__init__("interrupted")
        self.report = report


def start(target: str, options: Options, advisories: str = "") -> Run:
    """The run that begins now."""
    return Run(
        id=secrets.token_hex(8),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=0.0,
        target=target,
        tool_version=__version__,
        rules_sha256=rules_sha256(),
        advisories_sha256=advisories,
        complete=False,
        identifying=options.identifying,
    )


def audit(
    target: Target,
    catalogue: Catalogue,
    readings: Sequence[Reading],
    options: Options,
    run: Run,
    keepers: Sequence[Keeper] = (),
    watcher: Watcher | None = None,
) -> Report:
    """Read *target* and judge it. Evidence reaches every keeper before it is looked at.

    Interrupted (Ctrl-C), it judges what was read and raises :class:`Interrupted` with that.
    """
    began = time.monotonic()
    kept = _Kept(keepers, watcher, len(readings))
    for keeper in keepers:
        keeper.begin(run)
    events = target.collect(readings, options)
    interrupted = False
    try:
        for event in events:
            kept.take(event)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if close := getattr(events, "close", None):
            close()
    kept.cut_off()
    seconds = time.monotonic() - began
    report = assess(kept.evidence(), kept.rows.values(), catalogue, run, seconds=seconds)
    if interrupted:
        raise Interrupted(report)
    return report


class _Kept:
    """What has arrived so far; every keeper has it before we do."""

    def __init__(self, keepers: Sequence[Keeper], watcher: Watcher | None, of: int) -> None:
        self._keepers = keepers
        self._watcher = watcher
        self._of = of
        self._captures: dict[str, dict[str, Capture]] = {}
        self.rows: dict[str, NodeRow] = {}

    def take(self, event: Captured | NodeRow) -> None:
        if isinstance(event, NodeRow):
            self._end(event)
            return
        for keeper in self._keepers:
            keeper.capture(event.node, event.capture)
        captures = self._captures.setdefault(event.node, {})
        captures[event.capture.source] = event.capture
        if self._watcher:
            self._watcher.captured(event.node, event.capture, len(captures), self._of)

    def cut_off(self) -> None:
        for node in [node for node in self._captures if node not in self.rows]:
            self._end(NodeRow(node, NodeState.PARTIAL, "interrupted while it was being read"))

    def evidence(self) -> Iterator[Evidence]:
        for node in self.rows:
            yield Evidence(node, self._captures.get(node, {}))

    def _end(self, row: NodeRow) -> None:
        for keeper in self._keepers:
            keeper.node(row)
        self.rows[row.name] = row
        if self._watcher:
            self._watcher.node(row)


def assess(
    evidence: Iterable[Evidence],
    nodes: Iterable[NodeRow],
    catalogue: Catalogue,
    run: Run,
    *,
    seconds: float,
) -> Report:
    """Judge evidence that is at hand. Pure: the same evidence and rules, the same report.

    A node that could not be read at all is one row with its reason, and not an unknown of every
    check: each judgement says how many nodes it looked at, and the run is incomplete.
    """
    rows = tuple(nodes)
    heads = {row.name for row in rows if row.head}
    silent = {row.name for row in rows if row.state is NodeState.UNREAD}
    understanding = Understanding(catalogue.probes)
    for one in evidence:
        if one.captures or one.node not in silent:
            understanding.add(replace(one, head=one.node in heads))
    judgements, errors = judge(catalogue.checks, Facts(understanding))
    return Report(
        run=Run(
            id=run.id,
            started=run.started,
            seconds=round(seconds, 3),
            target=run.target,
            tool_version=__version__,
            rules_sha256=rules_sha256(),
            advisories_sha256=run.advisories_sha256,
            complete=bool(rows) and all(row.state is NodeState.READ for row in rows),
            identifying=run.identifying,
        ),
        nodes=rows,
        judgements=tuple(judgements),
        errors=(*understanding.errors, *errors),
    )
