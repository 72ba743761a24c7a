"""AppArmor or SELinux is what is left when a container has been broken out of."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import KernelLock
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.device_exposure_locks import LOCKS

MODULES = ("apparmor", "selinux")


@check(
    "security.access-control",
    asks="Is AppArmor or SELinux enforcing?",
    severity=Severity.LOW,
    why="Container engines confine their containers with it; without, one kernel or runtime bug "
    "is enough to reach the host.",
    fix="Boot without `apparmor=0` or `selinux=0`, and set SELINUX=enforcing in "
    "/etc/selinux/config.",
    see=[
        "https://docs.docker.com/engine/security/apparmor/",
        "https://docs.redhat.com/en/documentation/red_hat_enterprise_linux/9/html/using_selinux/index",
    ],
    reproduce="cat /sys/module/apparmor/parameters/enabled; getenforce",
    plants=[
        plant(Edit(LOCKS.source, path="/sys/module/apparmor/parameters/enabled", old="Y", new="N"))
    ],
)
def access_control(locks: Sequence[KernelLock]) -> Iterator[Verdict]:
    """One of the two is enough."""
    found = {lock.name: lock.state for lock in locks if lock.name in MODULES}
    on = [name for name, state in found.items() if state == "on"]
    if on:
        yield passed(HOST, f"{on[0]} is on")
    elif found:
        words = ", ".join(f"{name} is {state}" for name, state in found.items())
        yield failed(HOST, f"{words}: nothing confines containers and services")
