"""Where the evidence of a run goes: into memory for the excerpts of its report, into a bundle."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.evidence import Capture

if TYPE_CHECKING:
    from assay.model.report import NodeRow, Report, Run
    from assay.store.writer import BundleWriter


class Kept:
    """Evidence in memory, for the excerpts of a report."""

    def __init__(self) -> None:
        self.captures: dict[tuple[str, str], Capture] = {}

    def begin(self, run: "Run") -> None:
        """Nothing to do."""

    def capture(self, node: str, capture: Capture) -> None:
        """Remember one answer."""
        self.captures[node, capture.source] = capture

    def node(self, row: "NodeRow") -> None:
        """Nothing to do."""


class Lenient:
    """A bundle that may fail (a full disk) without taking the verdicts with it."""

    def __init__(self, writer: "BundleWriter") -> None:
        self._writer = writer
        self.lost = ""

    def begin(self, run: "Run") -> None:
        """The run starts."""
        self._try(lambda: self._writer.begin(run))

    def capture(self, node: str, capture: Capture) -> None:
        """One answer."""
        self._try(lambda: self._writer.capture(node, capture))

    def node(self, row: "NodeRow") -> None:
        """A node is done."""
        self._try(lambda: self._writer.node(row))

    def finish(self, report: "Report") -> None:
        """Seal it."""
        self._try(lambda: self._writer.finish(report))

    def close(self) -> None:
        """Leave one plain file behind."""
        self._try(self._writer.close)

    def _try(self, write: "Callable[[], object]") -> None:
        from assay.store.format import CannotWrite

        if self.lost:
            return
        try:
            write()
        except CannotWrite as error:
            self.lost = str(error)


@contextmanager
def open_bundle(path: Path | None) -> "Iterator[list[Lenient]]":
    """The bundle at *path* if there is to be one: opened now, and sealed whatever happens."""
    if path is None:
        yield []
        return
    from assay.store.writer import BundleWriter

    keeper = Lenient(BundleWriter(path))
    try:
        yield [keeper]
    finally:
        keeper.close()
