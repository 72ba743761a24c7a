"""The kernel says for each CPU vulnerability whether this machine is protected."""

import re
from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.system import CpuVulnerability
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.vulnerabilities import ROOT, VULNERABILITIES

_SAFE = re.compile(r"Not affected\b|(?:KVM: )?Mitigation[:;] ?\S", re.IGNORECASE)
# What follows "Mitigation: WORDS" when it is good: parts, by the sources of kernel 4.14 to 6.18 and
# of the distributions; lscpu leaves the colons out.
_GOOD_PART = re.compile(
    r"IBPB(?::? (?:conditional|always-on|disabled))?|IBRS_FW|RSB filling|Stuffing RSB|BHB"
    r"|STIBP:? (?:conditional|always-on|forced|disabled)"
    r"|PBRSB-eIBRS:? (?:SW sequence|Not affected)"
    r"|BHI:? (?:Not affected|Retpoline|BHI_DIS_S|SW loop)|KVM:? (?:SW loop|Not affected)"
    r"|VMX:? (?:(?:conditional )?cache flushes|EPT disabled|flush not necessary)"
    r"|SMT (?:disabled|mitigated|enabled with STIBP protection)"
    r"|(?:usercopy/)?swapgs barriers and __user pointer sanitization"
    r"|usercopy/swapgs barriers|__user pointer sanitization|L1D private per thread"
    r"|Software link stack flush|Hardware link stack flush|ori31 speculation barrier enabled",
    re.IGNORECASE,
)
_EXPOSED = re.compile(r"\bvulnerable\b", re.IGNORECASE)
_SMT_ONLY = re.compile(r"(?:KVM: )?Mitigation[:;].*\bSMT vulnerable$", re.IGNORECASE)


@check(
    "system.cpu-mitigations",
    asks="Does the kernel mitigate every CPU vulnerability that it knows of?",
    severity=Severity.MEDIUM,
    why="Where several users or tenants share a machine, an unmitigated processor lets one read "
    "the other's memory.",
    fix="Boot without mitigations=off, update microcode and firmware, and on a virtual machine "
    "ask for the processor features that the mitigation needs.",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/hw-vuln/index.html"],
    reproduce="grep . /sys/devices/system/cpu/vulnerabilities/*",
    plants=[
        plant(
            Edit(VULNERABILITIES.source, path=ROOT + "spectre_v2", new="Vulnerable\n"),
            name="mitigations=off",
        ),
        plant(
            Edit(
                VULNERABILITIES.source,
                path=ROOT + "spectre_v2",
                old="BHI: BHI_DIS_S",
                new="BHI: Vulnerable",
            ),
            name="one part of a mitigation is missing",
        ),
    ],
)
def cpu_mitigations(vulnerabilities: Sequence[CpuVulnerability]) -> Iterator[Verdict]:
    """Read the kernel's words; those that are not known to be good are not taken for good."""
    for found in vulnerabilities:
        said = f"the kernel says: {found.status}"
        if _SMT_ONLY.match(found.status):  # mitigated but for sibling threads
            yield failed(found.name, said, severity=Severity.LOW)
        elif _EXPOSED.search(found.status):
            yield failed(found.name, said)
        elif not _SAFE.match(found.status):
            yield unknown(found.name, said)
        elif odd := _odd_part(found.status):
            yield unknown(found.name, f"{said}; {odd!r} is not listed")
        else:
            yield passed(found.name, said)


def _odd_part(status: str) -> str:
    """The first part after the mitigation itself that is not known to be good."""
    parts = re.split(r"[;,] *", re.sub(r"^(?:KVM: )?Mitigation[:;] *", "", status))
    return next((part for part in parts[1:] if not _GOOD_PART.fullmatch(part.strip())), "")
