"""A board with less memory than its kind is another board, or a broken one."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

LESS = 0.06  # drivers keep a few per cent for themselves, and makers round
MORE = 0.08  # GDDR gives back the sixteenth that ECC takes when ECC is off
WHOLE = ("", "disabled", "spx")  # modes in which a device is not cut up


@check(
    "gpu.memory-size",
    asks="Has every accelerator the memory of its part?",
    severity=Severity.HIGH,
    why="A job that fits on its siblings runs out of memory on the board that has less.",
    fix="Check that the board is the one you pay for; a board that lost memory is replaced.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,name,memory.total --format=csv",
    plants=[
        plant(Edit(XML.source, old="<total>81559 MiB</total>", new="<total>71559 MiB</total>"),
              name="less"),
    ],
)  # fmt: skip
def memory_size(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Compare the reported memory with the parts table; unlisted parts are left out."""
    for device in answering(devices):
        part = part_of(device)
        if part is None or part.memory_gib is None:
            continue
        if device.partition_mode.split("/")[0].lower() not in (*WHOLE, "enabled"):
            why = f"in mode {device.partition_mode} each partition has a part of the memory"
            yield not_applicable(device.subject, why)
        elif device.memory_mib is None:
            yield unknown(device.subject, "the tool does not say how much memory it has")
        else:
            gib, whole = device.memory_mib / 1024, part.memory_gib
            seen = f"{gib:.1f} GiB, the {part.name} has {whole:.1f} GiB"
            sound = (1 - LESS) * whole <= gib <= (1 + MORE) * whole
            yield passed(device.subject, seen) if sound else failed(device.subject, seen)
