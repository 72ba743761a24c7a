"""A Slurm cluster: every node that can be asked, at the price of one job."""

import getpass
import os
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from assay.engine.target import Event, Options
from assay.kit.reading import Reading
from assay.targets import slurm_nodes
from assay.targets.slurm_controller import Controller, ControllerError, told, words
from assay.targets.slurm_names import fold
from assay.targets.slurm_run import Run
from assay.targets.slurm_view import LOOKING, Terms, View, allocation, look, step, submission


class Slurm:
    """The cluster whose controller this machine's Slurm programs talk to."""

    name = "slurm"

    def __init__(
        self, terms: Terms | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        given = os.environ if environment is None else environment
        self._terms = terms or Terms()
        self._job = allocation(given)
        self._controller = Controller(given)
        self._notes: list[str] = []

    @property
    def calls(self) -> Counter[str]:
        """How often the controller was asked what, so far."""
        return Counter(self._controller.calls)

    def describe(self) -> Sequence[str]:
        """What will be done, one line each. It asks the controller, and begins nothing."""
        try:
            view = look(self._controller, self._terms, self._job, LOOKING)
        except ControllerError as error:
            return (str(error), "no node can be asked: each will be listed as not read")
        return (
            f"on a Slurm cluster of {len(view.nodes)} nodes, as {_user()}:",
            *_who(view),
            *_how(view, self._terms),
            *_devices(view, self._terms),
            "questions about the whole cluster are asked once, on this machine"
            f" ({socket.gethostname()})",
            "questions to the controller: scontrol up to 9, squeue none, sinfo none,"
            " srun 1 (at most 3 when a node fails), "
            + ("no submission, no scancel" if self._job else "salloc 1, scancel 1"),
            "nothing is written on a node; what was begun ends with its deadline, or with Assay",
        )

    def collect(self, readings: Sequence[Reading], options: Options) -> Iterator[Event]:
        """Ask every node. Closing the iterator cancels the job."""
        self._notes.clear()
        run = Run(self._controller, self._terms, self._job, readings, options, self._notes)
        yield from run.events()

    def summary(self) -> Sequence[str]:
        """What it has cost the cluster, and what went wrong beside the nodes."""
        return (f"questions to the controller: {told(self._controller.calls)}", *self._notes)


def _who(view: View) -> Iterator[str]:
    if view.asked:
        states = Counter(node.word for node in view.asked)
        how = ", ".join(f"{count} {word}" for word, count in states.most_common())
        yield f"{len(view.asked)} nodes will be asked ({how}): {fold(n.name for n in view.asked)}"
    else:
        yield "no node can be asked now, so no job is begun"
    for reasons in (view.full, view.closed):
        alike: dict[str, list[str]] = {}
        for name, why in reasons.items():
            alike.setdefault(why, []).append(name)
        for why, names in alike.items():
            yield f"not asked: {fold(names)}: {why}"


def _how(view: View, terms: Terms) -> Iterator[str]:
    name = "assay-<run>"
    if view.job:
        yield f"no job: one step in job {view.job}, beside what runs there"
    elif view.asked:
        yield f"one job: {words(submission(view, terms, name, 20, terms.immediate))}"
    if view.asked:
        names = [node.name for node in view.asked]
        line = words(step(view.job or "<job>", names, name))
        yield f"one step: {line} /bin/sh -c 'exec python3 ...' (`assay probes --program` shows it)"


def _devices(view: View, terms: Terms) -> Iterator[str]:
    if view.job:
        yield "GPUs: those of this job; where it has not all of a node, the others are not seen"
    elif terms.gpus:
        yield f"GPUs: {terms.gpus} of each node are allocated for the seconds that it takes"
    elif view.blind:
        yield (
            "GPUs: none are allocated, so nobody's are taken; as devices are isolated here, what"
            f" only an open GPU tells ({', '.join(sorted(slurm_nodes.DEVICE_TOOLS))}) stays"
            " unknown. Ask for all GPUs of a node to see them"
        )


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"user {os.getuid()}"
