"""Conditions: what must be true besides a version, in words of the sources and in ours.

A condition that is known not to hold makes a host not affected; one that nobody looked at is
said in the verdict ("unless ..."), and the host stays affected.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.model.advisory import Advisory


@dataclass(frozen=True, slots=True)
class Condition:
    """*feature* must be *value* for the advisory to apply."""

    feature: str
    value: bool
    words: str


# Words of the sources -> what they ask about.
KNOWN: Mapping[str, Condition] = {
    "stepmgr enabled": Condition("stepmgr", True, "stepmgr is enabled"),
    "kubelet read-only port on": Condition(
        "kubelet-read-only-port", True, "the kubelet's read-only port is on"
    ),
    "runtime with checkpoint support": Condition(
        "checkpoint", True, "the container runtime supports checkpoints"
    ),
    "not with crun": Condition("crun", False, "containers run on anything but crun"),
}

# NVIDIA's bulletin 5659 and the notes of those who reproduced it: the hook is run by the
# low-level runtime, and crun gives it a clean environment.
_ADDED: Mapping[str, tuple[str, ...]] = {"CVE-2025-23266": ("not with crun",)}


def curated(record: Advisory) -> Advisory:
    """*record* with the conditions that its sources state in prose only."""
    added = tuple(c for c in _ADDED.get(record.id, ()) if c not in record.conditions)
    return replace(record, conditions=record.conditions + added) if added else record


def broken(conditions: tuple[str, ...], features: Mapping[str, bool]) -> str:
    """The words of the first condition that is known not to hold, or ``""``."""
    for text in conditions:
        known = KNOWN.get(text)
        if known and features.get(known.feature, known.value) is not known.value:
            return known.words
    return ""


def unseen(conditions: tuple[str, ...], features: Mapping[str, bool]) -> tuple[str, ...]:
    """Conditions that nobody looked at, in words."""
    found: list[str] = []
    for text in conditions:
        known = KNOWN.get(text)
        if known is None:
            found.append(text)
        elif known.feature not in features:
            found.append(known.words)
    return tuple(found)
