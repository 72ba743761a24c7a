"""What the engine asks of a target: say what you will do, then read, and report as you go."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.kit.reading import Reading
from assay.model.evidence import Capture
from assay.model.report import NodeRow


@dataclass(frozen=True, slots=True)
class Options:
    """How to read. ``deadline`` is for the whole run, in seconds on the monotonic clock.

    ``salt`` makes the hashes that stand for serials, addresses and user names; equal within one
    run, different in every other. With ``identifying`` the names themselves are kept.
    """

    deadline: float = 20.0
    salt: str = ""
    identifying: bool = False


@dataclass(frozen=True, slots=True)
class Captured:
    """One answer has arrived from *node*."""

    node: str
    capture: Capture


Event = Captured | NodeRow  # a NodeRow ends its node: it says how far the reading got


class Target(Protocol):
    """A machine or a cluster, or a recording of one."""

    name: str

    def describe(self) -> Sequence[str]:
        """What will be done, one line each, for `assay plan`."""

    def collect(self, readings: Sequence[Reading], options: Options) -> Iterator[Event]:
        """Carry out *readings* everywhere. Events of many nodes may come interleaved.

        Nothing that a node does may raise or hang: that is its NodeRow. A target that cannot be
        reached at all raises :class:`Unreachable`. Closing the iterator ends everything that
        was started.
        """


class Unreachable(Exception):
    """The target as a whole cannot be read: exit code 4, with this sentence."""
