"""This machine: the collector as a child process, its answers as they come."""

import contextlib
import getpass
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from assay.collector.commands import sweep
from assay.collector.stream import ARGV, Hello, Reader, request
from assay.engine.target import Captured, Event, Options, Unreachable
from assay.kit.reading import Reading
from assay.model.evidence import Capture
from assay.model.report import NodeRow, NodeState

GRACE = 5.0  # seconds after the deadline in which the agent ends by itself
LAST_WORDS = 0.2  # seconds for what it says on stderr after its output has ended
STDERR_KEPT = 4096


class Local:
    """The machine that Assay runs on."""

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self.name = socket.gethostname()

    def describe(self) -> Sequence[str]:
        """What will be done, one line each."""
        return (
            f"on this machine ({socket.gethostname()}), as {_user()}:",
            f"one process `{self._python} {' '.join(ARGV)}`, which reads files and runs commands,"
            " without a shell, and no others than those of `assay probes --commands`",
            "it writes no file, opens no connection, and ends when its deadline has come",
        )

    def collect(self, readings: Sequence[Reading], options: Options) -> Iterator[Event]:
        """Carry out *readings* here. Closing the iterator ends the agent and its commands."""
        mark = secrets.token_hex(8)
        agent = self._start()
        reader = Reader(readings)
        node = socket.gethostname()
        heard = bytearray()
        try:
            _send(agent, request(readings, options, mark))
            end = time.monotonic() + options.deadline + GRACE
            for data in _output(agent, end, heard):
                for frame in reader.feed(data):
                    if isinstance(frame, Capture):
                        yield Captured(node, frame)
                    elif isinstance(frame, Hello):
                        node = frame.hostname
                if reader.broken:
                    break
        finally:
            _stop(agent, mark, whole=reader.complete)
        yield _row(node, reader, heard)

    def _start(self) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(  # noqa: S603 - our own Python, our own program
                [self._python, *ARGV],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd="/",
                start_new_session=True,  # Ctrl-C is for us; we end it
                bufsize=0,
            )
        except OSError as error:
            raise Unreachable(f"cannot start {self._python}: {error.strerror}") from error


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in many containers
        return f"user {os.getuid()}"


def _send(agent: "subprocess.Popen[bytes]", stream: bytes) -> None:
    """Give the agent its program; if it is gone already its stderr will say why."""
    assert agent.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        view = memoryview(stream)
        while view:
            view = view[agent.stdin.write(view) :]
    with contextlib.suppress(BrokenPipeError):
        agent.stdin.close()


def _output(agent: "subprocess.Popen[bytes]", end: float, heard: bytearray) -> Iterator[bytes]:
    """What it prints until it closes its output or *end* has come; what it complains is heard."""
    assert agent.stdout is not None
    assert agent.stderr is not None
    out, err = agent.stdout.fileno(), agent.stderr.fileno()
    poll = select.poll()
    poll.register(out, select.POLLIN)
    poll.register(err, select.POLLIN)
    pipes = {out, err}
    while pipes and (left := end - time.monotonic()) > 0:
        for fd, _ in poll.poll(left * 1000):
            data = os.read(fd, 1 << 18)
            if not data:
                poll.unregister(fd)
                pipes.discard(fd)
                if fd == out:  # last words may follow, but are not waited for
                    end = min(end, time.monotonic() + LAST_WORDS)
            elif fd == out:
                yield data
            else:
                heard += data[: STDERR_KEPT - len(heard)]


def _stop(agent: "subprocess.Popen[bytes]", mark: str, *, whole: bool) -> None:
    """End the agent. One that did not come to its end by itself may have left commands behind."""
    for signum, patience in ((None, 0.5 if whole else 0.0), (signal.SIGTERM, 2.0)):
        if signum:
            agent.send_signal(signum)
        with contextlib.suppress(subprocess.TimeoutExpired):
            agent.wait(patience)
            break
    else:
        agent.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            agent.wait(1.0)  # the kernel may hold it in a system call for ever
    for pipe in (agent.stdin, agent.stdout, agent.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    if agent.returncode != 0:
        until = time.monotonic() + 1.0
        while sweep(f"/nonexistent/assay-{mark}") and time.monotonic() < until:
            time.sleep(0.005)


def _row(node: str, reader: Reader, heard: bytearray) -> NodeRow:
    why = reader.close()
    if not why:
        return NodeRow(node, NodeState.READ)
    if said := heard.decode("utf-8", "replace").strip():
        why += f" ({said.splitlines()[-1][:200]})"
    return NodeRow(node, NodeState.PARTIAL if reader.hello else NodeState.UNREAD, why)
