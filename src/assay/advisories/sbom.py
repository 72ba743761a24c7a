"""SBOMs that others made (CycloneDX JSON of syft, trivy and the like): read, not trusted."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.advisories.purl import to_installed
from assay.model.advisory import Installed

_DEEPEST = 32  # components inside components; real SBOMs have two or three levels
# What syft and trivy call the source package that a binary package was built from.
_SOURCE = {"syft:metadata:source", "aquasecurity:trivy:SrcName"}
_SOURCE_VERSION = {"syft:metadata:sourceVersion"}


class BadSbom(ValueError):
    """The bytes are not an SBOM in CycloneDX JSON."""


@dataclass(frozen=True, slots=True)
class Sbom:
    """What an SBOM lists: things that advisories know, and how many that they do not."""

    installed: tuple[Installed, ...]
    others: int
    spec: str
    name: str


def read(data: bytes) -> Sbom:
    """Every component of the SBOM, each once."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadSbom(f"not JSON: {error}") from error
    if not isinstance(given, dict) or given.get("bomFormat") != "CycloneDX":
        raise BadSbom("not a CycloneDX SBOM (bomFormat is missing); other forms are not read")
    spec = str(given.get("specVersion", ""))
    if spec.partition(".")[0] != "1":
        raise BadSbom(f"CycloneDX {spec!r} has a future form")
    found: dict[Installed, None] = {}
    others = 0
    for row in _components(given.get("components"), 0):
        purl = row.get("purl")
        thing = to_installed(purl, _properties(row)) if isinstance(purl, str) else None
        if thing is None:
            others += 1
        else:
            found[thing] = None
    about = given.get("metadata")
    subject = about.get("component") if isinstance(about, dict) else None
    name = subject.get("name") if isinstance(subject, dict) else ""
    return Sbom(tuple(found), others, spec, name if isinstance(name, str) else "")


def _components(rows: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if rows is None:
        return
    if not isinstance(rows, list) or depth > _DEEPEST:
        raise BadSbom("its components are not a list")
    for row in rows:
        if not isinstance(row, dict):
            raise BadSbom("a component is not an object")
        if row.get("type") != "operating-system":
            yield row
        yield from _components(row.get("components"), depth + 1)


def _properties(row: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    parts: dict[str, str] = {}
    for item in row.get("properties") or ():
        if not isinstance(item, dict):
            continue
        name, value = str(item.get("name", "")), str(item.get("value", ""))
        if name in _SOURCE:
            found["source"] = value
        elif name in _SOURCE_VERSION:
            found["source_version"] = value
        elif name.startswith("aquasecurity:trivy:Src"):
            parts[name.removeprefix("aquasecurity:trivy:Src")] = value
    if "Version" in parts:  # trivy splits it
        epoch = f"{parts['Epoch']}:" if parts.get("Epoch", "0") not in ("", "0") else ""
        release = f"-{parts['Release']}" if parts.get("Release") else ""
        found["source_version"] = f"{epoch}{parts['Version']}{release}"
    return found
