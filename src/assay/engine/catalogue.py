"""The catalogue: every probe, check and vendor of the installed package and its plugins.

Importing a module registers what it declares; nothing is listed a second time anywhere. Only
verbs that need the catalogue pay for it.
"""

import hashlib
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

import assay.accelerators
import assay.advisories
import assay.checks
import assay.faults
import assay.probes
from assay.kit import accelerator as accelerator_kit
from assay.kit import check as check_kit
from assay.kit import probe as probe_kit
from assay.kit.accelerator import Vendor
from assay.kit.check import Check
from assay.kit.probe import Probe
from assay.kit.reading import Reading, Via

PACKAGES: tuple[ModuleType, ...] = (
    assay.accelerators,
    assay.faults,
    assay.probes,
    assay.checks,
)
PLUGINS = "assay.plugins"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything that Assay can read and judge, in order of id."""

    probes: tuple[Probe, ...]
    checks: tuple[Check, ...]
    vendors: tuple[Vendor, ...]

    def readings(self, *, on_request: bool = False, saved: bool = False) -> tuple[Reading, ...]:
        """Every reading that a run carries out on a node, each once, in catalogue order.

        With *saved* also the outputs that only users save: a recording may hold them.
        """
        found: dict[str, Reading] = {}
        for probe in self.probes:
            for reading in probe.reads:
                if reading.via is Via.SAVED and not saved:
                    continue
                if on_request or not reading.on_request:
                    found.setdefault(reading.source, reading)
        return tuple(found.values())

    def check(self, id: str) -> Check | None:
        """The check called *id*."""
        return next((check for check in self.checks if check.id == id), None)


@cache
def catalogue() -> Catalogue:
    """Import the whole catalogue once (plugins of the group ``assay.plugins`` included)."""
    for package in PACKAGES:
        for name in _modules(package):
            importlib.import_module(name)
    for plugin in entry_points(group=PLUGINS):
        plugin.load()
    return Catalogue(
        probes=tuple(probe_kit.registry[id] for id in sorted(probe_kit.registry)),
        checks=tuple(check_kit.registry[id] for id in sorted(check_kit.registry)),
        vendors=tuple(accelerator_kit.registry[id] for id in sorted(accelerator_kit.registry)),
    )


@cache
def rules_sha256() -> str:
    """One hash over the source of every rule: two runs with equal hashes judge alike.

    The advisory database has a hash of its own: it changes without the rules.
    """
    total = hashlib.sha256()
    for package in (*PACKAGES, assay.advisories):
        for root in sorted(package.__path__):
            for path in sorted(Path(root).rglob("*")):
                if path.suffix in (".py", ".toml", ".json") and path.is_file():
                    total.update(path.relative_to(root).as_posix().encode())
                    total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _modules(package: ModuleType) -> Iterator[str]:
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        yield found.name
