"""The accelerators of one node are of one kind and one firmware."""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

FIELDS = (
    ("product", "product"),
    ("memory_mib", "memory in MiB"),
    ("firmware", "firmware"),
    ("power_limit_w", "power limit in W"),
    ("partition_mode", "partition mode"),
    ("ecc_enabled", "ECC"),
)


@check(
    "gpu.alike",
    asks="Are the accelerators of a node alike?",
    severity=Severity.MEDIUM,
    why="A job runs at the pace of the odd one: another model, firmware, power limit or mode.",
    fix="Bring the odd board to the firmware and settings of its neighbours, or replace it.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=name,vbios_version,power.limit,mig.mode.current --format=csv",
    plants=[
        plant(Edit(XML.source, old="<vbios_version>96.00.D9.00.01<", new="<vbios_version>96.00.74.00.01<")),
    ],
)  # fmt: skip
def alike(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Compare each field over the devices of one vendor; the minority is named."""
    for vendor in sorted({device.vendor for device in devices}):
        sound = [d for d in devices if d.vendor == vendor and not d.fault]
        if len(sound) < 2:
            continue
        odd = list(_odd(sound))
        yield from odd
        if not odd:
            yield passed(vendor, f"{len(sound)} x {sound[0].product or 'the same'}, all alike")


def _odd(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    for field, name in FIELDS:
        values = {device.subject: getattr(device, field) for device in devices}
        told = Counter(value for value in values.values() if value not in (None, ""))
        if len(told) < 2:
            continue
        (usual, count), *_ = told.most_common()
        for subject, value in values.items():
            if value not in (None, "", usual):
                seen = f"{name} is {value}, {count} of {len(devices)} have {usual}"
                yield failed(subject, seen)
