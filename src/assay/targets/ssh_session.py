"""One node over ssh: its process, what it says and how it ended."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.collector.stream import Frame, Reader
from assay.model.report import NodeRow, NodeState
from assay.targets.hosts import Host
from assay.targets.ssh_command import HERE, Known
from assay.targets.ssh_reason import Words, dropped, last_line, refused, words

STDERR_KEPT = 4096  # bytes of its beginning, and as many of its end
MOST_STDERR = 1 << 20  # a login says less
LAST_WORDS = 0.3  # seconds for what is said on stderr after the output has ended
LEAVING = 1.0  # seconds in which a finished agent may end by itself
CHUNK = 1 << 18
SHOWN = 100  # characters of what came in place of an answer
FAILED = 255  # what ssh exits with when it is ssh that failed, see ssh(1)


@dataclass(slots=True)
class Session:
    """The reading of one node, from the start of its ssh to its row."""

    host: Host
    mark: str
    own: Known | None  # the user's configuration for it; None when it could not be asked
    socket: str
    by_hand: str
    process: "subprocess.Popen[bytes]"
    reader: Reader
    began: float
    until: float  # when it is given up
    attempt: int = 1
    here: float = 0.0  # when the node began to run what we gave it
    given_up: str = ""
    code: int | None = None  # its exit code, when it ended by itself
    pipes: set[int] = field(default_factory=set)
    _request: memoryview = field(default_factory=lambda: memoryview(b""))
    _stderr: bytearray = field(default_factory=bytearray)
    _heard: int = 0

    def __post_init__(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            self.pipes.add(pipe.fileno())

    @property
    def stdin(self) -> int:
        """Where the request goes."""
        assert self.process.stdin is not None
        return self.process.stdin.fileno()

    @property
    def stdout(self) -> int:
        """Where the frames come from."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    @property
    def stderr(self) -> int:
        """Where ssh, the node's shell and the agent complain."""
        assert self.process.stderr is not None
        return self.process.stderr.fileno()

    @property
    def over(self) -> bool:
        """Is there nothing more to hear?"""
        return self.stdout not in self.pipes and self.stderr not in self.pipes

    def hear_frames(self, now: float) -> list[Frame]:
        """What has come on stdout; at most one chunk, for the others wait too."""
        data = self._read(self.stdout)
        if data is None:
            return []
        if not data:
            self.pipes.discard(self.stdout)
            self.until = min(self.until, now + LAST_WORDS)
            return []
        if self.reader.complete:  # a shell's farewell is no part of the stream
            return []
        frames = self.reader.feed(data)
        if self.reader.complete:
            self.until = min(self.until, now + LEAVING)
        elif self.reader.broken:
            self.until = now
        return frames

    def hear_words(self, now: float) -> bool:
        """What has come on stderr; True when the node has just begun to run our command."""
        data = self._read(self.stderr)
        if data is None:
            return False
        if not data:
            self.pipes.discard(self.stderr)
            return False
        self._heard += len(data)
        self._stderr += data
        begun = not self.here and f"assay {self.mark} {HERE}".encode() in self._stderr
        if begun:
            self.here = now
        if len(self._stderr) > 2 * STDERR_KEPT:
            del self._stderr[STDERR_KEPT:-STDERR_KEPT]
        if self._heard > MOST_STDERR and not self.given_up:
            self.given_up = f"it floods its error output: {last_line(self.said)!r}"
            self.until = now
        return begun

    def ask(self, request: bytes) -> None:
        """The node is to be given *request*."""
        self._request = memoryview(request)

    def send(self) -> bool:
        """Send what it takes of the request; True when there is nothing more to send."""
        try:
            while self._request:
                self._request = self._request[os.write(self.stdin, self._request) :]
        except BlockingIOError:
            return False
        except BrokenPipeError:
            pass  # it is gone: its stderr will say why
        self.pipes.discard(self.stdin)
        assert self.process.stdin is not None
        self.process.stdin.close()
        return True

    @property
    def said(self) -> str:
        """Everything on stderr but for the words of our own command."""
        return self._words().rest

    def _words(self) -> Words:
        return words(self._stderr.decode("utf-8", "replace"), self.mark)

    @staticmethod
    def _read(fd: int) -> bytes | None:
        try:
            return os.read(fd, CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def time_is_up(self, now: float) -> None:
        """Its time is over: why, unless it has ended or is about to."""
        if not (self.given_up or self.reader.complete or self.reader.broken or self.ending):
            self.given_up = f"given up after {now - self.began:.0f} s"

    @property
    def ending(self) -> bool:
        """Has its output ended?"""
        return self.stdout not in self.pipes

    @property
    def hung(self) -> bool:
        """May something of ours still be running there, though its time is over?"""
        return bool(self.given_up) and self.here > 0 and self.code is None

    @property
    def again(self) -> bool:
        """Is another try worth while?"""
        hung_up = self.code == FAILED and not self.here and not self.given_up
        return hung_up and self.attempt == 1 and dropped(self.said)

    def row(self) -> NodeRow:
        """What became of it. The process has ended."""
        if self.reader.complete:
            return NodeRow(self.host.name, NodeState.READ)
        if self.reader.hello is None:
            return NodeRow(self.host.name, NodeState.UNREAD, self._unread())
        why = self.reader.close()
        if self.given_up:
            why = f"{self.given_up}: {why}"
        elif self.code == FAILED:
            why = f"the connection was lost: {why} ({last_line(self.said) or 'without a word'})"
        elif self.said.strip():
            why += f" ({last_line(self.said)})"
        return NodeRow(self.host.name, NodeState.PARTIAL, why)

    def _unread(self) -> str:
        told = self._words()
        noise = self.reader.close().partition("no agent answered: ")[2]
        heard = noise[:SHOWN] or last_line(told.rest)
        more = f" ({heard})" if heard else ""
        if told.old:
            return f"its Python is {told.old}; 3.6 or newer is needed"
        if told.none:
            return "it has no python3 (looked in PATH, /usr/bin, /usr/local/bin and /usr/libexec)"
        if told.here:
            return (self.given_up or "its Python ended without an answer") + more
        return self._outside(told.rest, noise, more)

    def _outside(self, said: str, noise: str, more: str) -> str:
        """Why our command was not even begun."""
        if self._heard > MOST_STDERR:
            return self.given_up
        if self.given_up and not noise:
            return f"{self.given_up}: it did not begin our command{more}; try `{self.by_hand}`"
        if self.code == FAILED:
            return refused(said, self.own, self.by_hand, self.host.address)
        return (
            "it let us in and then ran something else than our command (a forced command, an"
            f" account without a shell?){more or ', without a word'}"
        )


def finish(sessions: Sequence[Session], told: Callable[[int], None], patience: float = 1.0) -> None:
    """End the processes of *sessions*, their proxies included, all at once; close their pipes."""
    for session in sessions:
        if session.over:  # it is about to exit by itself, and its code tells why
            with contextlib.suppress(subprocess.TimeoutExpired):
                session.process.wait(LAST_WORDS)
        session.code = session.process.poll()
        if session.code is None:
            _signal(session, signal.SIGTERM)
    until = time.monotonic() + patience
    for session in sessions:
        with contextlib.suppress(subprocess.TimeoutExpired):
            session.process.wait(max(0.0, until - time.monotonic()))
    for session in sessions:
        if session.process.returncode is None:
            _signal(session, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                session.process.wait(1.0)
        told(session.process.pid)
        for pipe in (session.process.stdin, session.process.stdout, session.process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _signal(session: Session, signum: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session.process.pid, signum)
