"""NVIDIA GPUs as ``nvidia-smi -q`` prints them, whole or cut down with ``-d``."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.probes.nvidia_lost import PLACE, Found, all_of
from assay.probes.nvidia_record import Record
from assay.probes.nvidia_words import bare, errors
from assay.probes.pasted import clean, count, tried

TEXT = saved(
    "nvidia-smi.q",
    looks_like=r"={3,40} ?NVSMI LOG ?={3,40}\s+Timestamp[^\n]*(?:\n[^\n]*){0,8}"
    r"|^[ \t]*GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7][ \t\r]*\n[ \t]+[A-Z][^\n]*",
)

_GPU = re.compile(r"(\s*)GPU ((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s*", re.IGNORECASE)
# What stands between the others for a GPU that does not even tell its address.
NO_ADDRESS = re.compile(
    r"Unable to determine the PCI bus id for the target device\b", re.IGNORECASE
)
_LABEL = re.compile(r"[A-Za-z][\w .()/-]*")
# Labels of the process list that the XML calls otherwise.
_PROCESS = {"process_id": "pid", "name": "process_name", "used_gpu_memory": "used_memory"}


@probe("nvidia.smi-text", reads=[TEXT])
def gpus(seen: Seen) -> Iterator[Found]:
    """NVIDIA GPUs in the text form of nvidia-smi's full query."""
    if tried(seen, TEXT) is None:
        return
    reader = _Reader()
    for line in clean(seen.text(TEXT)).expandtabs().split("\n"):
        reader.line(line)
    complaints = list(errors("\n".join(reader.outside)))
    yield from complaints
    if reader.attached is not None and reader.attached <= len(reader.whole):
        reader.records = reader.whole  # the sentences between them stand for no GPU
    yield from all_of(reader.records, complaints)
    if not reader.records:
        raise Unread(complaints[0].message if complaints else "`nvidia-smi -q` shows no GPU")
    lost = sum(c.kind == "device-lost" for c in complaints)
    shown = max(len(reader.records), len(reader.whole) + lost)
    if reader.attached is not None and reader.attached > shown:
        raise Unread(f"nvidia-smi counts {reader.attached} GPUs but describes {shown}")


class _Reader:
    """Indented labels into records, a line at a time."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.outside: list[str] = []
        self.attached: int | None = None
        self._driver = ""
        self._inside = False
        self._margin = 0
        self._above: list[tuple[int, str]] = []  # indent and name of the labels above

    @property
    def whole(self) -> list[Record]:
        """The GPUs that are described."""
        return [record for record in self.records if not record.lost]

    def line(self, line: str) -> None:
        """Read the next line."""
        head = _GPU.fullmatch(line)
        if head:
            self.records.append(Record(self._driver, {"id": head.group(2)}))
            self._inside, self._margin, self._above = True, len(head.group(1)), []
            return
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            return
        label, _, value = line.strip().partition(":")
        label, value = label.strip(), value.strip()
        if not self._inside or indent <= self._margin:
            self._inside = False
            self._top(label, value, line)
        elif _LABEL.fullmatch(label):
            self._value(indent, re.sub(r"\W+", "_", label.lower()).strip("_"), value)

    def _top(self, label: str, value: str, line: str) -> None:
        if label in ("Driver Version", "KMD Version"):
            self._driver = value
        elif label == "Attached GPUs":
            self.attached = count(value)
        else:
            self.outside.append(line)
            if NO_ADDRESS.match(line.strip()):
                place = {PLACE: str(len(self.records))}
                self.records.append(Record(values=place, lost=line.strip()[:300]))

    def _value(self, indent: int, label: str, value: str) -> None:
        while self._above and self._above[-1][0] >= indent:
            self._above.pop()
        path = [name for _, name in self._above] + [label]
        self._above.append((indent, label))
        record = self.records[-1]
        if path[0] == "mig_device":
            if len(path) == 1:
                record.migs.append({})
            elif record.migs:
                record.migs[-1].setdefault("/".join(path[1:]), value)
        elif path[0] == "processes":
            self._process(record, path, value)
        elif value:
            record.values.setdefault("/".join(path), value)

    def _process(self, record: Record, path: list[str], value: str) -> None:
        if len(path) == 1:
            if bare(value).lower() in ("", "none"):
                record.processes = []
        elif record.processes is not None:
            if path[-1] == "process_id":
                record.processes.append({})
            if record.processes:
                record.processes[-1].setdefault(_PROCESS.get(path[-1], path[-1]), value)
