"""Read a bundle that somebody recorded. It is hostile until it is verified."""

import shutil
import sqlite3
import stat
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self, TypeVar

from assay import codec
from assay.model.evidence import Capture, Evidence, Status, digest
from assay.model.report import NodeRow, NodeState, Report, Run
from assay.store.format import APPLICATION_ID, SCHEMA_VERSION, TABLES, BundleError, guarded, link

T = TypeVar("T")
LARGEST = 256 << 20  # bytes that one blob may unpack to


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a bundle that does not hold together."""

    where: str
    what: str


class Bundle:
    """A bundle that somebody recorded, opened for reading. Hostile until it is verified."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _regular(path)
        self._copy: TemporaryDirectory[str] | None = None
        where = self._settled()
        with guarded(path):
            self._db = sqlite3.connect(f"{where.absolute().as_uri()}?mode=ro", uri=True)
            self._db.text_factory = lambda raw: raw.decode("utf-8", "replace")
            self._db.execute("PRAGMA trusted_schema = OFF")
            self._db.execute("PRAGMA query_only = ON")
            self._check_shape()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._db.close()
        if self._copy:
            self._copy.cleanup()

    def _settled(self) -> Path:
        """A run that was killed while it sealed its bundle left a rollback journal. The original
        is not touched: a private copy of both is rolled back and read."""
        journal = self.path.with_name(self.path.name + "-journal")
        if not journal.is_file() or journal.is_symlink():
            return self.path
        self._copy = TemporaryDirectory(prefix="assay-")
        copy = Path(self._copy.name, self.path.name)
        with guarded(self.path):
            shutil.copyfile(self.path, copy)
            shutil.copyfile(journal, copy.with_name(journal.name))
            with closing(sqlite3.connect(copy)) as db:
                db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return copy

    @property
    def complete(self) -> bool:
        """True when the run came to its end; a killed one is readable but incomplete."""
        return self._last("end") is not None

    @property
    def head(self) -> str:
        """The hash of the last record: it names everything in the bundle."""
        row = self._one("SELECT hash FROM record ORDER BY seq DESC LIMIT 1")
        return row[0].hex() if row and isinstance(row[0], bytes) else ""

    def run(self) -> Run:
        """What was being read."""
        row = self._one("SELECT body FROM record WHERE kind = 'run'")
        if row is None:
            raise BundleError(f"{self.path} holds no run: it was killed before it began")
        return self._decoded(row[0], Run)

    def report(self) -> Report | None:
        """The report as it was given then; None when the run was killed before that."""
        body = self._last("report")
        if body is None:
            return None
        try:
            return codec.report(self.blob(str(body.get("sha256"))))
        except codec.CodecError as error:
            raise BundleError(f"{self.path}: {error}") from error

    def nodes(self) -> list[NodeRow]:
        """Every node, also one that was cut off in the middle."""
        rows = {
            row.name: row
            for (body,) in self._all("SELECT body FROM record WHERE kind = 'node' ORDER BY seq")
            for row in [self._decoded(body, NodeRow)]
        }
        for node, _ in self._reads():
            if node not in rows:
                reason = "the run was cut off while this node was being read"
                rows[node] = NodeRow(node, NodeState.PARTIAL, reason)
        return list(rows.values())

    def evidence(self) -> Iterator[Evidence]:
        """The evidence of every node, one at a time; equal answers share their bytes."""
        bodies = dict(self._bodies("answer"))

        @lru_cache(maxsize=8192)  # nodes that answer alike come close together
        def capture(number: int) -> Capture:
            if number not in bodies:
                raise BundleError(f"{self.path}: answer {number} is missing")
            return self._capture(bodies[number])

        given: dict[str, list[int]] = {row.name: [] for row in self.nodes()}
        for node, numbers in self._reads():
            given.setdefault(node, []).extend(number for number, _ in numbers)
        for node, numbers_of in given.items():
            captures = [capture(number) for number in numbers_of]
            yield Evidence(node, {c.source: c for c in captures})

    def captures(self, prefix: str) -> list[tuple[Capture, tuple[str, ...]]]:
        """Answers whose SHA-256 starts with *prefix*, and the nodes that gave them."""
        found = {
            seq: body
            for seq, body in self._bodies("answer")
            if str(body.get("sha256", "")).startswith(prefix)
        }
        where: dict[int, list[str]] = {seq: [] for seq in found}
        for node, numbers in self._reads():
            for number, _ in numbers:
                if number in where:
                    where[number].append(node)
        return [(self._capture(body), tuple(where[seq])) for seq, body in found.items()]

    def blob(self, sha256: str) -> bytes:
        """The bytes called *sha256*; wrong or oversized ones are refused."""
        try:
            key = bytes.fromhex(sha256)
        except ValueError as error:
            raise BundleError(f"{sha256[:80]!r} is not a SHA-256") from error
        row = self._one("SELECT data FROM blob WHERE sha256 = ?", (key,))
        if row is None:
            raise BundleError(f"{self.path} has no bytes called {sha256}")
        data = _unpacked(row[0])
        if data is None or digest(data) != sha256:
            raise BundleError(f"{self.path}: the bytes called {sha256} are not what they should be")
        return data

    def verify(self) -> Iterator[Problem]:
        """Everything that does not hold together; nothing when the bundle is sound."""
        before = b""
        wanted: set[str] = set()
        for at, (seq, kind, body, stored) in enumerate(
            self._all("SELECT seq, kind, body, hash FROM record ORDER BY seq")
        ):
            before = link(before, str(kind), str(body))
            if seq != at:
                yield Problem(f"record {at}", "missing from the chain")
                return
            if before != stored:
                yield Problem(f"record {seq} ({kind})", "its hash does not follow from the chain")
                return
            if kind in ("answer", "report"):
                wanted.add(str(self._decoded(body, dict[str, Any]).get("sha256")))
        present = set()
        for sha, size, data in self._all("SELECT sha256, size, data FROM blob"):
            name = sha.hex() if isinstance(sha, bytes) else "?"
            present.add(name)
            unpacked = _unpacked(data)
            if unpacked is None or len(unpacked) != size or digest(unpacked) != name:
                yield Problem(f"blob {name[:12]}", "its bytes do not have this hash")
        for sha in sorted(wanted - present):
            yield Problem(f"blob {sha[:12]}", "named by a record, but missing")
        for name in sorted(present - wanted):
            yield Problem(f"blob {name[:12]}", "no record names it")
        if not self.complete:
            yield Problem("end", "the run did not come to its end: this bundle is incomplete")

    def _capture(self, body: dict[str, Any]) -> Capture:
        try:
            sha, status = str(body["sha256"]), Status(body["status"])
            exit_code = body["exit_code"]
            return Capture(
                source=str(body["source"]),
                data=self.blob(sha),
                status=status,
                exit_code=int(exit_code) if exit_code is not None else None,
                stderr=str(body["stderr"]),
                reason=str(body["reason"]),
            )
        except (KeyError, ValueError, TypeError) as error:
            raise BundleError(f"{self.path}: an answer is malformed ({error})") from error

    def _reads(self) -> Iterator[tuple[str, list[tuple[int, int]]]]:
        for (body,) in self._all("SELECT body FROM record WHERE kind = 'read' ORDER BY seq"):
            read = self._decoded(body, _Read)
            yield read.node, read.answers

    def _bodies(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        query = "SELECT seq, body FROM record WHERE kind = ? ORDER BY seq"
        for seq, body in self._all(query, (kind,)):
            yield seq, self._decoded(body, dict[str, Any])

    def _last(self, kind: str) -> dict[str, Any] | None:
        query = "SELECT body FROM record WHERE kind = ? ORDER BY seq DESC LIMIT 1"
        row = self._one(query, (kind,))
        return self._decoded(row[0], dict[str, Any]) if row else None

    def _decoded(self, body: object, kind: type[T]) -> T:
        try:
            return codec.decode(str(body), kind)
        except codec.CodecError as error:
            raise BundleError(f"{self.path}: a record is {error}") from error

    def _one(self, query: str, values: tuple[object, ...] = ()) -> tuple[Any, ...] | None:
        return next(iter(self._all(query, values)), None)

    def _all(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with guarded(self.path), closing(self._db.execute(query, values)) as cursor:
            return cursor.fetchall()

    def _check_shape(self) -> None:
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        shape = dict(self._db.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL"))
        if not shape and application in (0, APPLICATION_ID):
            raise BundleError(f"{self.path} holds no run: it was killed before it began")
        if application != APPLICATION_ID:
            raise BundleError(f"{self.path} is not an Assay bundle")
        if version != SCHEMA_VERSION:
            raise BundleError(
                f"{self.path} has schema {version}; this Assay reads {SCHEMA_VERSION}."
                " Update with `pip install -U gpu-assay`."
            )
        if shape != TABLES:
            raise BundleError(f"{self.path} has tables that Assay did not make; refused")


@dataclass(frozen=True, slots=True)
class _Read:
    node: str
    answers: list[tuple[int, int]]


def _regular(path: Path) -> None:
    try:
        found = path.lstat()
    except OSError as error:
        raise BundleError(f"cannot open {path}: {error.strerror}") from error
    if stat.S_ISLNK(found.st_mode):
        raise BundleError(f"{path} is a symbolic link; name the file itself")
    if not stat.S_ISREG(found.st_mode):
        raise BundleError(f"{path} is not a file")


def _unpacked(data: object) -> bytes | None:
    if not isinstance(data, bytes):
        return None
    try:
        stream = zlib.decompressobj()
        out = stream.decompress(data, LARGEST)
    except zlib.error:
        return None
    return out if stream.eof else None
