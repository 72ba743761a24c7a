"""The answers of many tasks on the one pipe of ``srun --label``, told apart again. No I/O."""

import binascii
import re
import secrets
import shlex
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from assay.collector.stream import Frame, Reader, request
from assay.engine.target import Options
from assay.kit.reading import Reading

LONGEST = 8 << 10  # bytes of a line; srun breaks its own at 1 KiB and a label
MOST_NOISE = 64 << 10  # bytes that a task may say beside its answers, such as a prolog's greeting
PYTHONS = ("/usr/bin/python3", "/usr/libexec/platform-python", "/usr/local/bin/python3")

_LABELLED = re.compile(rb" *(\d{1,7}): ?(.*)", re.DOTALL)
_LAUNCHING = re.compile(r"srun: launching (?:StepId=)?\S+ on host (\S+?), 1 tasks: (\d+)\s*")
_ON_NODE = re.compile(r"srun: error: Task launch for \S+ failed on node (\S+?): (.*)")
_NODE_FAILED = re.compile(r"srun: error: Node failure on (\S+)")
_TASK_ENDED = re.compile(r"srun: error: (\S+): tasks? ([\d,-]+): (.*)")
_STARTED = re.compile(r"srun: \S*\s*_task_start: Node (\S+), \d+ tasks started")
_OWN = re.compile(r"srun: (?:error: )?(.*)")
_NO_MATTER = re.compile(r"lacks support for cpu binding|Received task exit|mpi/pmix")


@cache
def carrier() -> str:
    """The text of the program that carries an agent's answers through srun."""
    return files("assay.targets").joinpath("slurm_carrier.py").read_text("ascii")


def command(
    readings: Sequence[Reading], options: Options, pythons: Sequence[str] = PYTHONS
) -> list[str]:
    """What each task runs: the agent with its carrier, in the arguments of the node's Python.

    Not by stdin: srun passes none of it on until every node has begun the step, and one hung
    node would keep the program from all others. Every task marks its processes with a word of its
    own, so that several on one machine do not sweep each other's away.
    """
    mark = secrets.token_hex(8)
    text = f"{carrier()}\ncarry()\n".encode() + request(readings, options, mark)
    packed = b64encode(zlib.compress(text, 9)).decode()
    tries = " ".join(shlex.quote(python) for python in pythons)
    boot = (
        "import binascii,os,sys,zlib;"
        "exec(zlib.decompress(binascii.a2b_base64(sys.argv[1]))"
        f".replace(b'{mark}',binascii.b2a_hex(os.urandom(8))))"
    )
    script = (
        f"for p in {tries}; do"
        f' [ -x "$p" ] && exec "$p" -I -S -c "{boot}" "$0"; done;'
        f" echo 'no Python 3 among {' '.join(pythons)}' >&2; exit 127"
    )
    return ["/bin/sh", "-c", script, packed]


def keep(kept: bytearray, line: bytes, most: int) -> None:
    """Remember *line*, while there are less than *most* bytes."""
    if len(kept) < most:
        kept += line[:most] + b"\n"


class Voice:
    """One task of the step. ``node`` is where it runs, as far as it is known."""

    def __init__(self, node: str, readings: Sequence[Reading]) -> None:
        self.node = node
        self.reader = Reader(readings)
        self.broken = ""
        self.noise = bytearray()  # the head of what it said beside its answers
        self.heard = bytearray()  # the head of what it complained
        self._noisy = 0
        self._inflate = zlib.decompressobj()

    @property
    def over(self) -> bool:
        """Nothing more is to be expected from it."""
        return bool(self.broken) or self.reader.complete

    def line(self, text: bytes) -> list[Frame]:
        """The frames that this line of its output completes."""
        if self.broken:
            return []
        if not text.startswith(b"=Z"):
            self._aside(text)
            return []
        if not self.node:
            self.broken = "it answered before it said on which node it runs"
            return []
        try:
            data = self._inflate.decompress(binascii.a2b_base64(text[2:], strict_mode=True))
        except (binascii.Error, zlib.error) as error:
            self.broken = f"its output was damaged on the way ({error})"
            return []
        frames = self.reader.feed(data)
        self.broken = self.reader.broken
        return frames

    def _aside(self, text: bytes) -> None:
        self._noisy += len(text) + 1
        keep(self.noise, text, 400)
        if self._noisy > MOST_NOISE:
            said = self.noise.decode("utf-8", "replace").strip()[:80]
            self.broken = f"it floods its output, and not with answers: {said!r}"

    def why(self) -> str:
        """Why its answers are not whole; nothing when they are."""
        reason = self.broken or self.reader.close()
        if reason and (said := _last_line(self.heard) or _last_line(self.noise)):
            reason += f" ({said})"
        return reason


class Voices:
    """Everything that one srun prints."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._readings = readings
        self._tasks: dict[int, Voice] = {}
        self._names: dict[str, int] = {}
        self._rest = {"out": b"", "err": b""}
        self.hindered: dict[str, str] = {}  # node -> why it did not begin; ends the whole step
        self.ended: dict[str, str] = {}  # node -> how its task ended, if not well
        self.started: set[str] = set()  # nodes whose slurmd began the step
        self.launched: dict[str, int] = {}  # node -> task, as srun tells
        self.complaint = ""  # srun's own last words

    def out(self, data: bytes) -> Iterator[tuple[Voice, list[Frame]]]:
        """Who spoke, and the frames that *data* of srun's stdout completes."""
        for line in self._lines("out", data):
            found = _LABELLED.fullmatch(line)
            if not found:
                continue  # srun's own output, or a piece of a line that was too long
            voice = self._voice(int(found[1]))
            if found[2].startswith(b"=N "):
                self._named(int(found[1]), found[2][3:].decode("utf-8", "replace"))
            else:
                yield voice, voice.line(found[2])

    def err(self, data: bytes) -> None:
        """Listen to srun's stderr: where tasks run, and what went wrong."""
        for line in self._lines("err", data):
            found = _LABELLED.fullmatch(line)
            if found:
                keep(self._voice(int(found[1])).heard, found[2], 4096)
            else:
                self._own(line.decode("utf-8", "replace").strip())

    def of(self, node: str) -> Voice | None:
        """The task on *node*, if one has spoken or been launched."""
        at = self.launched.get(node, self._names.get(node))
        return None if at is None else self._tasks.get(at)

    def _own(self, line: str) -> None:
        if found := _LAUNCHING.fullmatch(line):
            self.launched[found[1]] = int(found[2])
            self._voice(int(found[2])).node = found[1]
        elif found := _ON_NODE.fullmatch(line):
            self.hindered.setdefault(found[1], f"its slurmd did not begin the step: {found[2]}")
        elif found := _NODE_FAILED.fullmatch(line):
            self.hindered.setdefault(found[1], "the node failed while it was asked")
        elif found := _TASK_ENDED.fullmatch(line):
            self.ended.setdefault(found[1], found[3])
        elif found := _STARTED.fullmatch(line):
            self.started.add(found[1])
        elif (found := _OWN.fullmatch(line)) and " error: " in line and not _NO_MATTER.search(line):
            self.complaint = found[1][:200]

    def _voice(self, task: int) -> Voice:
        if task not in self._tasks:
            self._tasks[task] = Voice("", self._readings)
        return self._tasks[task]

    def _named(self, task: int, name: str) -> None:
        """A task says on which node it runs; srun's word counts more."""
        voice = self._voice(task)
        if voice.node:
            if voice.node != name:
                voice.broken = f"it calls itself {name[:80]!r}"
        elif self._names.setdefault(name, task) != task:
            voice.broken = f"two tasks call themselves {name[:80]!r}"
        else:
            voice.node = name

    def _lines(self, pipe: str, data: bytes) -> list[bytes]:
        *whole, rest = (self._rest[pipe] + data).split(b"\n")
        self._rest[pipe] = rest if len(rest) <= LONGEST else b""
        return whole


def _last_line(said: bytearray) -> str:
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
