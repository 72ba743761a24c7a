"""One pass over many nodes with ssh: who is begun, heard, given up, and when."""

import contextlib
import math
import os
import resource
import secrets
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.collector.stream import Reader, request
from assay.engine.target import Captured, Event, Options, Unreachable
from assay.kit.reading import Reading
from assay.model.evidence import Capture
from assay.model.report import NodeRow, NodeState
from assay.targets.hosts import Host
from assay.targets.ssh_command import Client, Known, known, remote, sweep
from assay.targets.ssh_session import Session, finish
from assay.targets.ssh_watch import Watch

QUIET = 2.0  # seconds after which a login that says nothing no longer takes a place
MOST_OPEN = 256  # nodes at a time, whatever they do
FILES = 4  # descriptors of an open node, with one to spare
CONNECT = 10  # seconds until a node has to have answered at all
LAST = 1.0  # seconds of a node's time in which its last answers travel
GRACE = 3.0  # seconds after the deadline in which agents end by themselves
LEAST = 2.0  # seconds: with less than this left, a node is not begun
PAUSE = 0.7  # seconds before the second try
ASKING = 1.0  # seconds for `ssh -G`


class Run:
    """One pass over all nodes."""

    def __init__(
        self,
        nodes: Sequence[Host],
        client: Client,
        readings: Sequence[Reading],
        options: Options,
        watch: Watch,
        logins: int,
        per_node: float,
    ) -> None:
        self._client = client
        self._logins = logins
        self._per_node = per_node
        self._readings = readings
        self._options = replace(options, salt=options.salt or secrets.token_hex(16))
        self._watch = watch
        self._mark = secrets.token_hex(8)
        self._requests: dict[float, bytes] = {}
        self._end = time.monotonic() + options.deadline
        self._last_start = self._end - min(LEAST, options.deadline / 2)
        self._waiting = deque((node, number) for number, node in enumerate(nodes, 1))
        self._later: deque[tuple[float, Host, int]] = deque()
        self._open: dict[int, Session] = {}
        self._select = selectors.DefaultSelector()
        self._most = _most_open()
        self._asks = True

    def events(self) -> Iterator[Event]:
        """The answers of all nodes as they come."""
        while self._waiting or self._later or self._open:
            now = time.monotonic()
            self._begin(now)
            for key, _ in self._select.select(self._patience(now)):
                session: Session = key.data
                yield from self._serve(session, key.fd)
            yield from self._finished()
            yield from self._too_late()

    def end(self) -> None:
        """End whatever is still open."""
        with contextlib.suppress(Exception):
            self._select.close()
        finish(list(self._open.values()), self._watch.ended)
        self._open.clear()

    def _begin(self, now: float) -> None:
        """Start as many nodes as there is room for."""
        while self._later and self._later[0][0] <= now:
            _, node, number = self._later.popleft()
            self._start(node, number, attempt=2)
        while self._waiting and self._room(now) and now < self._last_start:
            node, number = self._waiting.popleft()
            self._start(node, number)
            now = time.monotonic()

    def _room(self, now: float) -> bool:
        if len(self._open) >= self._most:
            return False
        logins = sum(not s.here and now - s.began < QUIET for s in self._open.values())
        return logins < self._logins

    def _start(self, node: Host, number: int, attempt: int = 1) -> None:
        own = self._ask(node)
        began = time.monotonic()
        until = min(began + self._per_node, self._end)
        socket = f"{self._watch.folder}/{number}"
        connect = max(1, min(CONNECT, int(until - began - 0.5)))  # ssh knows why; we only when
        argv = self._client.argv(node, remote(self._mark), connect, socket, own)
        process = self._spawn(argv)
        self._watch.begun(process.pid)
        session = Session(
            *(node, self._mark, own, socket, self._client.by_hand(node), process),
            *(Reader(self._readings), began, until, attempt),
        )
        self._open[number] = session
        self._select.register(session.stdout, selectors.EVENT_READ, session)
        self._select.register(session.stderr, selectors.EVENT_READ, session)

    def _spawn(self, argv: Sequence[str]) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(  # noqa: S603 - the system's ssh
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(),
                start_new_session=True,  # no terminal: whoever would ask there is refused instead
                bufsize=0,
            )
        except OSError as error:
            raise Unreachable(f"cannot start {argv[0]}: {error.strerror}") from error

    def _ask(self, node: Host) -> Known | None:
        """The user's own settings for *node*; None when ssh does not tell them in time."""
        if not self._asks:
            return None
        try:
            done = subprocess.run(  # noqa: S603 - the system's ssh; it connects to nothing
                self._client.asks(node),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=_environment(),
                timeout=ASKING,
                check=True,
                start_new_session=True,
            )
        except subprocess.CalledProcessError:
            return None  # what is wrong ssh will say again, and then it is this node's reason
        except subprocess.TimeoutExpired:
            self._asks = False  # a configuration that runs slow programs: not for every node
            return None
        except OSError as error:
            raise Unreachable(f"cannot start {self._client.program}: {error.strerror}") from error
        return known(done.stdout.decode("utf-8", "replace"))

    def _serve(self, session: Session, fd: int) -> Iterator[Event]:
        """Something has come from *session*, or it takes more."""
        now = time.monotonic()
        if fd not in session.pipes:
            return
        if fd == session.stdout:
            for frame in session.hear_frames(now):
                if isinstance(frame, Capture):
                    yield Captured(session.host.name, frame)
        elif fd == session.stderr:
            if session.hear_words(now):
                session.ask(self._request(session.until - now))
                session.until += GRACE
                self._select.register(session.stdin, selectors.EVENT_WRITE, session)
        else:
            self._select.unregister(fd)
            if not session.send():
                self._select.register(fd, selectors.EVENT_WRITE, session)
            return
        if fd not in session.pipes:
            self._select.unregister(fd)

    def _request(self, left: float) -> bytes:
        """The program and its list, for a node that has *left* seconds."""
        deadline = max(1.0, math.floor((left - LAST) * 2) / 2)  # halves: few distinct requests
        if deadline not in self._requests:
            options = replace(self._options, deadline=deadline)
            self._requests[deadline] = request(self._readings, options, self._mark)
        return self._requests[deadline]

    def _patience(self, now: float) -> float:
        """Seconds until there is something to do, though nothing has come."""
        times = [self._last_start, self._end] if self._waiting else []
        times += [s.until for s in self._open.values()]
        times += [s.began + QUIET for s in self._open.values() if self._waiting and not s.here]
        times += [self._later[0][0]] if self._later else []
        coming = [at for at in times if at > now]
        passed = any(s.until <= now or s.over for s in self._open.values())
        return 0.0 if passed or not coming else min(coming) - now + 0.001

    def _finished(self) -> Iterator[Event]:
        """The rows of the nodes that have come to an end, or whose time is over."""
        now = time.monotonic()
        done = {n: s for n, s in self._open.items() if s.over or now >= s.until}
        if not done:
            return
        for session in done.values():
            session.time_is_up(now)
            for fd in session.pipes:
                with contextlib.suppress(KeyError):
                    self._select.unregister(fd)
        self._end_hung([session for session in done.values() if session.hung])
        finish(list(done.values()), self._watch.ended)
        for number, session in done.items():
            del self._open[number]
            if session.again and now < self._last_start - PAUSE:
                self._later.append((now + PAUSE, session.host, number))
            else:
                yield session.row()

    def _end_hung(self, hung: Sequence[Session]) -> None:
        """What is stuck on a node does not see us go: end it, through the open connection."""
        ours = [s for s in hung if s.own and Path(s.socket).is_socket()]
        argvs = [self._client.again(s.host, sweep(self._mark), s.socket) for s in ours]
        started = [
            subprocess.Popen(  # noqa: S603 - the system's ssh
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                start_new_session=True,
            )
            for argv in argvs
        ]
        until = time.monotonic() + 1.0
        for process in started:
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _too_late(self) -> Iterator[Event]:
        """Nodes that were not begun, for the time was over."""
        if self._waiting and time.monotonic() >= self._last_start:
            for node, _ in self._waiting:
                why = f"not begun when the {self._options.deadline:g} s for all nodes were over"
                yield NodeRow(node.name, NodeState.UNREAD, why)
            self._waiting.clear()


def _environment() -> dict[str, str]:
    """The user's, without what could open a window to ask for a password."""
    without = ("SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY")
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return kept | {"SSH_ASKPASS_REQUIRE": "never"}


def _most_open() -> int:
    """How many nodes our descriptors allow."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_OPEN
    return max(1, min(MOST_OPEN, (soft - 64) // FILES))
