"""Plants: the positive control of a check, kept beside it.

A plant makes a sound reference host sick in exactly one way by editing its evidence. Every check
has at least one; ``assay selftest`` shows on the user's own machine that each check passes the
sound host and fails the planted one.
"""

from dataclasses import dataclass

from assay.model.evidence import Status


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of a sound host's evidence.

    In the capture *source*, or in the file *path* of that pack, the literal *old* is replaced by
    *new* (*count* times, 0 for all); with an empty *old* the whole answer becomes *new*. An edit
    that changes nothing is an error. A *status* other than answered drops the answer.
    """

    source: str
    new: str = ""
    old: str = ""
    path: str = ""
    count: int = 1
    exit_code: int | None = None
    status: Status = Status.ANSWERED


@dataclass(frozen=True, slots=True)
class Plant:
    """A fault: the edits that plant it on the reference host called *host*."""

    edits: tuple[Edit, ...]
    host: str = "hgx-h100"
    name: str = ""


def plant(*edits: Edit, host: str = "hgx-h100", name: str = "") -> Plant:
    """A fault made of *edits* on *host*; *name* tells several plants of one check apart."""
    return Plant(edits, host, name)
