"""Build the stream that goes to a node, and read back the frames that come from it. No I/O."""

import hashlib
import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from assay.engine.target import Options
from assay.kit.reading import Reading, Via
from assay.model.evidence import Capture, Status

PROTOCOL = 1
ARGV = ("-I", "-S", "-")  # arguments of the node's Python: it reads the stream from its stdin

_OURS = re.compile(r"^from assay\.collector\.(\w+) import (?:\([^)]*\)|[^\n(]+)\n", re.MULTILINE)
_LINE = re.compile(
    rb"ASSAY/(\d{1,3}) ([0-9a-f]{16}) (\d{1,9}) (\d{1,9}) (\d{1,12}) ([0-9a-f]{64})\n"
)
_START = b"ASSAY/"
MOST_NOISE = 64 << 10  # bytes before the first frame, such as a login banner
MOST_HEADER = 64 << 10
MOST_LINE = 160
MOST_STREAM = 160 << 20  # bytes; the agent keeps less than half of it


@cache
def program() -> str:
    """The text of the program that goes to nodes, whole: read it to know what it can do."""
    return "".join(_joined("agent", set()))


def _joined(part: str, seen: set[str]) -> Iterator[str]:
    text = files("assay.collector").joinpath(f"{part}.py").read_text("ascii")
    for found in _OURS.finditer(text):
        if found.group(1) not in seen:
            seen.add(found.group(1))
            yield from _joined(found.group(1), seen)
    yield f"# --- assay/collector/{part}.py\n{_OURS.sub('', text)}\n"


def request(readings: Sequence[Reading], options: Options, mark: str = "") -> bytes:
    """The program and its reading list, ready for the stdin of a node's Python.

    One request serves all nodes of a run: without a salt in *options* it makes one up, and equal
    devices have equal hashes only under one salt. The processes of the run carry *mark* in their
    environment: by it strays can be found.
    """
    wanted = {
        "deadline": options.deadline,
        "salt": options.salt or secrets.token_hex(16),
        "identifying": options.identifying,
        "mark": mark or secrets.token_hex(8),
        "readings": [
            {
                "source": r.source,
                "via": r.via,
                "argv": r.argv,
                "glob": r.glob,
                "deadline": r.deadline,
                "cap": r.cap,
            }
            for r in {r.source: r for r in readings if r.via is not Via.SAVED}.values()
        ],
    }
    return f"{program()}\nmain({json.dumps(wanted)!r})\n".encode("ascii")


@dataclass(frozen=True, slots=True)
class Hello:
    """The node and the Python that carries out its reading list."""

    hostname: str
    python: str
    uid: int
    readings: int


@dataclass(frozen=True, slots=True)
class End:
    """The stream is whole: ``captures`` answers in ``seconds`` on the node's clock."""

    captures: int
    seconds: float


Frame = Hello | Capture | End


class _Broken(Exception):
    """These bytes are not what an agent writes."""


class Reader:
    """Reads one node's frames from bytes as they come; never raises, never keeps much.

    ``broken`` says why the rest of the stream cannot be trusted; frames before that count.
    """

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._asked: Mapping[str, Reading] = {r.source: r for r in readings}
        self._buffer = bytearray()
        self._stream = b""
        self._all = hashlib.sha256()
        self._next = 0
        self._size = 0
        self._captures: set[str] = set()
        self.hello: Hello | None = None
        self.complete = False
        self.broken = ""

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that *data* completes."""
        frames: list[Frame] = []
        if self.broken:
            return frames
        self._size += len(data)
        self._buffer += data
        try:
            while (frame := self._frame()) is not None:
                frames.append(frame)
        except _Broken as reason:
            self.broken = str(reason)
            self._buffer.clear()
        return frames

    def close(self) -> str:
        """No more bytes will come: why the stream is not whole, or nothing when it is."""
        if not self.broken and not self.complete:
            if self.hello is None:
                said = f": {self._said(200)}" if self._buffer else ""
                self.broken = f"no agent answered{said}"
            else:
                self.broken = (
                    f"cut off after {len(self._captures)} of {self.hello.readings} answers"
                )
        return self.broken

    def _frame(self) -> Frame | None:
        if self._size > MOST_STREAM:
            raise _Broken("the node sent more than an agent ever does")
        if self.complete and self._buffer:
            raise _Broken(f"{len(self._buffer)} bytes follow the end of the stream")
        line = self._line()
        if line is None:
            return None
        version, stream, number, head, body, digest = line.groups()
        if int(version) != PROTOCOL:
            raise _Broken(f"the agent speaks version {int(version)}, this Assay {PROTOCOL}")
        if self._next and stream != self._stream:
            raise _Broken("two agents' answers are mixed in one stream")
        if int(number) != self._next:
            raise _Broken(f"frame {int(number)} came where {self._next} was due")
        if int(head) > MOST_HEADER or int(body) > MOST_STREAM:
            raise _Broken("a frame is larger than an agent ever writes")
        begin = line.end()
        last = begin + int(head) + int(body)
        if len(self._buffer) <= last:
            return None
        claimed = b"%s %d %d %d" % (stream, int(number), int(head), int(body))
        content = bytes(self._buffer[begin:last])
        if hashlib.sha256(claimed + content).hexdigest().encode() != digest:
            raise _Broken(f"frame {int(number)} is damaged or mixed with another stream")
        if self._buffer[last : last + 1] != b"\n":
            raise _Broken(f"frame {int(number)} does not end where it says")
        frame = self._understood(content[: int(head)], content[int(head) :])
        self._stream = stream
        self._all.update(digest)
        self._next += 1
        del self._buffer[: last + 1]
        return frame

    def _line(self) -> "re.Match[bytes] | None":
        """The first line of the next frame, if it is whole."""
        if self._next == 0 and not self._skipped_noise():
            return None
        end = self._buffer.find(b"\n", 0, MOST_LINE)
        if end < 0 and len(self._buffer) < MOST_LINE:
            return None
        line = _LINE.fullmatch(self._buffer, 0, end + 1)
        if line is None:
            raise _Broken(self._garbled())
        return line

    def _skipped_noise(self) -> bool:
        """A login shell may greet before the agent speaks. True when it has spoken."""
        if not self._buffer.startswith(_START):
            start = self._buffer.find(b"\n" + _START)
            if start < 0:
                if len(self._buffer) > MOST_NOISE:
                    raise _Broken(f"no agent answered: {self._said(200)}")
                return False
            del self._buffer[: start + 1]
        return True

    def _said(self, most: int) -> str:
        return repr(bytes(self._buffer[:most]).decode("utf-8", "replace").strip())

    def _garbled(self) -> str:
        return f"after frame {self._next - 1} comes no frame but {self._said(60)}"

    def _understood(self, head: bytes, body: bytes) -> Frame:
        try:
            header: dict[str, Any] = json.loads(head)
            kind = header["kind"]
            if (kind == "hello") != (self._next == 0):
                raise _Broken(f"frame {self._next} is of kind {kind!r}")
            if kind == "hello":
                self.hello = Hello(
                    str(header["hostname"]),
                    str(header["python"]),
                    int(header["uid"]),
                    int(header["readings"]),
                )
                return self.hello
            if kind == "end":
                return self._end(header)
            return self._capture(header, body)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _Broken(f"frame {self._next} makes no sense: {error!r}") from error

    def _end(self, header: dict[str, Any]) -> End:
        if header["digest"] != self._all.hexdigest() or header["captures"] != len(self._captures):
            raise _Broken("frames are missing from the stream")
        self.complete = True
        return End(len(self._captures), float(header["seconds"]))

    def _capture(self, header: dict[str, Any], body: bytes) -> Capture:
        source = str(header["source"])
        asked = self._asked.get(source)
        if asked is None or source in self._captures:
            raise _Broken(f"an answer came that was not asked for: {source[:80]!r}")
        if len(body) > 2 * asked.cap + MOST_NOISE:  # hashes may be longer than names
            raise _Broken(f"the answer to {source[:80]!r} exceeds its cap")
        exit_code = header["exit_code"]
        self._captures.add(source)
        return Capture(
            source,
            body,
            Status(header["status"]),
            None if exit_code is None else int(exit_code),
            str(header["stderr"]),
            str(header["reason"]),
            float(header["seconds"]),
        )
