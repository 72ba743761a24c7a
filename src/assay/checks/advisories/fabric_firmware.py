"""Is the firmware of the RDMA adapters free of known vulnerabilities?"""

from collections.abc import Iterator, Sequence

from assay.advisories import inventory, verdicts
from assay.advisories.host import NOTHING
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.rdma_sysfs import DEVICES

_RAIL = "/sys/class/infiniband/mlx5_0/fw_ver"


@check(
    "advisories.fabric-firmware",
    asks="Is the firmware of ConnectX and BlueField adapters free of known vulnerabilities?",
    severity=Severity.HIGH,
    why="The adapter reaches memory and the fabric below every operating system.",
    fix="Flash the build that the finding names, of the same release train, and reset the adapter.",
    see=["https://network.nvidia.com/support/firmware/firmware-downloads/"],
    reproduce="cat /sys/class/infiniband/*/fw_ver",
    plants=[plant(Edit(DEVICES.source, "28.39.3560\n", path=_RAIL), name="a build of train 39")],
)
def fabric_firmware(ports: Sequence[RdmaPort]) -> Iterator[Verdict]:
    """Builds compare inside their train; a train that no bulletin lists is unknown."""
    yield from verdicts.judge(inventory.of_ports(ports), NOTHING)
