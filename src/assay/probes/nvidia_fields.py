"""Where each value is in the XML, the text and the CSV of nvidia-smi, newest place first.

Paths of the text form are its labels in lower case with underscores; a name with dots is a column
of ``--query-gpu``. Between drivers 535 and 610 throttle became clock-event, power readings moved
from ``power_readings`` to ``gpu_power_readings`` and split in two, and totals gave way to SRAM and
DRAM.
"""

_LINK = "pci/pci_gpu_link_info"
_TEXT_LINK = "pci/gpu_link_info"
_POWER = ("gpu_power_readings", "power_readings")


def _power(*names: str) -> tuple[str, ...]:
    return tuple(f"{section}/{name}" for name in names for section in _POWER)


FIELDS: dict[str, tuple[str, ...]] = {
    "product": ("product_name", "name", "gpu_name"),
    "architecture": ("product_architecture",),
    "uuid": ("uuid", "gpu_uuid"),
    "bdf": ("pci/pci_bus_id", "pci/bus_id", "pci.bus_id", "gpu_bus_id", "id"),
    "firmware": ("vbios_version",),
    "memory": ("fb_memory_usage/total", "memory_usage/total", "memory.total"),
    "memory_used": ("fb_memory_usage/used", "memory_usage/used", "memory.used"),
    "protected_memory": (
        "cc_protected_memory_usage/total", "conf_compute_protected_memory_usage/total",
        "protected_memory.total",
    ),
    "utilization": ("utilization/gpu_util", "utilization/gpu", "utilization.gpu"),
    "temperature": ("temperature/gpu_temp", "temperature/gpu_current_temp", "temperature.gpu",
                    "temperature/gpu"),
    "memory_temperature": ("temperature/memory_temp", "temperature/memory_current_temp",
                           "temperature.memory"),
    "thermal_margin": ("temperature/gpu_temp_tlimit", "temperature/gpu_t_limit_temp",
                       "temperature/gpu_current_t_limit_temp", "temperature.gpu.tlimit"),
    "slowdown": ("temperature/gpu_temp_slow_threshold", "temperature/gpu_slowdown_temp"),
    "power": (
        *_power("average_power_draw", "power_draw", "instant_power_draw",
                "instantaneous_power_draw"),
        "power.draw", "power.draw.average", "power.draw.instant",
    ),
    "power_limit": (
        *_power("enforced_power_limit", "current_power_limit", "power_limit"),
        "enforced.power.limit", "power.limit",
    ),
    "power_default": (*_power("default_power_limit"), "power.default_limit"),
    "generation": (
        f"{_LINK}/pcie_gen/current_link_gen", f"{_TEXT_LINK}/pcie_generation/current",
        "pcie.link.gen.current", "pcie.link.gen.gpucurrent",
    ),
    "generation_max": (
        f"{_LINK}/pcie_gen/max_link_gen", f"{_TEXT_LINK}/pcie_generation/max",
        "pcie.link.gen.max", "pcie.link.gen.gpumax",
    ),
    "width": (
        f"{_LINK}/link_widths/current_link_width", f"{_TEXT_LINK}/link_width/current",
        "pcie.link.width.current",
    ),
    "width_max": (
        f"{_LINK}/link_widths/max_link_width", f"{_TEXT_LINK}/link_width/max",
        "pcie.link.width.max",
    ),
    "replays": ("pci/replay_counter", "pci/replays_since_reset"),
    "ecc": ("ecc_mode/current_ecc", "ecc_mode/current", "ecc.mode.current"),
    "ecc_pending": ("ecc_mode/pending_ecc", "ecc_mode/pending", "ecc.mode.pending"),
    "remap_corrected": ("remapped_rows/remapped_row_corr", "remapped_rows/correctable_error",
                        "remapped_rows.correctable"),
    "remap_uncorrected": ("remapped_rows/remapped_row_unc", "remapped_rows/uncorrectable_error",
                          "remapped_rows.uncorrectable"),
    "remap_pending": ("remapped_rows/remapped_row_pending", "remapped_rows/pending",
                      "remapped_rows.pending"),
    "remap_failed": (
        "remapped_rows/remapped_row_failure", "remapped_rows/remapping_failure_occurred",
        "remapped_rows.failure",
    ),
    "retired_single": (
        "retired_pages/multiple_single_bit_retirement/retired_count",
        "retired_pages/single_bit_ecc", "retired_pages.single_bit_ecc.count",
        "retired_pages.sbe",
    ),
    "retired_double": (
        "retired_pages/double_bit_retirement/retired_count", "retired_pages/double_bit_ecc",
        "retired_pages.double_bit.count", "retired_pages.double_bit_ecc.count", "retired_pages.dbe",
    ),
    "retire_pending": (
        "retired_pages/pending_blacklist", "retired_pages/pending_retirement",
        "retired_pages/pending_page_blacklist", "retired_pages/pending", "retired_pages.pending",
    ),
    "sram_threshold": (
        "ecc_errors/aggregate/sram_threshold_exceeded",
        "ecc.errors.uncorrected.aggregate.sram.thresholdexceeded",
    ),
    "channel_repair": ("ecc_errors/channel_repair_pending",),
    "tpc_repair": ("ecc_errors/tpc_repair_pending",),
    "unrepairable": ("ecc_errors/unrepairable_memory",),
    "persistence": ("persistence_mode",),
    "compute_mode": ("compute_mode",),
    "performance_state": ("performance_state", "pstate"),
    "mig": ("mig_mode/current_mig", "mig_mode/current", "mig.mode.current"),
    "mig_pending": ("mig_mode/pending_mig", "mig_mode/pending", "mig.mode.pending"),
    "fabric_state": ("fabric/state", "fabric.state"),
    "fabric_status": ("fabric/status", "fabric.status"),
    "clique": ("fabric/cliqueid", "fabric/clique_id", "fabric.cliqueid"),
    "cluster": ("fabric/clusteruuid", "fabric/cluster_uuid", "fabric.clusteruuid"),
    "addressing": ("addressing_mode",),
    "c2c": ("c2c_mode", "gpu_c2c_mode", "c2c.mode"),
    "virtualization": ("gpu_virtualization_mode/virtualization_mode",),
    "gsp_firmware": ("gsp_firmware_version",),
    "recovery_action": ("gpu_recovery_action",),
    "reset_required": ("gpu_reset_status/reset_required", "reset_status.reset_required"),
    "drain_and_reset": (
        "gpu_reset_status/drain_and_reset_recommended", "reset_status.drain_and_reset_recommended",
    ),
    "graphics_clock": ("clocks/graphics_clock", "clocks/graphics", "clocks.current.graphics",
                       "clocks.gr"),
    "graphics_clock_max": ("max_clocks/graphics_clock", "max_clocks/graphics",
                           "clocks.max.graphics", "clocks.max.gr"),
    "memory_clock": ("clocks/mem_clock", "clocks/memory", "clocks.current.memory", "clocks.mem"),
    "memory_clock_max": ("max_clocks/mem_clock", "max_clocks/memory", "clocks.max.memory",
                         "clocks.max.mem"),
    "clock_event_reasons": ("clocks_event_reasons.active", "clocks_throttle_reasons.active"),
}  # fmt: skip

for _since in ("volatile", "aggregate"):
    _at = f"ecc_errors/{_since}"
    for _what, _bits, _word in (("corrected", "single_bit", "correctable"),
                                ("uncorrected", "double_bit", "uncorrectable")):  # fmt: skip
        _column = f"ecc.errors.{_what}.{_since}"
        FIELDS[f"ecc_{_what}_{_since}"] = (f"{_at}/{_bits}/total", f"{_column}.total")
        FIELDS[f"dram_{_what}_{_since}"] = (f"{_at}/dram_{_word}", f"{_column}.dram")
        FIELDS[f"sram_{_what}_{_since}"] = (f"{_at}/sram_{_word}", f"{_column}.sram")
    FIELDS[f"sram_parity_{_since}"] = (
        f"{_at}/sram_uncorrectable_parity", f"ecc.errors.uncorrected.{_since}.sram.parity",
    )  # fmt: skip
    FIELDS[f"sram_secded_{_since}"] = (
        f"{_at}/sram_uncorrectable_secded", f"{_at}/sram_uncorrectable_sec_ded",
        f"ecc.errors.uncorrected.{_since}.sram.sec_ded",
        f"ecc.errors.uncorrected.{_since}.sram.secded",
    )  # fmt: skip


def _reason(name: str, label: str, bit: int, above: str = "") -> tuple[str, ...]:
    """All places of one reason, and last its bit of the mask as hexadecimal."""
    inside = f"{above}/{label}" if above else label
    return (
        *(f"clocks_{age}_reasons/clocks_{age}_reason_{name}" for age in ("event", "throttle")),
        *(f"clocks_{age}_reasons/{inside}" for age in ("event", "throttle")),
        *(f"clocks_{age}_reasons.{name}" for age in ("event", "throttle")),
        hex(bit),
    )


# Bits: nvmlClocksEventReason* in nvml.h.
REASONS: dict[str, tuple[str, ...]] = {
    "gpu_idle": _reason("gpu_idle", "idle", 0x1),
    "applications_clocks_setting": _reason(
        "applications_clocks_setting", "applications_clocks_setting", 0x2
    ),
    "sw_power_cap": _reason("sw_power_cap", "sw_power_cap", 0x4),
    "hw_slowdown": _reason("hw_slowdown", "hw_slowdown", 0x8),
    "sync_boost": _reason("sync_boost", "sync_boost", 0x10),
    "sw_thermal_slowdown": _reason("sw_thermal_slowdown", "sw_thermal_slowdown", 0x20),
    "hw_thermal_slowdown": _reason(
        "hw_thermal_slowdown", "hw_thermal_slowdown", 0x40, "hw_slowdown"
    ),
    "hw_power_brake_slowdown": _reason(
        "hw_power_brake_slowdown", "hw_power_brake_slowdown", 0x80, "hw_slowdown"
    ),
    "display_clocks_setting": _reason("display_clocks_setting", "display_clock_setting", 0x100),
}

_ROWS = "remapped_rows"
BANKS: dict[str, tuple[str, ...]] = {
    name: (
        f"{_ROWS}/row_remapper_histogram/row_remapper_histogram_{name}",
        f"{_ROWS}/bank_remap_availability_histogram/{name}",
        f"{_ROWS}.histogram.{name}",
    )
    for name in ("max", "high", "partial", "low", "none")
}


def _counter(name: str, label: str, column: str) -> tuple[str, ...]:
    at = "clocks_event_reasons_counters"
    return (f"{at}/{at}_{name}", f"{at}/{label}", f"{at}.{column}")


COUNTERS: dict[str, tuple[str, ...]] = {
    "sw_power_cap": _counter("sw_power_cap", "sw_power_capping", "sw_power_cap"),
    "sync_boost": _counter("sync_boost", "sync_boost", "sync_boost"),
    "sw_thermal_slowdown": _counter(
        "sw_therm_slowdown", "sw_thermal_slowdown", "sw_thermal_slowdown"
    ),
    "hw_thermal_slowdown": _counter(
        "hw_therm_slowdown", "hw_thermal_slowdown", "hw_thermal_slowdown"
    ),
    "hw_power_brake_slowdown": _counter(
        "hw_power_brake", "hw_power_braking", "hw_power_brake_slowdown"
    ),
}

HEALTH: dict[str, tuple[str, ...]] = {
    name: (f"fabric/health/{name}", f"fabric.health.{name}")
    for name in (
        "summary", "bandwidth", "route_recovery_in_progress", "route_unhealthy",
        "access_timeout_recovery", "incorrect_configuration", "partition_assigned",
    )
}  # fmt: skip
