"""amd-smi's JSON and its indented text as the same records: one mapping for each GPU.

JSON is a list of GPUs, since ROCm 7 inside ``{"gpu_data": [...]}``, and ``amd-smi xgmi`` prints
several lists. The text form has the same keys in capitals, indented by four, long lists wrapped.
"""

import re
from collections.abc import Iterator
from typing import Any

from assay.kit.seen import Unread
from assay.probes.pasted import documents, words

AMD = "amd"  # the vendor's id
Record = dict[str, Any]

_GPU = re.compile(r"^(\s*)(GPU|CPU|NIC|CORE):\s*(\d+)\s*$")
_PAIR = re.compile(r"^(\s*)([A-Za-z][A-Za-z0-9_ /()%-]*):(?:\s+(.*))?$")
_GPU_LISTS = ("gpu_data", "gpus", "gpu")


def from_json(text: str) -> list[Record]:
    """The records of all GPUs in *text*; parts about one GPU are put together."""
    by_gpu: dict[int, Record] = {}
    found = documents(text, "amd-smi's output")
    for document in found:
        for record in _gpus(document):
            index = record.get("gpu")
            if isinstance(index, int) and not isinstance(index, bool):
                _merge(by_gpu.setdefault(index, {}), record)
    if not by_gpu and not any(d == [] or _LISTS.intersection(_keys(d)) for d in found):
        raise Unread("amd-smi's output is JSON about something else")
    return [by_gpu[index] for index in sorted(by_gpu)]


_LISTS = frozenset({"gpu", "gpu_data", "cpu_data"})


def _keys(document: object) -> set[str]:
    """The keys of a mapping, or of the first mapping in a list."""
    if isinstance(document, list):
        document = next((item for item in document if isinstance(item, dict)), None)
    return {str(key) for key in document} if isinstance(document, dict) else set()


def _merge(into: Record, record: Record) -> None:
    """Put *record* over *into*, but keep the state of links by peer over that by port."""
    kept = into.get("link_status")
    into.update(record)
    if isinstance(kept, list) and "SELF" in kept:
        into["link_status"] = kept


def _gpus(document: object, depth: int = 0) -> Iterator[Record]:
    if isinstance(document, list):
        for item in document:
            if depth < 4:
                yield from _gpus(item, depth + 1)
    elif isinstance(document, dict):
        if not isinstance(document.get("gpu"), int) or any(
            isinstance(document.get(key), list) for key in _GPU_LISTS
        ):
            for value in document.values():
                if isinstance(value, list) and depth < 4:
                    yield from _gpus(value, depth + 1)
        else:
            yield {str(key).lower(): value for key, value in document.items()}


def from_text(text: str) -> list[Record]:
    """The records of all GPUs in indented text; a GPU that comes twice is put together."""
    by_gpu: dict[int, Record] = {}
    block: list[str] | None = None
    index = -1
    for line in [*text.split("\n"), "GPU: 0"]:
        head = _GPU.match(line)
        if head is None:
            if block is not None:
                block.append(line)
            continue
        if block is not None:
            by_gpu.setdefault(index, {"gpu": index}).update(_tree(_joined(block)))
        block, index = ([], int(head.group(3)[:9])) if head.group(2) == "GPU" else (None, -1)
    if not by_gpu:
        raise Unread("amd-smi's output names no GPU")
    return [by_gpu[index] for index in sorted(by_gpu)]


def _joined(lines: list[str]) -> list[str]:
    """Lists that were wrapped over several lines, back on one line each."""
    out: list[str] = []
    for line in lines:
        if out and out[-1].count("[") > out[-1].count("]") and len(out[-1]) < 4096:
            out[-1] += " " + line.strip()
        else:
            out.append(line)
    return out


def _tree(lines: list[str]) -> Record:
    """Nested mappings by indentation. A key that comes again on its level becomes a list."""
    root: Record = {}
    levels: list[tuple[int, Record]] = [(-1, root)]
    for line in lines:
        pair = _PAIR.match(line)
        if pair is None:
            if line.strip() and not line[:1].isspace():
                break  # back at the prompt, or a table after the tree
            continue
        depth = len(pair.group(1).expandtabs(4))
        if depth == 0:
            break
        while levels[-1][0] >= depth:
            levels.pop()
        key = pair.group(2).strip().lower().replace(" ", "_")
        value: Any = (pair.group(3) or "").strip()
        child: Record = {}
        _put(levels[-1][1], key, value or child)
        if not value and len(levels) < 16:
            levels.append((depth, child))
    return root


def _put(into: Record, key: str, value: Any) -> None:
    if key not in into:
        into[key] = value
    elif isinstance(into[key], list):
        into[key].append(value)
    else:
        into[key] = [into[key], value]


def part(record: object, *names: str) -> Record:
    """The first of *names* that is a mapping in *record*, with lower-case keys; else nothing."""
    for name in names:
        found = record.get(name) if isinstance(record, dict) else None
        if isinstance(found, dict):
            return {str(key).lower(): value for key, value in found.items()}
    return {}


def first(record: Record, *names: str) -> Any:
    """The first of *names* in *record* that holds something."""
    return next((record[name] for name in names if words(record.get(name))), None)


def maps(found: object) -> list[Record]:
    """The mappings in a list; nothing for anything else."""
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
