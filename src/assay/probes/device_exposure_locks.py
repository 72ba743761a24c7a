"""Locks that the kernel and the firmware put on a node."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen
from assay.model.evidence import Status
from assay.model.facts.exposure import KernelLock, NamespaceSetting

LOCKS = files(
    "{/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c,"
    "/sys/kernel/security/lockdown,/sys/module/apparmor/parameters/enabled,"
    "/sys/fs/selinux/enforce}",
    name="kernel-locks",
)
NAMESPACES = files(
    "/proc/sys/{user/max_user_namespaces,kernel/unprivileged_userns_clone,"
    "kernel/apparmor_restrict_unprivileged_userns}",
    name="user-namespaces",
)
_SWITCHES = (
    "max_user_namespaces",
    "unprivileged_userns_clone",
    "apparmor_restrict_unprivileged_userns",
)


@probe("security.kernel-locks", reads=[LOCKS])
def locks(seen: Seen) -> Iterator[KernelLock]:
    """Secure boot, kernel lockdown, AppArmor and SELinux."""
    for entry in seen.entries(LOCKS):
        found = _lock(entry.path, entry.data) if entry.status == Status.ANSWERED else None
        if found:
            yield found
        else:
            seen.lose(entry.path, f"{entry.status} {entry.data[:40]!r}")


def _lock(path: str, data: bytes) -> KernelLock | None:
    text = data.decode("utf-8", "replace").strip()
    name = PurePosixPath(path).name
    # An EFI variable: four bytes of attributes, then its value; 1 is on.
    if name.startswith("SecureBoot-") and len(data) == 5 and data[4] in (0, 1):
        return KernelLock("secure-boot", "on" if data[4] else "off")
    if name == "lockdown" and (chosen := re.search(r"\[(\w+)\]", text)):
        return KernelLock("lockdown", chosen[1])
    if name == "enabled" and text in ("Y", "N"):
        return KernelLock("apparmor", "on" if text == "Y" else "off")
    if name == "enforce" and text in ("0", "1"):
        return KernelLock("selinux", "on" if text == "1" else "permissive")
    return None


@probe("security.user-namespaces", reads=[NAMESPACES])
def namespaces(seen: Seen) -> Iterator[NamespaceSetting]:
    """Switches of the kernel, of Debian and of Ubuntu for user namespaces."""
    number = dict.fromkeys(_SWITCHES, r"-?\d{1,18}")
    for path, value in seen.values(NAMESPACES, number):
        yield NamespaceSetting(path.removeprefix("/proc/sys/").replace("/", "."), value)
