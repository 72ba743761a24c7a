"""A board with less memory than its kind is another board, or a broken one."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

SLACK = 0.06  # drivers keep a few per cent for themselves, and makers round


@check(
    "gpu.memory-size",
    asks="Has every accelerator the memory of its part?",
    severity=Severity.HIGH,
    why="A job that fits on its siblings runs out of memory on the board that has less.",
    fix="Check that the board is the one you pay for; a board that lost memory is replaced.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=name,memory.total --format=csv",
    plants=[plant(Edit(XML.source, old="<total>81559 MiB</total>", new="<total>71559 MiB</total>"))],
)  # fmt: skip
def memory_size(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Compare the reported memory with the parts table; unlisted parts are left out."""
    for device in devices:
        part = part_of(device)
        if part is None or part.memory_gib is None or device.partition_mode == "enabled":
            continue
        if device.memory_mib is None:
            yield unknown(device.subject, "the tool does not say how much memory it has")
            continue
        gib = device.memory_mib / 1024
        seen = f"{gib:.1f} GiB, the {part.name} has {part.memory_gib:g} GiB"
        if abs(gib - part.memory_gib) > SLACK * part.memory_gib:
            yield failed(device.subject, seen)
        else:
            yield passed(device.subject, seen)
