"""Without secure boot, whoever was root once can stay below the kernel for ever."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import KernelLock
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.device_exposure_locks import LOCKS

VARIABLE = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


@check(
    "security.secure-boot",
    asks="Does the firmware boot signed software only?",
    severity=Severity.INFO,
    why="On bare metal that changes hands, a boot loader left by the last tenant runs before "
    "anything that the next one can inspect.",
    fix="Turn secure boot on and sign the accelerator's modules, or have the provider attest how "
    "it wipes and measures nodes between tenants.",
    see=["https://wiki.debian.org/SecureBoot"],
    reproduce="mokutil --sb-state",
    plants=[plant(Edit(LOCKS.source, path=VARIABLE, new="\x06\x00\x00\x00\x00"))],
)
def secure_boot(locks: Sequence[KernelLock]) -> Iterator[Verdict]:
    """The firmware's own variable; without EFI the question does not arise."""
    for lock in locks:
        if lock.name == "secure-boot" and lock.state == "on":
            yield passed(HOST, "the firmware says that secure boot is on")
        elif lock.name == "secure-boot":
            yield failed(HOST, f"the firmware says that secure boot is {lock.state}")
