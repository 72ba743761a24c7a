"""The machine: who built it, its firmware, and whether it is a machine at all."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class Machine(Fact):
    """What the firmware says about the machine (SMBIOS). No serial numbers."""

    vendor: str
    product: str
    board_vendor: str = ""
    board: str = ""
    bios_vendor: str = ""
    bios_version: str = ""
    bios_date: str = ""
    chassis: str = ""


@dataclass(frozen=True, slots=True)
class Virtualization(Fact):
    """What lies between this system and the hardware.

    ``virtual`` is True on a virtual machine, False on bare metal, None when nothing tells.
    ``container`` names the container technology, "" outside one.
    """

    virtual: bool | None
    hypervisor: str = ""
    container: str = ""
