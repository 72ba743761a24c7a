"""One pass: one job for the nodes that are free, one step in it, and their answers."""

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from assay.engine.target import Captured, Event, Options
from assay.kit.reading import Reading
from assay.model.evidence import Capture, Status
from assay.model.report import NodeRow, NodeState
from assay.targets.slurm_controller import Controller, ControllerError
from assay.targets.slurm_job import Job
from assay.targets.slurm_names import expand
from assay.targets.slurm_nodes import DEVICE_TOOLS
from assay.targets.slurm_view import Terms, View, node_list, step, submission
from assay.targets.slurm_voices import Voices, command

LAST = 1.0  # seconds at the end, to cancel the job and to tell
TRAVEL = 1.5  # seconds between an agent's deadline and ours
LEAST = 3.0  # seconds: with less left, nothing is begun
STEPS = 3  # of one job, when nodes fail and take others with them
NO_DEVICE = "this job was given no GPU, and devices are isolated: it cannot open one"


class Pass:
    """Asks the nodes of *view* that can be asked; ``events`` may be called once.

    ``asked`` are all that it tried, ``missed`` those for which there was no job, with the reason;
    every other one of ``asked`` has its row.
    """

    def __init__(
        self,
        controller: Controller,
        terms: Terms,
        view: View,
        readings: Sequence[Reading],
        options: Options,
        end: float,
    ) -> None:
        self._controller = controller
        self._terms = terms
        self._view = view
        self._options = options
        self._end = end
        self._withheld = [r for r in readings if view.blind and _opens_a_device(r)]
        self._readings = [r for r in readings if r not in self._withheld]
        self._arrived: dict[str, set[str]] = {}  # node -> sources
        self._done: set[str] = set()
        self.asked = tuple(node.name for node in view.asked)
        self.missed: dict[str, str] = {}
        self.notes: list[str] = []

    @property
    def _left(self) -> float:
        return self._end - LAST - time.monotonic()

    def events(self) -> Iterator[Event]:
        """Answers as they come, and one row for every node that was reached."""
        try:
            job = Job(self._controller, f"assay-{secrets.token_hex(6)}", self._view.job)
        except (ControllerError, OSError) as error:
            self._miss(self.asked, str(error))
            return
        try:
            yield from self._ask(job)
        except (ControllerError, ValueError) as error:
            self._miss([name for name in self.asked if name not in self._done], str(error))
        finally:
            if note := job.close():
                self.notes.append(note)

    def _miss(self, names: Sequence[str], why: str) -> None:
        self.missed.update(dict.fromkeys(names, why))

    def _ask(self, job: Job) -> Iterator[Event]:
        names = self.asked if self._view.job else self._allocated(job)
        for turn in range(1, STEPS + 1):
            voices = Voices(self._readings)
            yield from self._step(job, names, voices)
            silent = [name for name in names if name not in self._done]
            # srun gives up the whole step when one node does not begin it
            again = [n for n in silent if voices.hindered and n not in voices.hindered]
            if turn == STEPS or self._left < LEAST:
                again = []
            for name in silent:
                if name not in again:
                    yield from self._give_up(name, voices)
            if not again:
                return
            names = tuple(again)

    def _allocated(self, job: Job) -> tuple[str, ...]:
        """Submit; the nodes that Slurm gave us."""
        wait = max(1.0, min(self._terms.immediate, self._left / 3))
        argv = submission(self._view, self._terms, job.name, self._options.deadline, wait)
        job.allocate(argv, wait)
        said = self._controller.ask(
            *("scontrol", "show", "job", "-o", job.id), patience=max(1.0, self._left / 2)
        )
        given = set(expand(node_list(said)))
        others = [name for name in self.asked if name not in given]
        self._miss(others, f"busy: not among the nodes that were free for job {job.id}")
        return tuple(name for name in self.asked if name in given)

    def _step(self, job: Job, names: Sequence[str], voices: Voices) -> Iterator[Event]:
        """Answers as they come, and the rows of nodes that have told all."""
        seconds = max(1.0, self._left - TRAVEL)
        options = replace(self._options, deadline=seconds)
        program = command(self._readings, options, self._terms.python)
        argv = [*step(job.id, names, job.name), *program]
        waiting = set(names)
        for pipe, data in job.run(argv, self._end - LAST):
            if pipe == "err":
                voices.err(data)
                continue
            for voice, frames in voices.out(data):
                if voice.node not in waiting:
                    continue
                yield from self._captured(voice.node, frames)
                if voice.over:
                    waiting.discard(voice.node)
                if voice.reader.complete and not voice.broken:
                    yield from self._row(voice.node, NodeState.READ)
            if not waiting:
                break
        job.stop()

    def _captured(self, node: str, frames: Sequence[object]) -> Iterator[Event]:
        arrived = self._arrived.setdefault(node, set())
        for frame in frames:
            if isinstance(frame, Capture) and frame.source not in arrived:
                arrived.add(frame.source)  # a second step may tell it again
                yield Captured(node, frame)

    def _row(self, node: str, state: NodeState, why: str = "") -> Iterator[Event]:
        self._done.add(node)
        if state is not NodeState.UNREAD:
            for reading in self._withheld:
                capture = Capture(reading.source, status=Status.DENIED, reason=NO_DEVICE)
                yield Captured(node, capture)
        yield NodeRow(node, state, why, self._view.word(node))

    def _give_up(self, node: str, voices: Voices) -> Iterator[Event]:
        voice = voices.of(node)
        heard = voice is not None and bool(voice.reader.hello or voice.noise or voice.heard)
        begun = node in voices.started
        if node in voices.hindered:
            why = voices.hindered[node]
        elif voice is not None and (heard or node in voices.ended or (begun and self._left > 0)):
            why = voice.why()
            if node in voices.ended and voices.ended[node] not in why:
                why += f" ({voices.ended[node]})"
        elif voices.complaint and self._left > 0:
            why = f"the step was not begun: {voices.complaint}"
        elif begun:
            why = "the step began there, but nothing came from it in time"
        else:
            why = "nothing came from it in time: its slurmd, its prolog or its network hangs"
        partial = bool(self._arrived.get(node))
        yield from self._row(node, NodeState.PARTIAL if partial else NodeState.UNREAD, why)


def _opens_a_device(reading: Reading) -> bool:
    return bool(reading.argv) and PurePosixPath(reading.argv[0]).name in DEVICE_TOOLS
