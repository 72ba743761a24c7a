"""What a node is, by its devices and programs: the same words for every check."""

from collections.abc import Sequence

from assay.checks.pci import roles
from assay.model.facts.dmi import Virtualization
from assay.model.facts.pci import PciDevice
from assay.model.facts.software import Software

NVIDIA, AMD = roles.NVIDIA, roles.AMD
BRIDGE_OTHER = "0680"  # NVSwitch
INFINIBAND = "0207"
ETHERNET = "0200"
RDMA_DRIVERS = ("mlx5_core", "bnxt_en", "ionic")
FABRIC_PORTS = 4  # fewer Ethernet ports than this are a frontend, not a fabric
NONE = "no accelerator for data centres on PCI"
NO_NVIDIA = "no NVIDIA accelerator for data centres on PCI"
NO_FABRIC = "no accelerators on an RDMA fabric"
ORCHESTRATORS = ("kubelet", "k3s", "rke2")


def accelerators(devices: Sequence[PciDevice], vendor: str = "") -> list[PciDevice]:
    """Accelerators for data centres, of one vendor or of all."""
    return [d for d in devices if roles.is_compute(d) and vendor in ("", d.vendor_id)]


def switches(devices: Sequence[PciDevice]) -> list[PciDevice]:
    """NVSwitches that this system sees."""
    return [d for d in devices if d.vendor_id == NVIDIA and d.class_id.startswith(BRIDGE_OTHER)]


def fabric_ports(devices: Sequence[PciDevice]) -> list[PciDevice]:
    """Functions of network cards that make an RDMA fabric."""
    sure = [d for d in devices if d.class_id.startswith(INFINIBAND) or d.driver == "efa"]
    ethernet = [d for d in devices if d.class_id.startswith(ETHERNET) and d.driver in RDMA_DRIVERS]
    return sure or (ethernet if len(ethernet) >= FABRIC_PORTS else [])


def kubernetes(software: Sequence[Software] | None) -> bool:
    """True on a node of Kubernetes, where software comes in images."""
    return any(tool.component in ORCHESTRATORS for tool in software or ())


def slurm(software: Sequence[Software] | None) -> bool:
    """True on a node of Slurm."""
    return any(tool.component == "slurm" for tool in software or ())


def contained(machines: Sequence[Virtualization] | None) -> str:
    """The container technology that we look out of; "" when there is none."""
    return next((machine.container for machine in machines or () if machine.container), "")


def versions(software: Sequence[Software], *components: str) -> str:
    """Components and versions that were found, in words."""
    found = {f"{t.component} {t.version}" for t in software if t.component in components
             and t.version}  # fmt: skip
    return ", ".join(sorted(found))


def doubtful(software: Sequence[Software], *components: str) -> str:
    """Why some of *components* may be there all the same: their versions could not be read."""
    found = {f"{t.component}: {t.detail or t.path}" for t in software if t.component in components
             and not t.version}  # fmt: skip
    return "; ".join(sorted(found))
