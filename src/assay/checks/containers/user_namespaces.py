"""Rootless container engines live in user namespaces."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import NamespaceSetting
from assay.model.facts.software import Software
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.device_exposure_locks import NAMESPACES

ROOTLESS = ("enroot", "apptainer", "podman", "singularity-ce")
MOST = "user.max_user_namespaces"
CLONE = "kernel.unprivileged_userns_clone"  # Debian and Ubuntu
RESTRICT = "kernel.apparmor_restrict_unprivileged_userns"  # Ubuntu 23.10 and later


@check(
    "containers.user-namespaces",
    asks="Do rootless container engines get the user namespaces that they need?",
    severity=Severity.MEDIUM,
    why="Enroot, and Apptainer and Podman without setuid, fail to start for ordinary users when "
    "the kernel refuses them a user namespace.",
    fix=f"Set {CLONE}=1 and {MOST} above 0 in /etc/sysctl.d; on Ubuntu 24.04 give the engine an "
    "AppArmor profile with `userns`.",
    see=[
        "https://github.com/NVIDIA/enroot/blob/master/doc/requirements.md",
        "https://man7.org/linux/man-pages/man7/user_namespaces.7.html",
    ],
    reproduce=f"sysctl {MOST} {CLONE} {RESTRICT}; unshare -Ur true",
    plants=[
        plant(Edit(NAMESPACES.source, path="/proc/sys/kernel/unprivileged_userns_clone", new="0\n"))
    ],
)
def user_namespaces(
    settings: Sequence[NamespaceSetting], software: Sequence[Software] | None
) -> Iterator[Verdict]:
    """The kernel's switches, on nodes that have a rootless engine."""
    engines = sorted({t.component for t in software or () if t.component in ROOTLESS})
    found = {s.name: s.value for s in settings}
    if not engines or not found:
        return
    names = ", ".join(engines)
    if found.get(MOST) == "0" or found.get(CLONE) == "0":
        words = " ".join(f"{name}={value}" for name, value in found.items())
        yield failed(HOST, f"{words}: {names} cannot start for ordinary users")
    elif found.get(RESTRICT) == "1":
        because = f"{RESTRICT} is 1: {names} needs an AppArmor profile to start"
        yield failed(HOST, because, severity=Severity.LOW)
    else:
        words = ", ".join(f"{name} is {value}" for name, value in found.items())
        yield passed(HOST, f"{words}, for {names}")
