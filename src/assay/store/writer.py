"""Write a run into its bundle as it happens."""

import os
import sqlite3
import time
import zlib
from pathlib import Path
from types import TracebackType
from typing import Self

from assay import codec
from assay.model.evidence import Capture, digest
from assay.model.report import NodeRow, Report, Run
from assay.store.format import APPLICATION_ID, SCHEMA_VERSION, TABLES, CannotWrite, guarded, link

FLUSH_SECONDS = 0.2  # what a crash may lose of a node that is still being read


class BundleWriter:
    """Writes one run as it happens. Use it as a context manager; leaving it seals what is there."""

    def __init__(self, path: Path) -> None:
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        except FileExistsError as error:
            raise CannotWrite(f"{path} exists already; a bundle is never overwritten") from error
        except OSError as error:
            raise CannotWrite(f"cannot write {path}: {error.strerror}") from error
        os.close(handle)
        self.path = path
        self._hash = b""
        self._seq = 0
        self._answers: dict[tuple[object, ...], int] = {}
        self._pending: dict[str, list[tuple[int, int]]] = {}
        self._flushed = time.monotonic()
        with guarded(path, CannotWrite):
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("BEGIN")
            for statement in TABLES.values():
                self._db.execute(statement)
            self._db.execute("COMMIT")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def begin(self, run: Run) -> None:
        """The run starts; nothing is read before this is on disk."""
        self._commit([("run", run)])

    def capture(self, node: str, capture: Capture) -> None:
        """One answer of *node*. On disk within a fraction of a second, and whole or not at all."""
        answer = self._answer(capture)
        milliseconds = round(capture.seconds * 1000)
        self._pending.setdefault(node, []).append((answer, milliseconds))
        if time.monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def node(self, row: NodeRow) -> None:
        """*row* is as far as the reading of this node got."""
        self._append("node", row)
        self.flush()

    def flush(self) -> None:
        """Put on disk whatever was handed over."""
        with guarded(self.path, CannotWrite):
            for node, answers in self._pending.items():
                self._append("read", {"node": node, "answers": answers})
            self._pending.clear()
            if self._db.in_transaction:
                self._db.execute("COMMIT")
        self._flushed = time.monotonic()

    def finish(self, report: Report) -> str:
        """Store the report and close the chain; the head hash names everything in the bundle."""
        self.flush()
        sha = self._blob(codec.encode(report))
        self._commit([("report", {"sha256": sha}), ("end", {"records": self._seq + 1})])
        return self._hash.hex()

    def close(self) -> None:
        """Leave one plain file behind: no write-ahead log at rest."""
        if self._db is None:
            return
        with guarded(self.path, CannotWrite):
            self.flush()
            self._db.execute("PRAGMA journal_mode = DELETE")
            self._db.close()

    def _answer(self, capture: Capture) -> int:
        known = self._answers.get(capture.identity)
        if known is None:
            self._blob(capture.data)
            known = self._answers[capture.identity] = self._append(
                "answer",
                {
                    "source": capture.source,
                    "status": capture.status,
                    "exit_code": capture.exit_code,
                    "stderr": capture.stderr,
                    "reason": capture.reason,
                    "sha256": capture.sha256,
                    "size": len(capture.data),
                },
            )
        return known

    def _blob(self, data: bytes) -> str:
        sha = digest(data)
        with guarded(self.path, CannotWrite):
            self._transaction()
            self._db.execute(
                "INSERT OR IGNORE INTO blob VALUES (?, ?, ?)",
                (bytes.fromhex(sha), len(data), zlib.compress(data, 1)),
            )
        return sha

    def _append(self, kind: str, body: object) -> int:
        text = codec.encode(body).decode()
        self._hash = link(self._hash, kind, text)
        with guarded(self.path, CannotWrite):
            self._transaction()
            self._db.execute(
                "INSERT INTO record VALUES (?, ?, ?, ?)", (self._seq, kind, text, self._hash)
            )
        self._seq += 1
        return self._seq - 1

    def _transaction(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN")

    def _commit(self, records: list[tuple[str, object]]) -> None:
        for kind, body in records:
            self._append(kind, body)
        self.flush()
