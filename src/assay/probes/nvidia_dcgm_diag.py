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
_ENTITY = re.compile(r"([A-Za-z]+ ?\d+): *(Pass|Fail|Skip(?:ped)?|Warn|Not Run)\b(.*)", re.I)
_ABOUT = re.compile(r"(?:Warning|Error|Info|Warn)(?:: *(?:GPU ?(\d+))?.*)?")


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
    results: list[list[Any]] = []  # test, device, status, details
    for table in boxed(text):
        for row in table:
            name, said = (row[0], row[1]) if len(row) > 1 else ("", "")
            if name == "DCGM Version" and version(said):
                yield Software("dcgm", version(said), "binary")
            about = _ABOUT.fullmatch(name)
            if name == "DCGM Version":
                continue
            if name and not about and (result := _RESULT.fullmatch(said)):
                results += _rows(name, result)
            elif not name and results and (result := _RESULT.fullmatch(said)):
                results += _rows(results[-1][0], result)
            elif not name and results and (entity := _ENTITY.fullmatch(said)):
                device = entity.group(1).lower().replace(" ", "").replace("gpu", "gpu ")
                results.append([results[-1][0], device, entity.group(2), [entity.group(3)]])
            elif results and said and (about or not name):
                device = f"gpu {about.group(1)}" if about and about.group(1) else None
                fitting = (r for r in results if r[:2] == [results[-1][0], device])
                next(fitting, results[-1])[3].append(said)
    for test, device, status, details in results:
        detail = " ".join(part.strip() for part in details if part.strip())[:500]
        yield DeviceTest(TOOL, test, device, status.capitalize(), detail=detail)


def _rows(name: str, result: re.Match[str]) -> Iterator[list[Any]]:
    """One row for each GPU that the result names, else one for all."""
    status, _, several, one, rest = result.groups()
    for device in re.findall(r"\d+", several or one or "") or [""]:
        yield [name, f"gpu {device}" if device else "", status, [rest or ""]]


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
    name = words(test.get("name"))
    for result in (_map(one) for one in _list(test.get("results"))):
        status = words(result.get("status"))
        if name and status:
            yield DeviceTest(
                TOOL, name, _device(result), status.capitalize(), detail=_detail(result)
            )


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
