"""CVEs that the changelogs of installed packages name as fixed: proof of a backport."""

import re
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath

from assay.kit.probe import probe
from assay.kit.reading import MIB, command, files
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.software import ChangelogFix

# Packages that run as root, face the network, or confine tenants.
NAMES = (
    "runc", "crun", "containerd", "containerd.io", "docker.io", "docker-ce", "podman", "buildah",
    "cri-o", "apptainer", "singularity-container", "openssh-server", "sudo", "systemd", "libc6",
    "libpam-modules", "util-linux", "libssl3", "libssl3t64", "openssl", "polkitd", "munge",
    "slurmd", "slurmctld", "slurm-wlm", "qemu-system-x86", "libnvidia-container1",
    "nvidia-container-toolkit", "linux-image-*", "linux-modules-[0-9]*",
)  # fmt: skip
DEBIAN = files(
    "/usr/share/doc/{" + ",".join(NAMES) + "}/changelog.Debian.gz",
    name="changelogs",
    deadline=20.0,
    cap=16 * MIB,
    on_request=True,
)
_MARK = "@@ "
RPM = command(
    "rpm",
    "-q",
    "--qf",
    _MARK + r"%{NAME}\n[- %{CHANGELOGTEXT}\n]",
    *("runc", "crun", "containerd.io", "docker-ce", "podman", "buildah", "cri-o", "apptainer"),
    *("openssh-server", "sudo", "systemd", "glibc", "pam", "util-linux", "openssl-libs", "polkit"),
    *("munge", "slurm-slurmd", "slurm", "qemu-kvm-core", "kernel-core", "kernel"),
    name="rpm-changelogs",
    deadline=20.0,
    cap=16 * MIB,
    looks_like=rf"^{_MARK}[\w.+-]+\n- ",
    on_request=True,
)
MOST = 8 * MIB  # of one unpacked changelog; the newest entries come first
_CVE = re.compile(r"\bCVE-\d{4}-\d{4,}\b")
_ITEM = re.compile(r"^ {1,2}[*+-] |^- |^\S", re.MULTILINE)  # a bullet, or a release's heading
# An item with one of these may take a fix away again, or say that there is none.
_DOUBTFUL = re.compile(
    r"\brevert\w*|\bback(?:ed|ing)? out\b"
    r"|\b(?:remov|drop|disabl)\w*:?\s+(?:\S+\s+){0,4}?\S*(?:patch|\bfix|CVE-)"
    r"|(?:\.patch|CVE-\d+-\d+)\S*:?\s+(?:temporarily )?(?:removed|dropped|disabled|ignored)\b"
    r"|\bunfixed\b|\bpending\b"
    r"|\b(?:not|n't) (?:yet )?(?:fix|affect|vulnerable)|n't (?:affect|fix)",
    re.IGNORECASE,
)
# Kernel items are headed by the CVE, and undoing a bad commit is then the fix itself.
_OF_CVE = re.compile(r"\W*CVE-")
_UNDONE = re.compile(r'^\s+- (?:\S+: )*Revert ".*$', re.MULTILINE)


@probe("software.changelogs-debian", reads=[DEBIAN])
def debian(seen: Seen) -> Iterator[ChangelogFix]:
    """CVEs that Debian changelogs name as fixed; absence of one proves nothing."""
    for entry in seen.entries(DEBIAN):
        if entry.status != Status.ANSWERED:
            continue  # no proof from this one
        package = PurePosixPath(entry.path).parent.name
        for cve in fixed(_unpacked(entry.data, entry.path)):
            yield ChangelogFix(package, cve)


@probe("software.changelogs-rpm", reads=[RPM])
def rpm(seen: Seen) -> Iterator[ChangelogFix]:
    """CVEs that RPM changelogs name as fixed; absence of one proves nothing."""
    if seen.absent(RPM):
        return
    # The exit code counts the names that are not installed.
    text = seen.text(RPM, exits=tuple(range(len(RPM.argv))))
    for block in re.split(rf"^{_MARK}", text, flags=re.MULTILINE)[1:]:
        package, _, log = block.partition("\n")
        for cve in fixed(log):
            yield ChangelogFix(package.strip(), cve)


def fixed(changelog: str) -> list[str]:
    """CVEs that *changelog*, newest first, names as fixed and does not take back later."""
    told: dict[str, bool] = {}
    starts = [match.start() for match in _ITEM.finditer(changelog)]
    for start, end in pairwise([*starts, len(changelog)]):
        item = changelog[start:end]
        named = _CVE.findall(item)
        if not named:
            continue
        if _OF_CVE.match(item):
            item = _UNDONE.sub("", item)
        sound = _DOUBTFUL.search(item) is None
        for cve in named:
            told.setdefault(cve, sound)
    return [cve for cve, sound in told.items() if sound]


def _unpacked(data: bytes, path: str) -> str:
    """The head of a gzip file, at most MOST bytes; text that is not packed is taken as it is."""
    if data[:2] != b"\x1f\x8b":
        return data[:MOST].decode("utf-8", "replace")
    try:
        return zlib.decompressobj(wbits=31).decompress(data, MOST).decode("utf-8", "replace")
    except zlib.error as error:
        raise Unread(f"`{path}` is damaged: {error}") from error
