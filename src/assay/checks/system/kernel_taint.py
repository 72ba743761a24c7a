"""The kernel remembers the worst that has happened since boot."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.system import Kernel
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.kernel import KERNEL

# Bits of /proc/sys/kernel/tainted that tell of trouble (kernel documentation, tainted-kernels).
# Proprietary, out-of-tree and unsigned modules (bits 0, 12, 13) are what GPU drivers are.
GRAVE = {
    4: ("a machine check: the hardware reported an error", Severity.HIGH),
    5: ("a bad page: memory or page tables were damaged", Severity.HIGH),
    7: ("an oops: the kernel crashed and went on", Severity.HIGH),
    14: ("a soft lockup: a CPU was stuck in the kernel", Severity.MEDIUM),
    2: ("a CPU that is out of its specification", Severity.MEDIUM),
    9: ("a warning of the kernel about its own state", Severity.LOW),
}
PATH = "/proc/sys/kernel/tainted"


@check(
    "system.kernel-taint",
    asks="Has the kernel seen no oops, machine check, bad page or lockup since boot?",
    severity=Severity.HIGH,
    why="Taint flags outlive the kernel log: they prove a crash or a hardware error that has "
    "scrolled away.",
    fix="Find the first trace in the journal (journalctl -k), mend or replace the hardware, "
    "reboot to clear the flag.",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/tainted-kernels.html"],
    reproduce="cat /proc/sys/kernel/tainted",
    plants=[
        plant(Edit(KERNEL.source, path=PATH, new="12417\n"), name="an oops"),
        plant(Edit(KERNEL.source, path=PATH, new="12305\n"), name="a machine check"),
    ],
)
def kernel_taint(kernels: Sequence[Kernel]) -> Iterator[Verdict]:
    """Decode the grave bits of the taint value."""
    for kernel in kernels:
        if kernel.taint is None:
            yield unknown(HOST, f"{PATH} was not read")
            continue
        found = [what for bit, what in GRAVE.items() if kernel.taint >> bit & 1]
        for meaning, severity in found:
            yield failed(HOST, f"{meaning} (taint {kernel.taint})", severity=severity)
        if not found:
            yield passed(HOST, f"taint {kernel.taint} shows no crash and no hardware error")
