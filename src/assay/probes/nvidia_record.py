"""One GPU as nvidia-smi describes it, whichever form it was asked for, and what it means."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from assay.model.facts.accelerator import Accelerator
from assay.model.facts.device import DeviceProcess
from assay.model.facts.nvidia import MigInstance, NvidiaDevice
from assay.probes.nvidia_fields import BANKS, COUNTERS, FIELDS, HEALTH, REASONS
from assay.probes.nvidia_words import (
    VENDOR,
    active,
    bare,
    enabled,
    fault,
    partition,
    said,
    version,
    yes,
)
from assay.probes.pasted import bdf, count, real

Values = Mapping[str, str]
Fact = Accelerator | NvidiaDevice | MigInstance | DeviceProcess


@dataclass(slots=True)
class Record:
    """What was said of one GPU: values by path (``fb_memory_usage/total``), and its lists.

    ``processes`` is None where nothing was said about them. ``lost`` is the sentence that stands
    in place of the GPU.
    """

    driver: str = ""
    values: dict[str, str] = field(default_factory=dict)
    migs: list[dict[str, str]] = field(default_factory=list)
    processes: list[dict[str, str]] | None = None
    index: int | None = None
    lost: str = ""

    def word(self, name: str) -> str:
        """The value called *name* in :data:`FIELDS` as it was printed; "" when there is none."""
        return next((self.values[path] for path in FIELDS[name] if path in self.values), "")

    def first(self, name: str) -> str:
        """Like :meth:`word`, but passes over paths whose value is a refusal."""
        told = [self.values[path] for path in FIELDS[name] if path in self.values]
        return next((value for value in told if said(value)), told[0] if told else "")

    def number(self, name: str) -> float | None:
        """A number from zero up."""
        found = real(bare(self.first(name)))
        return found if found is not None and found >= 0 else None

    def count(self, name: str) -> int | None:
        """A whole number from zero up."""
        found = count(bare(self.first(name)))
        return found if found is not None and found >= 0 else None

    def counts(self, *names: str) -> int | None:
        """The sum of the counts that were told; None when none was."""
        found = [value for value in map(self.count, names) if value is not None]
        return sum(found) if found else None

    @property
    def bdf(self) -> str:
        """Its PCI address in the house form."""
        return bdf(self.word("bdf"))


def accelerator(record: Record, index: int) -> Accelerator:
    """The GPU itself."""
    return Accelerator(
        vendor=VENDOR,
        index=index,
        product=said(record.word("product")),
        uuid=said(record.word("uuid")),
        bdf=record.bdf,
        driver=version(record.driver),
        firmware=said(record.word("firmware")),
        memory_mib=record.number("memory"),
        memory_used_mib=record.number("memory_used"),
        utilization_percent=record.number("utilization"),
        temperature_c=record.number("temperature"),
        memory_temperature_c=record.number("memory_temperature"),
        power_w=record.number("power"),
        power_limit_w=record.number("power_limit"),
        power_default_w=record.number("power_default"),
        pcie_generation=record.count("generation"),
        pcie_generation_max=record.count("generation_max"),
        pcie_width=record.count("width"),
        pcie_width_max=record.count("width_max"),
        pcie_replays=record.count("replays"),
        ecc_enabled=enabled(record.word("ecc")),
        ecc_corrected_volatile=_ecc(record, "corrected", "volatile"),
        ecc_uncorrected_volatile=_ecc(record, "uncorrected", "volatile"),
        ecc_corrected_aggregate=_ecc(record, "corrected", "aggregate"),
        ecc_uncorrected_aggregate=_ecc(record, "uncorrected", "aggregate"),
        remap_corrected=record.count("remap_corrected"),
        remap_uncorrected=record.count("remap_uncorrected"),
        remap_pending=yes(record.word("remap_pending")),
        remap_failed=yes(record.word("remap_failed")),
        retired_pages=record.counts("retired_single", "retired_double"),
        retire_pending=yes(record.word("retire_pending")),
        throttle=_throttle(record),
        persistence=enabled(record.word("persistence")),
        compute_mode=said(record.word("compute_mode")),
        partition_mode=partition(record.word("mig")),
        processes=None if record.processes is None else len(record.processes),
        fabric_state=said(record.word("fabric_state")),
        fabric_status=said(record.word("fabric_status")),
        fault=_fault(record),
    )


def device(record: Record, index: int) -> NvidiaDevice:
    """What no other vendor says."""
    protected = record.number("protected_memory")
    return NvidiaDevice(
        index=index,
        bdf=record.bdf,
        architecture=said(record.word("architecture")),
        performance_state=said(record.word("performance_state")),
        recovery_action=_recovery(record),
        addressing=said(record.word("addressing")),
        c2c_enabled=enabled(record.word("c2c")),
        confidential_compute=None if protected is None else protected > 0,
        virtualization=_own_none(record.word("virtualization")),
        gsp_firmware=said(record.word("gsp_firmware")),
        ecc_pending=enabled(record.word("ecc_pending")),
        partition_pending=partition(record.word("mig_pending")),
        sram_volatile=_sram(record, "volatile"),
        sram_aggregate=_sram(record, "aggregate"),
        sram_threshold_exceeded=yes(record.word("sram_threshold")),
        channel_repair_pending=yes(record.word("channel_repair")),
        tpc_repair_pending=yes(record.word("tpc_repair")),
        unrepairable_memory=yes(record.word("unrepairable")),
        banks=tuple(_named(record, BANKS)),
        thermal_margin_c=real(bare(record.word("thermal_margin"))),
        slowdown_c=record.number("slowdown"),
        graphics_clock_mhz=record.number("graphics_clock"),
        graphics_clock_max_mhz=record.number("graphics_clock_max"),
        memory_clock_mhz=record.number("memory_clock"),
        memory_clock_max_mhz=record.number("memory_clock_max"),
        throttled_us=tuple(_named(record, COUNTERS)),
        fabric_health=tuple(_health(record)),
        clique=said(record.word("clique")),
        cluster=said(record.word("cluster")),
    )


def everything(record: Record, index: int) -> Iterator[Fact]:
    """All facts of one GPU."""
    yield accelerator(record, index)
    extra = device(record, index)
    if extra != NvidiaDevice(index, extra.bdf):
        yield extra
    yield from _migs(record, index)
    yield from _processes(record, index)


def _ecc(record: Record, what: str, since: str) -> int | None:
    """The total that the tool states (older GPUs), else the sum of the memories it names."""
    total = record.count(f"ecc_{what}_{since}")
    if total is not None:
        return total
    if what == "corrected":
        return record.counts(f"sram_corrected_{since}", f"dram_corrected_{since}")
    found = [_sram(record, since), record.count(f"dram_uncorrected_{since}")]
    told = [value for value in found if value is not None]
    return sum(told) if told else None


def _sram(record: Record, since: str) -> int | None:
    split = record.counts(f"sram_parity_{since}", f"sram_secded_{since}")
    return record.count(f"sram_uncorrected_{since}") if split is None else split


def _throttle(record: Record) -> tuple[str, ...] | None:
    told = [
        (name, record.values[path])
        for name, paths in REASONS.items()
        for path in paths[:-1]
        if path in record.values
    ]
    return active(told) if told else _mask(record.word("clock_event_reasons"))


def _mask(word: str) -> tuple[str, ...] | None:
    """Reasons from the bit mask of ``clocks_event_reasons.active``."""
    try:
        bits = int(bare(word), 16)
    except ValueError:
        return None
    named = {int(paths[-1], 16): name for name, paths in REASONS.items()}
    if bits < 0 or bits & ~sum(named):
        return None
    return tuple(name for bit, name in named.items() if bits & bit and name != "gpu_idle")


def _recovery(record: Record) -> str:
    word = _own_none(record.word("recovery_action"))
    if word:
        return word
    # Before driver 570 two questions said the same.
    drain, reset = yes(record.word("drain_and_reset")), yes(record.word("reset_required"))
    if drain:
        return "Drain and Reset"
    return {True: "Reset", False: "None", None: ""}[reset]


def _own_none(word: str) -> str:
    """*word* where "None" is an answer: no virtualisation, no action to take."""
    return "None" if bare(word).lower() == "none" else said(word)


def _named(record: Record, paths: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, int]]:
    for name, places in paths.items():
        told = next((record.values[path] for path in places if path in record.values), "")
        value = count(bare(told))
        if value is not None and value >= 0:
            yield name, value


def _health(record: Record) -> Iterator[tuple[str, str]]:
    for name, places in HEALTH.items():
        word = bare(next((record.values[path] for path in places if path in record.values), ""))
        if word and word.lower() != "n/a":
            yield name, word


def _fault(record: Record) -> str:
    """The error words among the values; a lost GPU says one everywhere."""
    words: dict[str, list[str]] = {}
    for name, paths in FIELDS.items():
        for path in paths:
            word = fault(record.values.get(path))
            if word and name not in words.get(word, ()):
                words.setdefault(word, []).append(name)
    return "; ".join(f"{word} ({_some(names)})" for word, names in words.items())


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(name.replace("_", " ") for name in names[:3]) + more


def _value(values: Values, *paths: str) -> str:
    return next((values[path] for path in paths if path in values), "")


def _migs(record: Record, index: int) -> Iterator[MigInstance]:
    for values in record.migs:
        total = real(_value(values, "fb_memory_usage/total", "shared_fb_memory_usage/total"))
        used = real(_value(values, "fb_memory_usage/used", "shared_fb_memory_usage/used"))
        errors = count(
            _value(
                values,
                "ecc_error_count/volatile_count/sram_uncorrectable",
                "ecc_errors/volatile/sram_uncorrectable",
            )
        )
        yield MigInstance(
            index=index,
            device=count(values.get("index")),
            gpu_instance=count(values.get("gpu_instance_id")),
            compute_instance=count(values.get("compute_instance_id")),
            memory_mib=total,
            memory_used_mib=used,
            uuid=said(values.get("uuid")),
            ecc_uncorrected=errors,
        )


def _processes(record: Record, index: int) -> Iterator[DeviceProcess]:
    for values in record.processes or ():
        pid = count(values.get("pid"))
        if pid is not None:
            yield DeviceProcess(
                VENDOR,
                index,
                pid,
                said(values.get("process_name")),
                real(bare(values.get("used_memory"))),
            )
