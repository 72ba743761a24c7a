"""Evidence: what a node said, byte for byte, before anyone interpreted it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """How a reading ended. Only ``ANSWERED`` is an answer."""

    ANSWERED = "answered"  # a command that exited (look at its exit code), or a file that was read
    ABSENT = "absent"  # no such command or file: read, and nothing there
    DENIED = "denied"  # there, but not for this user
    TIMEOUT = "timeout"  # no answer before its deadline
    TRUNCATED = "truncated"  # more output than its cap: the head is kept
    FAILED = "failed"  # anything else that kept us from reading, see ``reason``


def digest(data: bytes) -> str:
    """The name of *data* everywhere in Assay: SHA-256 in lower-case hex."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Capture:
    """The answer to one reading on one node.

    ``source`` is the command line or path pattern that gave it, ``seconds`` how long it took on
    the node's monotonic clock, ``stderr`` at most 4 KiB of what a command complained about.
    """

    source: str
    data: bytes = b""
    status: Status = Status.ANSWERED
    exit_code: int | None = None
    stderr: str = ""
    reason: str = ""
    seconds: float = 0.0
    sha256: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.sha256:
            object.__setattr__(self, "sha256", digest(self.data))

    @property
    def identity(self) -> tuple[str, str, str, int | None, str, str]:
        """All that a parser may look at: two captures with equal identity mean the same."""
        return self.source, self.sha256, self.status, self.exit_code, self.stderr, self.reason


@dataclass(frozen=True, slots=True)
class Evidence:
    """Every capture of one node, keyed by source.

    A ``head`` was asked only what concerns the cluster: what is missing there is not unread.
    """

    node: str
    captures: Mapping[str, Capture]
    head: bool = False


@dataclass(frozen=True, slots=True)
class Ref:
    """Where a verdict comes from: the bytes called *sha256*, given by *source* on *node*."""

    node: str
    source: str
    sha256: str
