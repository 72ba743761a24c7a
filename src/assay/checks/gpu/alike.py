"""The accelerators of one node are of one kind, one firmware and one setting."""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering, for_servers
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

FIELDS = {
    "product": "product",
    "memory_mib": "memory in MiB",
    "firmware": "firmware",
    "power_limit_w": "power limit in W",
    "partition_mode": "partition mode",
    "ecc_enabled": "ECC",
}
SILENT = (None, "")  # the tool did not say
CHOSEN = ("partition_mode",)  # sites cut some boards of a node into slices on purpose


@check(
    "gpu.alike",
    asks="Are the accelerators of a node alike?",
    severity=Severity.MEDIUM,
    why="A job runs at the pace of the odd one: another model, firmware, power limit or mode.",
    fix="Bring the odd board to the firmware and settings of its neighbours, or replace it.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,name,vbios_version,memory.total,power.limit,"
    "mig.mode.current,ecc.mode.current --format=csv",
    plants=[
        plant(Edit(XML.source, old="<vbios_version>96.00.D9.00.01<",
                   new="<vbios_version>96.00.74.00.01<"), name="another firmware"),
        plant(Edit(XML.source, old="<current_power_limit>700.00 W",
                   new="<current_power_limit>500.00 W"), name="another power limit"),
    ],
)  # fmt: skip
def alike(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Compare each field over the devices of one vendor; the minority is named."""
    for vendor in sorted({device.vendor for device in devices}):
        sound = [d for d in answering(devices) if d.vendor == vendor and for_servers(d)]
        if len(sound) < 2:
            continue
        verdicts = [verdict for field in FIELDS for verdict in _odd(field, vendor, sound)]
        yield from verdicts
        told = [name for field, name in FIELDS.items() if getattr(sound[0], field) not in SILENT]
        if not verdicts and told:
            yield passed(vendor, f"{len(sound)} are alike in {', '.join(told)}")
        elif not verdicts:
            yield unknown(vendor, f"the tool tells nothing that sets {len(sound)} devices apart")


def _odd(field: str, vendor: str, devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    name, total = FIELDS[field], len(devices)
    values = {device.subject: getattr(device, field) for device in devices}
    told = Counter(value for value in values.values() if value not in SILENT)
    if not told:
        return
    severity = Severity.LOW if field in CHOSEN else None
    (usual, count), *_ = told.most_common()
    if 2 * count <= total and len(told) > 1:
        split = ", ".join(f"{_word(value)} on {n}" for value, n in told.most_common())
        yield failed(vendor, f"{name} differs: {split}", severity=severity)
        return
    for subject, value in values.items():
        if value in SILENT:
            yield unknown(subject, f"the tool does not say its {name}, {count} have {_word(usual)}")
        elif value != usual:
            seen = f"{name} is {_word(value)}, {count} of {total} have {_word(usual)}"
            yield failed(subject, seen, severity=severity)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
