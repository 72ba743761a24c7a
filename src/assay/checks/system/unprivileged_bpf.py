"""Programs of ordinary users inside the kernel have been the way in many times."""

from collections.abc import Iterator, Sequence

from assay.checks.system.setting import level
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.system import Sysctl
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.sysctl import SETTINGS

NAME = "kernel.unprivileged_bpf_disabled"
OFF = (1, 2)  # 1 until the reboot, 2 until the administrator changes it


@check(
    "system.unprivileged-bpf",
    asks="Is BPF closed to ordinary users?",
    severity=Severity.MEDIUM,
    why="Bugs of the BPF verifier give root, and BPF is what several CPU attacks are run with; "
    "every large distribution turns it off.",
    fix="sysctl -w kernel.unprivileged_bpf_disabled=2, and keep it in /etc/sysctl.d/.",
    see=[
        "https://www.kernel.org/doc/html/latest/admin-guide/sysctl/kernel.html",
        "https://nvd.nist.gov/vuln/detail/CVE-2021-3490",
    ],
    reproduce="cat /proc/sys/kernel/unprivileged_bpf_disabled",
    plants=[
        plant(Edit(SETTINGS.source, path="/proc/sys/kernel/unprivileged_bpf_disabled", new="0\n")),
    ],
)
def unprivileged_bpf(settings: Sequence[Sysctl]) -> Iterator[Verdict]:
    """Read kernel.unprivileged_bpf_disabled; a kernel without BPF does not have it."""
    if not any(setting.name == NAME for setting in settings):
        return
    value = level(settings, NAME)
    if value == 0:
        yield failed(HOST, f"{NAME} is 0, 1 or 2 is wanted")
    elif value in OFF:
        yield passed(HOST, f"{NAME} is {value}")
    else:
        yield unknown(HOST, f"{NAME} is {value}")
