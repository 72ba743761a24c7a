"""The program that goes to nodes: it carries out a reading list and prints the answers.

It is sent with its list as one stream to `python3 -I -S -`, so nothing is left on a node; stream.py
joins the files that it imports from here into that one text. It writes no file, opens no
connection, interprets nothing, and runs nothing but the commands of its list. Python 3.6, standard
library only.

Nothing that it meets may hang it: every reading has a deadline and all together have one, a thread
that the kernel does not let go is left behind, and when nobody reads the answers any more, the
commands are killed and the program ends.

Answers leave as frames: a line ``ASSAY/1 STREAM NUMBER HEADER-BYTES BODY-BYTES SHA256``, a header
in JSON, a body, a newline. The first frame tells about the node, the last one closes the stream
with the digest of all others.
"""

import collections
import hashlib
import json
import os
import resource
import select
import signal
import sys
import threading
import time
import traceback

from assay.collector.commands import FAILED, TIMEOUT, TRUNCATED, Answer, Commands
from assay.collector.files import Pack, statfs
from assay.collector.identities import Redactor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PROTOCOL = 1
WORKERS = 8
ALL_KEPT = 64 << 20  # bytes of all answers together
GRACE = 1.0  # seconds after a deadline until a thread is left behind
HUMANS = range(1000, 60000)  # user ids that adduser gives to people


class Frames:
    """Writes frames to a file descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._stream = os.urandom(8).hex()
        self._all = hashlib.sha256()
        self.count = 0

    def write(self, header: "dict[str, object]", body: bytes = b"") -> None:
        """One frame; blocks while the reader is slow."""
        head = json.dumps(header, sort_keys=True).encode("ascii")
        line = "%s %d %d %d" % (self._stream, self.count, len(head), len(body))
        digest = hashlib.sha256(line.encode() + head + body).hexdigest()
        self._all.update(digest.encode())
        self.count += 1
        self._send(("ASSAY/%d %s %s\n" % (PROTOCOL, line, digest)).encode() + head)
        self._send(body + b"\n")

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]

    def close(self, captures: int, seconds: float) -> None:
        """The last frame."""
        digest = self._all.hexdigest()
        self.write(
            {"kind": "end", "captures": captures, "digest": digest, "seconds": round(seconds, 4)}
        )


class Work:
    """The reading list, the threads that carry it out, and the answers as they come."""

    def __init__(self, readings: "list[dict[str, Any]]", run: "Callable[..., Answer]", end: float):
        self._run = run
        self._end = end
        self._lock = threading.Lock()
        # commands take longest: they start first
        self._todo = collections.deque(sorted(readings, key=lambda r: r["via"] != "command"))
        self._busy = {}  # type: dict[str, float]
        self._done = collections.deque()  # type: collections.deque[tuple[str, Answer]]
        self._room = threading.Semaphore(WORKERS)
        self.open = len(readings)
        self.awake, self._wake = os.pipe()
        for _ in range(min(WORKERS, len(readings))):
            self._hire()

    def _hire(self) -> None:
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                started = time.monotonic()
                if not self._todo or started > self._end:
                    return
                reading = self._todo.popleft()
                source = reading["source"]
                until = min(started + reading["deadline"], self._end)
                self._busy[source] = until
            try:
                answer = self._run(reading, until)
            except Exception as error:
                answer = Answer(FAILED, reason="%s: %s" % (type(error).__name__, error))
            answer.seconds = time.monotonic() - started
            with self._lock:
                if self._busy.pop(source, None) is None:  # given up already, and replaced
                    return
                self._done.append((source, answer))
            os.write(self._wake, b".")
            self._room.acquire()  # a slow reader of the answers slows us down

    def take(self) -> "tuple[str, Answer] | None":
        """The next answer, if one has come."""
        with self._lock:
            if not self._done:
                return None
            self.open -= 1
            self._room.release()
            return self._done.popleft()

    def give_up(self, now: float) -> None:
        """Leave behind the threads that are overdue; at the very end, everything unfinished."""
        with self._lock:
            for source, until in list(self._busy.items()):
                if now > until + GRACE:
                    del self._busy[source]
                    reason = "the system did not answer; its thread was left behind"
                    self._done.append((source, Answer(TIMEOUT, reason=reason)))
                    self._hire()
            while now > self._end and self._todo:
                reason = "not begun when the time for all readings was over"
                self._done.append((self._todo.popleft()["source"], Answer(TIMEOUT, reason=reason)))


def carry_out(
    reading: "dict[str, Any]", until: float, commands: Commands, redactor: Redactor
) -> Answer:
    """One reading of the list; nothing is in the answer that must not leave the node."""
    where = reading["source"].encode("utf-8", "surrogateescape")
    if reading["via"] == "command":
        answer = commands.run(reading["argv"], int(reading["cap"]), until)
        answer.body = redactor(answer.body, where)
        answer.stderr = redactor(answer.stderr, where)
    else:
        answer = gathered(reading, until, redactor)
    reason = answer.reason.encode("utf-8", "surrogateescape")
    answer.reason = redactor(reason, b"").decode("utf-8", "replace")
    return answer


def gathered(reading: "dict[str, Any]", until: float, redactor: Redactor) -> Answer:
    """A pack of files, listings, links or file systems."""
    via = reading["via"]
    pack = Pack(int(reading["cap"]))
    if via == "statfs":
        statfs(pack, until)
    elif via in ("files", "listing", "links"):
        pack.read(via, reading["glob"], until)
    else:
        return Answer(FAILED, reason="this collector cannot read via %r" % via)
    pack.entries = redactor.pack(pack.entries)
    return pack.answer()


def people() -> "dict[bytes, bytes]":
    """Names and homes of the human users of this machine."""
    found = {}
    try:
        with open("/etc/passwd", "rb") as file:
            lines = file.read(4 << 20).split(b"\n")
    except OSError:
        return {}
    for line in lines:
        fields = line.split(b":")
        if len(fields) == 7 and fields[2].isdigit() and int(fields[2]) in HUMANS:
            found[fields[0]] = fields[5]
    return found


def collect(request: "dict[str, Any]", commands: Commands, frames: Frames) -> None:
    """Carry out the whole list and write the frames."""
    began, parent = time.monotonic(), os.getppid()
    end = began + float(request["deadline"])
    frames.write(
        {
            "kind": "hello",
            "protocol": PROTOCOL,
            "hostname": os.uname().nodename,
            "python": "%d.%d.%d" % sys.version_info[:3],
            "uid": os.getuid(),
            "readings": len(request["readings"]),
        }
    )
    looking = threading.Thread(target=commands.look, daemon=True)
    looking.start()
    looking.join(2.0)
    redactor = Redactor(request["salt"].encode(), request["identifying"], people())

    def run(reading: "dict[str, Any]", until: float) -> Answer:
        return carry_out(reading, until, commands, redactor)

    work = Work(request["readings"], run, end)
    poll = select.poll()
    poll.register(work.awake, select.POLLIN)
    poll.register(1, 0)  # tells when nobody reads our answers any more
    room, captures = ALL_KEPT, 0
    while work.open:
        for fd, event in poll.poll(250):
            if fd == 1 and event & (select.POLLERR | select.POLLHUP):
                raise BrokenPipeError
            if fd == work.awake:
                os.read(fd, 4096)
        if os.getppid() != parent:
            raise BrokenPipeError
        work.give_up(time.monotonic())
        found = work.take()
        while found is not None:
            source, answer = found
            room -= len(answer.body)
            if room < 0 and answer.body:
                answer.body, answer.status = b"", TRUNCATED
                answer.reason = "all answers together exceed %d bytes" % ALL_KEPT
            frames.write(described(source, answer), answer.body)
            captures += 1
            found = work.take()
    frames.close(captures, time.monotonic() - began)


def described(source: str, answer: Answer) -> "dict[str, object]":
    """The header of an answer's frame."""
    return {
        "kind": "capture",
        "source": source,
        "status": answer.status,
        "exit_code": answer.exit_code,
        "seconds": round(answer.seconds, 4),
        "stderr": answer.stderr.decode("utf-8", "replace"),
        "reason": answer.reason,
    }


def main(text: str) -> None:
    """Carry out the request in *text* and end the process, whatever happens."""
    request = json.loads(text)
    commands = Commands(request["mark"])

    def leave(*_: object) -> None:
        commands.end()
        os._exit(75)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM):
        signal.signal(number, leave)
    # the backstop, should even writing an answer hang
    signal.setitimer(signal.ITIMER_REAL, float(request["deadline"]) + 2 * GRACE + 5)
    os.umask(0o077)
    os.chdir("/")
    os.nice(5)  # jobs of others come first
    # a crashing command leaves no core file; at 1 the kernel does not even start a core handler
    most = min(1, resource.getrlimit(resource.RLIMIT_CORE)[1] & 1)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    try:
        collect(request, commands, Frames(1))
    except BrokenPipeError:
        leave()
    except Exception:
        commands.end()
        sys.stderr.write(traceback.format_exc())
        sys.stderr.flush()
        os._exit(70)
    commands.end()
    os._exit(0)
