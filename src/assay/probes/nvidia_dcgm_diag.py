"""Saved results of `dcgmi diag`, as table or JSON, of DCGM 2 to 4. Assay never runs it."""

import re
from collections.abc import Iterator
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import VendorToolError
from assay.model.facts.device import DeviceTest
from assay.model.facts.software import Software
from assay.probes.nvidia_words import errors, version
from assay.probes.pasted import boxed, clean, documents, tried, words

DIAG = saved(
    "dcgmi-diag",
    looks_like=r"^\| Diagnostic +\| Result +\|(?:\n[^\n]*){0,8}"
    r"|\"DCGM (?:GPU )?Diagnostic\"\s*:\s*\{[\s\S]{0,300}|^Successfully ran diagnostic for group"
    r"[^\n]*(?:\n[^\n]*){0,8}",
)
TOOL = "dcgmi-diag"

_RESULT = re.compile(
    r"(Pass|Fail|Skip(?:ped)?|Warn(?:ing)?|Not Run|Error)\b"
    r"(?: *- *(?:(All)|GPUs?: *([\d, ]+)|GPU ([\d, ]+)|(.*)))?",
    re.IGNORECASE,
)
# A result of a word that nobody lists, as far as it looks like one.
_STRANGE = re.compile(r"([A-Za-z]+)(?: *- *(?:(All)|GPUs?: *([\d, ]+)|GPU ([\d, ]+)|(.*)))?")
_ENTITY = re.compile(r"([A-Za-z]+ ?\d+): *(Not Run|[A-Za-z]+)\b(.*)", re.IGNORECASE)
_NUMBERS_IN = re.compile(r"\d+")
_NUMBERS = re.compile(r"\d[\d, ]*")
_ABOUT = re.compile(r"(Warning|Error|Info|Warn)(?:: *(?:GPU ?(\d+))?.*)?")
_SECTION = re.compile(r"-{2,} +([A-Za-z ]+?) +-{2,}.*")
_METADATA = re.compile(r".* Version(?: Detected)?|.* Detected|Diagnostic")


@probe("nvidia.dcgm-diag", reads=[DIAG])
def diag(seen: Seen) -> Iterator[DeviceTest | Software | VendorToolError]:
    """Every test of DCGM's diagnostic and its result."""
    if tried(seen, DIAG) is None:
        return
    text = clean(seen.text(DIAG))
    found = list(_of_json(text) if '"test_categories"' in text else _of_table(text))
    yield from found
    if not any(isinstance(fact, DeviceTest) for fact in found):
        yield from errors(text, tool="dcgmi")
        raise Unread("no result of a DCGM diagnostic is there")


def _of_table(text: str) -> Iterator[DeviceTest | Software]:
    reader = _Reader()
    for table in boxed(text):
        reader.section = ""
        for row in table:
            name, said = (row[0], row[1]) if len(row) > 1 else ("", "")
            if section := _SECTION.fullmatch(row[0]):
                reader.section, reader.speaking = section.group(1), False
            elif name == "DCGM Version" and version(said):
                yield Software("dcgm", version(said), "binary")
            elif reader.section != "Metadata" and not _METADATA.fullmatch(name):
                reader.row(name, said)
    for test, device, status, details in reader.results:
        detail = " ".join(part.strip() for part in details if part.strip())[:500]
        yield DeviceTest(TOOL, test, device, status.capitalize(), detail=detail)


class _Reader:
    """Rows into results; a row without a name goes on with the one above."""

    def __init__(self) -> None:
        self.section = ""
        self.speaking = False  # the last row with a name was a warning, no test
        self.results: list[list[Any]] = []  # test, device, status, details

    def row(self, name: str, said: str) -> None:
        """Read the next row."""
        about = _ABOUT.fullmatch(name)
        if about and said:
            self.speaking = True
            self._say(about.group(1), f"gpu {about.group(2)}" if about.group(2) else None, said)
        elif name and said:
            self.speaking = False
            self._add(name, said)
        elif said and self.results:
            self._continue(said)

    def _add(self, name: str, said: str) -> None:
        """One row for each GPU that the result names, else one for all."""
        result = _RESULT.fullmatch(said) or _STRANGE.fullmatch(said)
        status, _, several, one, rest = result.groups() if result else (said[:60], *[None] * 4)
        for device in _NUMBERS_IN.findall(several or one or "") or [""]:
            self.results.append([name, f"gpu {device}" if device else "", status, [rest or ""]])

    def _continue(self, said: str) -> None:
        name, device, status, details = self.results[-1]
        entity = None if self.speaking else _ENTITY.fullmatch(said)
        if not self.speaking and device and _NUMBERS.fullmatch(said):
            self.results += [[name, f"gpu {n}", status, []] for n in _NUMBERS_IN.findall(said)]
        elif entity:
            where = entity.group(1).lower().replace(" ", "").replace("gpu", "gpu ")
            self.results.append([name, where, entity.group(2), [entity.group(3)]])
        elif _RESULT.fullmatch(said) or (not self.speaking and _STRANGE.fullmatch(said)):
            self._add(name, said)
        else:
            details.append(said)

    def _say(self, what: str, device: str | None, said: str) -> None:
        """A warning or an error belongs to the test above it. An error makes no test pass."""
        name = self.results[-1][0] if self.results else self.section or "run"
        fitting = (r for r in self.results if r[:2] == [name, device])
        last = next(fitting, self.results[-1] if self.results else None)
        if last is None or (what == "Error" and last[2].lower() == "pass"):
            self.results.append([name, device or "", what, [said]])
        else:
            last[3].append(said)


def _of_json(text: str) -> Iterator[DeviceTest | Software]:
    for answer in documents(text, "the DCGM diagnostic"):
        root = _map(answer)
        body = next((_map(v) for k, v in root.items() if "Diagnostic" in k), root)
        about = [body, _map(root.get("metadata")), _map(body.get("metadata"))]
        number = next((version(v) for m in about for k in ("version", "DCGM Version")
                       if version(v := m.get(k))), "")  # fmt: skip
        if number:
            yield Software("dcgm", number, "binary")
        for key in ("runtime_error", "Error", "error"):
            if words(body.get(key)):
                yield DeviceTest(TOOL, "run", "", "Error", detail=words(body[key])[:500])
        for category in _list(body.get("test_categories")):
            for test in _list(_map(category).get("tests")):
                yield from _test(_map(test))


def _test(test: dict[str, Any]) -> Iterator[DeviceTest]:
    name = words(test.get("name")) or "a test without a name"
    for result in (_map(one) for one in _list(test.get("results"))):
        status = str(result.get("status") or "no result").strip()[:60]
        yield DeviceTest(TOOL, name, _device(result), status.capitalize(), detail=_detail(result))


def _device(result: dict[str, Any]) -> str:
    """The GPU of a result; "" where it is about several or about the node."""
    entity = words(result.get("entity_group")) or "GPU"
    for key in ("entity_id", "gpu_id", "gpu_ids"):
        id = words(result.get(key))
        if id:
            return f"{entity.lower()} {id}" if id.isdecimal() else ""
    return ""


def _detail(result: dict[str, Any]) -> str:
    given = (result.get("warnings"), result.get("info"))
    told = [one for found in given for one in (found if isinstance(found, list) else [found])]
    said = (words(_map(one).get("warning")) or words(one) for one in told)
    return "; ".join(part for part in said if part)[:500]


def _map(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
