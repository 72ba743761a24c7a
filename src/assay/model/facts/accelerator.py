"""Accelerators of any vendor, as their own tools report them."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class Accelerator(Fact):
    """One accelerator. Units: MiB, watts, degrees Celsius, MHz, GT/s generations, lanes.

    ``fault`` is the error that the tool printed in place of values (a lost GPU, ``ERR!``).
    ``driver`` is the vendor's kernel driver version. ECC counts: ``volatile`` since the driver
    was loaded, ``aggregate`` over the life of the board; ``remap_*`` are rows of HBM.
    ``throttle`` names active clock-event reasons in the tool's own words, idle excluded.
    """

    vendor: str
    index: int
    product: str = ""
    uuid: str = ""  # salted hash unless the run was --identifying
    bdf: str = ""  # domain:bus:device.function, lower case, four-digit domain
    driver: str = ""
    firmware: str = ""  # VBIOS or the vendor's like
    memory_mib: float | None = None
    memory_used_mib: float | None = None
    utilization_percent: float | None = None
    temperature_c: float | None = None
    memory_temperature_c: float | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    power_default_w: float | None = None
    pcie_generation: int | None = None
    pcie_generation_max: int | None = None
    pcie_width: int | None = None
    pcie_width_max: int | None = None
    pcie_replays: int | None = None
    ecc_enabled: bool | None = None
    ecc_corrected_volatile: int | None = None
    ecc_uncorrected_volatile: int | None = None
    ecc_corrected_aggregate: int | None = None
    ecc_uncorrected_aggregate: int | None = None
    remap_corrected: int | None = None
    remap_uncorrected: int | None = None
    remap_pending: bool | None = None
    remap_failed: bool | None = None
    retired_pages: int | None = None
    retire_pending: bool | None = None
    throttle: tuple[str, ...] | None = None
    persistence: bool | None = None
    compute_mode: str = ""
    partition_mode: str = ""  # MIG, compute partition: "disabled", "enabled", the vendor's mode
    processes: int | None = None
    fabric_state: str = ""
    fabric_status: str = ""
    fault: str = ""

    @property
    def subject(self) -> str:
        """How findings name this accelerator."""
        return f"gpu {self.index}" if self.vendor in ("nvidia", "amd") else f"device {self.index}"


@dataclass(frozen=True, slots=True)
class ScaleUpLink(Fact):
    """One NVLink, xGMI or like link of one accelerator. Rate in GB/s per direction."""

    vendor: str
    index: int  # the accelerator
    link: int
    up: bool | None = None
    gbytes_per_second: float | None = None
    replays: int | None = None
    recoveries: int | None = None
    crc_errors: int | None = None


@dataclass(frozen=True, slots=True)
class VendorToolError(Fact):
    """A vendor's tool that answered with an error in place of values.

    ``kind`` is one of ``driver-library-mismatch``, ``driver-not-loaded``, ``device-lost``,
    ``no-permission``, ``no-library``, ``no-devices``, ``other``.
    """

    vendor: str
    tool: str
    kind: str
    message: str
    exit_code: int | None = None
    device: str = ""
