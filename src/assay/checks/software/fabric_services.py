"""NVLink fabrics with switches need a service that sets them up."""

from collections.abc import Iterator, Sequence

from assay.checks.software.roles import contained, kubernetes, switches
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.access import RunningProgram
from assay.model.facts.dmi import Virtualization
from assay.model.facts.pci import PciDevice
from assay.model.facts.software import Software
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.processes import PROCESSES

FABRIC_MANAGER = "nv-fabricmanager"
IMEX = "nvidia-imex"
# Baseboards whose switches are no PCI devices of the host.
HIDDEN_SWITCHES = ("B200", "B300")
RACK = ("GB200", "GB300")


@check(
    "software.fabric-services",
    asks="Do the services run that the NVLink fabric needs?",
    severity=Severity.CRITICAL,
    why="Without fabric manager, CUDA does not start on a board with NVSwitches (error 802); "
    "without IMEX, GPUs of a rack cannot reach each other's memory.",
    fix="Install nvidia-fabricmanager of exactly the driver's version and run `systemctl enable "
    "--now nvidia-fabricmanager`; on NVL72, the same for nvidia-imex.",
    see=[
        "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html",
        "https://docs.nvidia.com/multi-node-nvlink-systems/imex-guide/index.html",
    ],
    reproduce="pgrep -a 'nv-fabricmanager|nvidia-imex'; nvidia-smi -q | grep -A3 Fabric",
    plants=[plant(Edit(PROCESSES.source, old="    0 nv-fabricmanage\n", new=""))],
)
def fabric_services(
    devices: Sequence[PciDevice],
    programs: Sequence[RunningProgram] | None,
    accelerators: Sequence[Accelerator] | None,
    machines: Sequence[Virtualization] | None,
    software: Sequence[Software] | None,
) -> Iterator[Verdict]:
    """Fabric manager where the system sees switches, IMEX on NVL72."""
    running = None if programs is None else {program.name for program in programs}
    products = [a.product for a in accelerators or () if a.vendor == "nvidia"]
    rack = any(word in product for product in products for word in RACK)
    virtual = any(machine.virtual for machine in machines or ())
    seen = len(switches(devices))
    # In a virtual machine without switches, the host runs fabric manager.
    hidden = not rack and not virtual and len(products) > 1 and all(
        any(word in product for word in HIDDEN_SWITCHES) for product in products
    )  # fmt: skip
    if seen or hidden:
        what = (
            f"{seen} NVSwitches" if seen else f"{len(products)} GPUs on a baseboard with switches"
        )
        yield _judge(FABRIC_MANAGER, running, what, contained(machines))
    if rack and IMEX in (running or ()):
        yield passed(IMEX, "runs")
    elif rack and not kubernetes(software):
        yield unknown(IMEX, "does not run now; some sites start it with each job")


def _judge(name: str, running: set[str] | None, what: str, container: str) -> Verdict:
    if running is None:
        return unknown(name, "the processes of this node could not be listed")
    if name[:15] in running:  # as the kernel cuts it
        return passed(name, f"runs, for {what}")
    if container:
        return unknown(name, f"looked from inside a container ({container})")
    return failed(name, f"does not run, and there are {what}")
