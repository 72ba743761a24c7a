"""PCI devices as the kernel lists them."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class PciDevice(Fact):
    """One PCI function. Ids are lower-case hex without 0x; speeds GT/s; widths lanes."""

    bdf: str
    vendor_id: str
    device_id: str
    class_id: str  # six hex digits; four where the source leaves the interface out
    driver: str | None = None
    name: str = ""
    speed: float | None = None
    speed_max: float | None = None
    width: int | None = None
    width_max: int | None = None
    numa_node: int | None = None
    iommu_group: int | None = None
    acs_redirect: bool | None = (
        None  # ACS request or completion redirect, or source validation, is on
    )
    virtual_function: bool | None = None
    upstream: str = ""  # bdf of the bridge above
    aer_fatal: int | None = None
    aer_nonfatal: int | None = None
    aer_correctable: int | None = None
