"""Readings: everything that may ever be read on a node, as data.

A reading is declared once, beside the probe that understands it. The collector carries out these
and nothing else; ``assay probes --commands`` prints them all.
"""

import shlex
from dataclasses import dataclass
from enum import StrEnum

MIB = 1 << 20
LABEL = 72  # characters of a source that a sentence can bear


class Via(StrEnum):
    """How the collector gets an answer."""

    COMMAND = "command"  # run argv, keep stdout
    FILES = "files"  # read every file that matches a glob
    LISTING = "listing"  # type, mode, owner and device number of every path that matches a glob
    LINKS = "links"  # where every symbolic link that matches a glob points to
    STATFS = "statfs"  # free blocks and inodes of every mounted local file system
    SAVED = "saved"  # never collected: an output that a user saved, for ``assay probes parse``


class Service(StrEnum):
    """What all nodes share: asked once, on the machine where Assay runs, never on every node."""

    SLURM = "slurm"  # the controller of the scheduler
    KUBERNETES = "kubernetes"  # the API server
    FABRIC = "fabric"  # the InfiniBand subnet, by management datagrams


@dataclass(frozen=True, slots=True)
class Reading:
    """One thing to read. ``source`` is its key in the evidence, ``name`` is for ``--as``.

    ``deadline`` is in seconds, ``cap`` in bytes of output kept. ``looks_like`` recognises a saved
    output of this source: a regular expression (multi-line) that is searched for in the first
    64 KiB, compiled only when somebody parses a saved file. ``on_request`` readings are
    left out unless the user asks for them (they are slow or large). ``service`` names what the
    reading asks where that is shared by all nodes.
    """

    source: str
    via: Via
    name: str
    argv: tuple[str, ...] = ()
    glob: str = ""
    deadline: float = 10.0
    cap: int = 4 * MIB
    looks_like: str = ""
    on_request: bool = False
    service: Service | None = None

    @property
    def per_cluster(self) -> bool:
        """True for what is asked once, of a service that all nodes share."""
        return self.service is not None

    @property
    def label(self) -> str:
        """How sentences name it: the source, or its name where the source is long."""
        return self.source if len(self.source) <= LABEL else self.name[:LABEL]


def command(
    *argv: str,
    name: str = "",
    deadline: float = 10.0,
    cap: int = 4 * MIB,
    looks_like: str = "",
    on_request: bool = False,
    service: Service | None = None,
) -> Reading:
    """Run *argv* (no shell) with LC_ALL=C, keep what it prints and its exit code."""
    source = shlex.join(argv)
    return Reading(
        source,
        Via.COMMAND,
        name or source.replace(" ", "-"),
        argv=argv,
        deadline=deadline,
        cap=cap,
        looks_like=looks_like,
        on_request=on_request,
        service=service,
    )


def files(
    glob: str,
    *,
    name: str = "",
    deadline: float = 5.0,
    cap: int = 4 * MIB,
    looks_like: str = "",
    on_request: bool = False,
) -> Reading:
    """Read every file that matches *glob*; ``{a,b}`` alternatives are expanded."""
    return Reading(
        glob,
        Via.FILES,
        name or glob,
        glob=glob,
        deadline=deadline,
        cap=cap,
        looks_like=looks_like,
        on_request=on_request,
    )


def listing(glob: str, *, name: str = "") -> Reading:
    """List the paths that match *glob* with type, mode, owner, group and device number."""
    return Reading(f"list {glob}", Via.LISTING, name or f"list {glob}", glob=glob, deadline=5.0)


def links(glob: str, *, name: str = "") -> Reading:
    """Read where the symbolic links that match *glob* point to."""
    return Reading(f"link {glob}", Via.LINKS, name or f"link {glob}", glob=glob, deadline=5.0)


def statfs() -> Reading:
    """Sizes of the mounted file systems: one hung mount does not hold up the others."""
    return Reading("statfs", Via.STATFS, "statfs", deadline=4.0)


def saved(name: str, *, looks_like: str) -> Reading:
    """An output that is never collected, only read from a file that somebody saved."""
    return Reading(name, Via.SAVED, name, looks_like=looks_like)
