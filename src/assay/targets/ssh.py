"""Machines over ssh: the system's own ssh, with the user's own configuration, many at once.

A node gets the collector through the stdin of its Python and sends frames back; nothing is left
on it. Its program is sent only when it runs our command, so that something else that answers
there never sees it. A node that keeps silent takes no place from the others.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.engine.target import Event, Options, Unreachable
from assay.kit.reading import Reading
from assay.targets.hosts import Host, distinct, host
from assay.targets.ssh_command import Client, Known, remote
from assay.targets.ssh_run import CONNECT, Run
from assay.targets.ssh_watch import Watch

# At a time. Measured with 32 nodes on 2 cores: 4 take 4.7 s in all, 16 take 3.1 s, 64 take 3.0 s
# (a login is 80 ms of processor, most of it key exchange), and small bastions refuse more.
LOGINS = 16
PER_NODE = 30.0  # seconds for one node, should the time for all be longer
SHOWN = 8  # hosts named in the plan


class Ssh:
    """Hosts that can be logged in to."""

    def __init__(
        self,
        nodes: Sequence[Host | str],
        *,
        config: Path | None = None,
        logins: int = LOGINS,
        per_node: float = PER_NODE,
        program: str = "ssh",
    ) -> None:
        self.nodes = tuple(
            distinct(host(node) if isinstance(node, str) else node for node in nodes)
        )
        self.client = Client(program, config)
        self.logins = max(1, logins)
        self.per_node = per_node
        self.name = f"ssh, {_nodes(len(self.nodes))}"

    def describe(self) -> Sequence[str]:
        """What will be done, one line each."""
        names = ", ".join(node.name for node in self.nodes[:SHOWN])
        more = f" and {len(self.nodes) - SHOWN} more" if len(self.nodes) > SHOWN else ""
        lines = [
            f"{_nodes(len(self.nodes))} over ssh, {self.logins} logins at a time: {names}{more}"
        ]
        if self.nodes:
            node = self.nodes[0]
            argv = self.client.argv(node, remote("RUN"), CONNECT, "PRIVATE/1", Known())
            lines += ["once for each node:", f"  {_shown(argv)}"]
        return [
            *lines,
            "with your own ssh configuration; `ssh -G NODE` tells if you share connections"
            " (ControlPath), and if so, an open one is used and ControlMaster=no",
            "host keys are checked and never added; no agent, ticket or port is forwarded",
            "there: one Python process as the user that you log in as, which reads files and runs"
            " commands, and no others than those of `assay probes --commands`; it writes no file",
            "here: a private folder for the connections' sockets, removed at the end",
        ]

    def collect(self, readings: Sequence[Reading], options: Options) -> Iterator[Event]:
        """Carry out *readings* on every node. Closing the iterator ends everything."""
        if not self.nodes:
            raise Unreachable("no nodes were named")
        # what asks the cluster's services is not asked again on every node
        wanted = [reading for reading in readings if not reading.per_cluster]
        watch = Watch()
        run = Run(self.nodes, self.client, wanted, options, watch, self.logins, self.per_node)
        try:
            yield from run.events()
        finally:
            run.end()
            watch.close()


def _nodes(count: int) -> str:
    return f"{count} node" if count == 1 else f"{count} nodes"


def _shown(argv: Sequence[str]) -> str:
    """A command line for people: the last word, our script, in double quotes as it is."""
    return " ".join([*argv[:-1], f'"{argv[-1]}"'])
