"""Plant faults on sound hosts, and prove that every check can fail."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.engine.judge import Facts, judge
from assay.engine.understand import Understanding
from assay.kit.check import Check
from assay.kit.pack import Entry, dump, load
from assay.kit.plant import Edit, Plant
from assay.kit.probe import Probe
from assay.model.evidence import Capture, Evidence, Status
from assay.model.outcome import Outcome


class PlantError(ValueError):
    """A plant that does not fit its host: a mistake in the catalogue."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What one check said about its sound host and about the same host with a fault planted."""

    check: str
    plant: str
    sound: Outcome
    planted: Outcome
    because: str

    @property
    def holds(self) -> bool:
        """The check passes the sound host and fails the sick one."""
        return self.sound is Outcome.PASS and self.planted is Outcome.FAIL


def apply(plant: Plant, sound: Evidence) -> Evidence:
    """The evidence of *sound* with the fault planted."""
    captures = dict(sound.captures)
    for edit in plant.edits:
        captures[edit.source] = _edited(edit, captures.get(edit.source), sound.node)
    return Evidence(sound.node, captures)


def prove(
    checks: Sequence[Check], probes: Sequence[Probe], hosts: Mapping[str, Evidence]
) -> Iterator[Proof]:
    """Run every plant of every check."""
    sound: dict[str, Facts] = {}
    for name, evidence in hosts.items():
        sound[name] = _facts(probes, [evidence])
    for check in checks:
        for at, plant in enumerate(check.plants):
            if plant.host not in hosts:
                raise PlantError(f"{check.id}: there is no reference host {plant.host!r}")
            try:
                sick = apply(plant, hosts[plant.host])
            except PlantError as error:
                raise PlantError(f"{check.id}: {error}") from error
            before = judge([check], sound[plant.host])[0][0]
            # a fleet check needs a sound neighbour to compare the sick host with
            healthy = hosts[plant.host]
            crowd = [replace(healthy, node=f"sound-{n}") for n in range(3)] if check.fleet else []
            if check.fleet:
                before = judge([check], _facts(probes, crowd))[0][0]
            after = judge([check], _facts(probes, [*crowd, sick]))[0][0]
            because = after.findings[0].because if after.findings else after.example
            yield Proof(
                check.id, plant.name or f"plant {at + 1}", before.outcome, after.outcome, because
            )


def _facts(probes: Sequence[Probe], nodes: Sequence[Evidence]) -> Facts:
    understanding = Understanding(probes)
    for evidence in nodes:
        understanding.add(evidence)
    return Facts(understanding)


def _edited(edit: Edit, capture: Capture | None, node: str) -> Capture:
    if edit.status is not Status.ANSWERED:
        return Capture(edit.source, status=edit.status, reason=edit.new)
    exit_code = edit.exit_code
    if capture is None:
        if edit.old:
            raise PlantError(f"{node} has no capture of {edit.source!r}")
        data = dump([Entry(edit.path, edit.new.encode())]) if edit.path else edit.new.encode()
        return Capture(edit.source, data, exit_code=exit_code)
    if exit_code is None:
        exit_code = capture.exit_code
    data = _in_pack(edit, capture) if edit.path else _replaced(edit, capture.data, edit.source)
    if data == capture.data and exit_code == capture.exit_code and capture.status == edit.status:
        raise PlantError(f"the edit of {edit.source!r} changes nothing")
    return Capture(edit.source, data, exit_code=exit_code, stderr=capture.stderr)


def _in_pack(edit: Edit, capture: Capture) -> bytes:
    entries = list(load(capture.data))
    if not any(entry.path == edit.path for entry in entries):
        if edit.old:
            raise PlantError(f"{edit.source!r} has no {edit.path!r}")
        return dump([*entries, Entry(edit.path, edit.new.encode())])
    return dump(
        Entry(e.path, _replaced(edit, e.data, e.path)) if e.path == edit.path else e
        for e in entries
    )


def _replaced(edit: Edit, data: bytes, where: str) -> bytes:
    if not edit.old:
        return edit.new.encode()
    if edit.old.encode() not in data:
        raise PlantError(f"{edit.old!r} is not in {where!r}")
    return data.replace(edit.old.encode(), edit.new.encode(), edit.count or -1)
