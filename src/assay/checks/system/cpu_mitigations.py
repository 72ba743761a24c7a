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
        elif _SAFE.match(found.status):
            yield passed(found.name, said)
        else:
            yield unknown(found.name, said)
