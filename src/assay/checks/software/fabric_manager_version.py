"""Fabric manager refuses to work with any other version of the driver."""

import re
from collections.abc import Iterator, Sequence

from assay.checks.software.roles import switches
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.pci import PciDevice
from assay.model.facts.software import Package
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.packages import DPKG

NAME = re.compile(r"nvidia-fabric-?manager(?:-\d+)?")
_VERSION = re.compile(r"(?:\d+:)?(\d+\.\d+(?:\.\d+)?)")


@check(
    "software.fabric-manager-version",
    asks="Is fabric manager of exactly the driver's version?",
    severity=Severity.HIGH,
    why="With another version it exits at start, and no CUDA program runs after the next boot.",
    fix="Install and hold both packages at one version, such as nvidia-fabricmanager-570=570.x.",
    see=["https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"],
    reproduce="dpkg -l 'nvidia-fabricmanager*'; head -1 /proc/driver/nvidia/version",
    plants=[
        plant(
            Edit(
                DPKG.source,
                old="nvidia-fabricmanager-580\t580.173.02",
                new="nvidia-fabricmanager-580\t580.126.09",
            )
        )
    ],
)
def fabric_manager_version(
    devices: Sequence[PciDevice],
    packages: Sequence[Package],
    drivers: Sequence[NvidiaModule],
) -> Iterator[Verdict]:
    """The package against the module that is loaded."""
    if not switches(devices):
        return
    for package in packages:
        if not NAME.fullmatch(package.name):
            continue
        said = _VERSION.match(package.version)
        if said is None or not drivers:
            yield unknown(package.name, f"version {package.version!r}, and {len(drivers)} driver")
        elif said[1] == drivers[0].version:
            yield passed(package.name, f"{said[1]}, as the loaded driver")
        else:
            yield failed(package.name, f"{said[1]}, and the loaded driver is {drivers[0].version}")
