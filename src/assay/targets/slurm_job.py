"""The processes of a pass: one job for its nodes, a step in it, and their end."""

import contextlib
import os
import re
import select
import subprocess
import time
from collections.abc import Iterator, Sequence

from assay.targets.slurm_controller import Controller, ControllerError, last_line
from assay.targets.slurm_guard import Guard

CHUNK = 1 << 18  # bytes read at once
SPARE = 2.0  # seconds that salloc may take beyond its own --immediate
CONFIRMED = 5.0  # seconds for the controller to confirm that a job is cancelled

_GRANTED = re.compile(rb"salloc: Granted job allocation (\d+)")
_PENDING = re.compile(rb"salloc: (?:Pending job allocation|job) (\d+)")


class Job:
    """An allocation of ours, or (with *inside*) one that we run in."""

    def __init__(self, controller: Controller, name: str, inside: str = "") -> None:
        self.id = inside
        self.name = name
        self._controller = controller
        self._ours = not inside
        self._guard = Guard(controller.find("scancel"), controller.environment)
        self._salloc: subprocess.Popen[bytes] | None = None
        self._srun: subprocess.Popen[bytes] | None = None

    def allocate(self, argv: Sequence[str], patience: float) -> None:
        """Submit. :class:`ControllerError` says why there is no job, and then there is none.

        salloc is left running: where a prolog runs at the start of a job it waits until that has
        ended on every node, and one hung node keeps it waiting. Steps can begin before.
        """
        self._guard.tell("name", self.name)
        self._controller.count("salloc")
        self._salloc = self._begin(argv)
        said = b""
        for pipe, data in output(self._salloc, time.monotonic() + patience + SPARE):
            if pipe != "err":
                continue
            said += data
            if found := _GRANTED.search(said):
                self.id = found[1].decode()
                self._guard.tell("job", self.id)
                return
            if found := _PENDING.search(said):
                self._guard.tell("job", found[1].decode())
        if self._salloc.poll() is not None and not _PENDING.search(said):
            self._guard.tell("over")  # refused: nothing was begun
        errors = [line for line in said.splitlines() if b"error:" in line]
        raise ControllerError(
            last_line(b"\n".join(errors)) or f"salloc gave no job within {patience:.0f} s"
        )

    def run(self, argv: Sequence[str], end: float) -> Iterator[tuple[str, bytes]]:
        """Begin a step; what it prints, as ``out`` or ``err`` and bytes, until *end*."""
        self._controller.count("srun")
        self._srun = self._begin(argv)
        self._guard.tell("srun", self._srun.pid)
        yield from output(self._srun, end)

    def stop(self) -> None:
        """End the step; that of a job of ours ends with the job, if not by itself."""
        if self._srun is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._srun.wait(0.3)
        if self._srun.poll() is None and self._ours:
            return
        for _ in range(2):  # srun is told twice: once for its tasks, once for itself
            if self._srun.poll() is None:
                self._srun.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._srun.wait(1.0)
        self._guard.tell("srun")
        _end(self._srun)
        self._srun = None

    def close(self) -> str:
        """Leave nothing behind; a sentence where the controller did not confirm that."""
        confirmed = True
        if self._ours:
            self._controller.count("scancel")
            confirmed = self._guard.end(CONFIRMED)
            if self._srun is not None:
                _end(self._srun)
        else:
            self.stop()
            self._guard.tell("over")
            self._guard.end(1.0)
        if self._salloc is not None:
            _end(self._salloc)
        if confirmed:
            return ""
        what = f"job {self.id}" if self.id else f"a job named {self.name}"
        return (
            f"the controller has not confirmed within {CONFIRMED:.0f} s that {what} is cancelled;"
            " its time limit ends it"
        )

    def _begin(self, argv: Sequence[str]) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(  # noqa: S603 - one of Slurm's own programs
                [self._controller.find(argv[0]), *argv[1:]],
                env=self._controller.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd="/",
                start_new_session=True,  # Ctrl-C is for us; we end it
                bufsize=0,
            )
        except OSError as error:
            raise ControllerError(f"cannot start {argv[0]}: {error.strerror}") from error


def output(process: "subprocess.Popen[bytes]", end: float) -> Iterator[tuple[str, bytes]]:
    """What *process* prints until both its pipes close or *end* has come; complaints first."""
    assert process.stdout is not None
    assert process.stderr is not None
    names = {process.stderr.fileno(): "err", process.stdout.fileno(): "out"}
    poll = select.poll()
    for fd in names:
        poll.register(fd, select.POLLIN)
    while names and (left := end - time.monotonic()) > 0:
        ready = [fd for fd, _ in poll.poll(left * 1000)]
        for fd in sorted(ready, key=lambda fd: names[fd] != "err"):
            data = os.read(fd, CHUNK)
            if data:
                yield names[fd], data
            else:
                poll.unregister(fd)
                del names[fd]
            if data and names[fd] == "err":
                break  # until there is no complaint left: it was said before what is on stdout


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill it and take its last breath."""
    process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1.0)  # the kernel may hold it in a system call for ever
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
