"""Reports by hand, as real runs would give them: for snapshots, for the browser, for a look.

``show()`` at the end prints or writes one of them: see ``python tests/reports/sample.py``.
"""

import hashlib
from dataclasses import replace

from assay.kit.check import Check
from assay.model.evidence import Ref
from assay.model.finding import Finding, Judgement
from assay.model.outcome import Outcome, Severity, worst
from assay.model.report import ErrorRecord, NodeRow, NodeState, Report, Run

CRITICAL, HIGH, MEDIUM, LOW, INFO = reversed(Severity)
FAIL, UNKNOWN = Outcome.FAIL, Outcome.UNKNOWN

# id, question, severity, why, fix, links, reproduce, what a pass says, its source of evidence
RULES = [
    ("accelerator.xid-fatal", "Is every GPU free of fatal Xid errors since boot?", CRITICAL,
     "A GPU that reported Xid 79 is gone from the bus: every job that touches it dies, and the"
     " node must be reset or repaired before it can be trusted again.",
     "Drain the node, collect nvidia-bug-report.sh, power-cycle it; if the Xid comes back, have"
     " the GPU or its riser replaced.",
     ["https://docs.nvidia.com/deploy/xid-errors/index.html"], "dmesg | grep -i xid",
     "gpu 0: no fatal Xid in the kernel log", "dmesg"),
    ("accelerator.count", "Does the node have all the GPUs that it should have?", CRITICAL,
     "A missing GPU leaves every collective of the node without one rank: multi-node jobs that"
     " expect 8 per node fail at start.",
     "Compare lspci with nvidia-smi -L: present on the bus but not in the driver is a driver or"
     " GPU fault, absent from both is hardware.",
     ["https://docs.nvidia.com/datacenter/tesla/gpu-node-validation-guide/index.html"],
     "nvidia-smi -L | wc -l", "host: 8 GPUs, all equal", "nvidia-smi -q -x"),
    ("accelerator.ecc", "Is ECC on, and are there no uncorrected errors?", HIGH,
     "Without ECC a flipped bit turns into a wrong gradient that nobody sees.",
     "nvidia-smi -e 1 and reboot; replace GPUs that count uncorrected errors.",
     ["https://docs.nvidia.com/deploy/dynamic-page-retirement/index.html"],
     "nvidia-smi -q -d ECC", "gpu 0: ECC on, 0 uncorrected", "nvidia-smi -q -x"),
    ("accelerator.pcie-width", "Does every GPU use the full width of its PCIe slot?", HIGH,
     "At half the width, copies between host and GPU take twice as long: data loading and"
     " checkpointing wait.",
     "Reseat the GPU or its riser; look for bent pins and for a BIOS bifurcation setting.",
     ["https://docs.kernel.org/PCI/sysfs-pci.html"],
     "lspci -vv | grep -E 'LnkCap:|LnkSta:'", "gpu 0: x16 at 32 GT/s", "lspci -vv"),
    ("accelerator.persistence", "Does the driver stay loaded between jobs?", LOW,
     "Without persistence every job pays seconds for initialising the GPUs.",
     "systemctl enable --now nvidia-persistenced",
     ["https://docs.nvidia.com/deploy/driver-persistence/index.html"],
     "nvidia-smi -q | grep Persistence", "gpu 0: persistence is on", "nvidia-smi -q -x"),
    ("accelerator.driver-alike", "Do all nodes run the same GPU driver?", HIGH,
     "Mixed drivers make a job depend on where it lands: NCCL and CUDA behave differently.",
     "Bring the odd nodes to the version of the rest.",
     ["https://docs.nvidia.com/datacenter/tesla/drivers/index.html"],
     "nvidia-smi --query-gpu=driver_version --format=csv,noheader", "host: 580.95.05",
     "nvidia-smi -q -x"),
    ("accelerator.dcgm-diag", "Does the vendor's own quick diagnostic pass?", HIGH,
     "A failing deployment test means that the software below every job is broken.",
     "Run dcgmi diag -r 1 by hand and follow its advice.",
     ["https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/dcgm-diagnostics.html"],
     "dcgmi diag -r 1", "host: every test passes", "dcgmi diag -r 1 -j"),
    ("fabric.link-width", "Do all fabric ports run at full width and speed?", HIGH,
     "One port at a quarter of its rate holds back every collective that crosses it.",
     "Clean or replace the cable; swap ends to see whether the fault moves.",
     ["https://docs.kernel.org/infiniband/sysfs.html"], "ibstat",
     "mlx5_0/1: 4X NDR, 400 Gb/s", "ibstat"),
    ("fabric.link-errors", "Are the error counters of the fabric ports at rest?", MEDIUM,
     "Symbol errors and link recoveries stall collectives for milliseconds at a time.",
     "Reseat or replace the cable or the transceiver.",
     ["https://docs.kernel.org/infiniband/sysfs.html"], "perfquery -x",
     "mlx5_0/1: no errors", "/sys/class/infiniband/*/ports/*/counters/*"),
    ("fabric.gpudirect", "Can the network adapters reach GPU memory directly?", HIGH,
     "Without a peer-memory path all traffic goes through host memory, at a fraction of the rate.",
     "modprobe nvidia-peermem, and keep it in /etc/modules-load.d/.",
     ["https://docs.nvidia.com/cuda/gpudirect-rdma/index.html"], "lsmod | grep peermem",
     "host: nvidia_peermem is loaded", "/proc/modules"),
    ("kernel.iommu", "Is the IOMMU in passthrough mode?", MEDIUM,
     "A translating IOMMU costs bandwidth on every DMA between GPUs and adapters.",
     "Add iommu=pt to the kernel command line and reboot.",
     ["https://docs.kernel.org/admin-guide/kernel-parameters.html"], "cat /proc/cmdline",
     "host: iommu=pt", "/proc/cmdline"),
    ("system.perf-events", "May an ordinary user profile with hardware performance counters?",
     LOW, "Nsight Systems and perf lose CPU sampling and kernel events above level 1.",
     "sysctl -w kernel.perf_event_paranoid=1, and keep it in /etc/sysctl.d/.",
     ["https://www.kernel.org/doc/html/latest/admin-guide/perf-security.html"],
     "cat /proc/sys/kernel/perf_event_paranoid", "host: kernel.perf_event_paranoid is 1",
     "/proc/sys/kernel/perf_event_paranoid"),
    ("system.memory", "Is the memory free of uncorrected errors?", HIGH,
     "Uncorrected memory errors kill jobs or, worse, change data.", "Replace the DIMM.",
     ["https://docs.kernel.org/admin-guide/ras.html"],
     "grep . /sys/devices/system/edac/mc/*/ue_count", "mc0: no uncorrected errors",
     "/sys/devices/system/edac/mc/*/*"),
    ("system.clock", "Is the clock synchronised?", MEDIUM,
     "Logs of different nodes cannot be compared when their clocks differ.",
     "Enable chrony and point it to the site's time servers.",
     ["https://chrony-project.org/documentation.html"], "timedatectl", "host: synchronised",
     "timedatectl show"),
    ("storage.space", "Is there room left on every local file system?", MEDIUM,
     "A full root file system breaks logging, containers and scheduler daemons.",
     "Remove what fills it; move caches to scratch.",
     ["https://www.man7.org/linux/man-pages/man2/statfs.2.html"], "df -h -i",
     "/: 61 % free", "statfs"),
    ("storage.nvme-wear", "Are the local NVMe disks far from worn out?", MEDIUM,
     "Worn disks turn read-only in the middle of a checkpoint.", "Replace the disk.",
     ["https://nvmexpress.org/specifications/"], "nvme smart-log /dev/nvme0",
     "nvme0: 4 % used", "nvme smart-log -o json /dev/nvme0"),
    ("slurm.accounting", "Does the scheduler keep account of jobs?", HIGH,
     "Without accounting there are no limits, no fair share and no history.",
     "Set AccountingStorageType=accounting_storage/slurmdbd.",
     ["https://slurm.schedmd.com/accounting.html"], "sacct -X -S now-1hour",
     "host: a job of this hour is in the accounts", "scontrol show config"),
    ("slurm.gres", "Does the scheduler know as many GPUs as the node has?", CRITICAL,
     "A node with fewer GPUs than Slurm believes fails jobs; with more, it wastes them.",
     "Correct gres.conf, or drain the node until its GPU is back.",
     ["https://slurm.schedmd.com/gres.html"], "scontrol show node gpu-001 | grep Gres",
     "host: gres/gpu=8, 8 GPUs", "scontrol show node -o"),
    ("security.driver-cve", "Is the GPU driver free of known vulnerabilities?", HIGH,
     "CVE-2025-23266 lets a container of one tenant become root on the host.",
     "Update the driver to the fixed release of its branch.",
     ["https://nvd.nist.gov/vuln/detail/CVE-2025-23266"], "cat /proc/driver/nvidia/version",
     "host: 580.95.05 has no open advisory", "/proc/driver/nvidia/version"),
    ("security.ssh-password", "Is password login over SSH switched off?", MEDIUM,
     "Passwords are guessed around the clock on public addresses.",
     "PasswordAuthentication no in sshd_config, then systemctl reload ssh.",
     ["https://man.openbsd.org/sshd_config"], "sshd -T | grep -i passwordauth",
     "host: passwordauthentication no", "sshd -T"),
    ("security.bmc", "Is the management controller out of reach of the tenant?", CRITICAL,
     "Whoever talks to the BMC owns the machine below the operating system.",
     "Disable the host interface of the BMC or filter it; never share its network with tenants.",
     ["https://www.cisa.gov/news-events/alerts/2013/07/26/risks-using-intelligent-platform-management-interface-ipmi"],
     "ls -l /dev/ipmi*", "host: no IPMI device is open to users", "list /dev/ipmi*"),
]  # fmt: skip

CHECKS = {
    row[0]: Check(
        row[0], row[1], row[2], row[3], row[4], tuple(row[5]), row[6], (), {}, lambda: iter(())
    )
    for row in RULES
}
SOURCES = {row[0]: row[8] for row in RULES}
PASSES = {row[0]: row[7] for row in RULES}

DMESG = """\
[   12.803341] nvidia: loading out-of-tree module taints kernel.
[86102.411870] NVRM: GPU at PCI:0000:9b:00: GPU-3c1f6a0e-5a8e-11f0-9d3b-7cc2550a1f20
[86102.411874] NVRM: Xid (PCI:0000:9b:00): 79, pid=412233, name=python3, GPU has fallen off the bus.
[86102.411880] NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.
"""


def sha(text):
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def ref(check, node):
    return Ref(node, SOURCES[check], sha(f"{SOURCES[check]} on {node}"))


def excerpt(found):
    """What the lookup of a real bundle would answer."""
    return DMESG if found.source == "dmesg" else None


def finding(outcome, check, subject, because, nodes, severity=None):
    grave = severity or CHECKS[check].severity
    evidence = tuple(ref(check, node) for node in nodes[:4])
    return Finding(check, outcome, grave, subject, because, tuple(nodes), evidence)


def judgement(check, nodes, findings=(), absent=False):
    """All of *nodes* pass except where *findings* say otherwise; *absent*: not applicable."""
    rule = CHECKS[check]
    told = {node for f in findings for node in f.nodes}
    passed = 0 if absent else len(set(nodes) - told)
    outcomes = [f.outcome for f in findings] + [Outcome.PASS] * bool(passed)
    return Judgement(
        check, rule.asks, rule.severity, worst(outcomes), len(nodes), passed,
        sum(len(f.nodes) for f in findings if f.outcome is FAIL),
        sum(len(f.nodes) for f in findings if f.outcome is UNKNOWN),
        len(nodes) if absent else 0,
        PASSES[check] if passed else "",
        (ref(check, nodes[0]),) if passed else (),
        tuple(sorted(findings, key=lambda f: (-f.outcome.rank, -f.severity.rank))),
    )  # fmt: skip


def run(target, seconds=1.4, complete=True, identifying=False):
    return Run(
        "5f1c9be2a07d4e66", "2026-11-28T09:14:03+00:00", seconds, target, "0.1.0",
        sha("rules"), sha("advisories"), complete, identifying,
    )  # fmt: skip


def report(target, nodes, findings=(), absent=(), rows=None, errors=(), **about):
    judgements = tuple(
        judgement(check, nodes, [f for f in findings if f.check == check], check in absent)
        for check in sorted(CHECKS)
    )
    rows = rows or tuple(NodeRow(node, NodeState.READ) for node in nodes)
    return Report(run(target, **about), tuple(rows), judgements, tuple(errors))


def one_machine():
    here = ["h100-dev-4"]
    no_root = "`dmesg` was refused: Operation not permitted"
    return report(
        "h100-dev-4",
        here,
        [
            finding(FAIL, "accelerator.pcie-width", "gpu 5", "width x8, the part has x16", here),
            finding(
                FAIL, "security.driver-cve", "host",
                "driver 570.158.01 is open to CVE-2025-23266; fixed in 570.172.08", here,
            ),
            finding(FAIL, "accelerator.persistence", "gpu 0", "persistence is off", here),
            finding(FAIL, "accelerator.persistence", "gpu 1", "persistence is off", here),
            finding(
                FAIL, "system.perf-events", "host",
                "kernel.perf_event_paranoid is 4, at most 1 is wanted", here,
            ),
            finding(UNKNOWN, "accelerator.xid-fatal", "host", no_root, here),
            finding(UNKNOWN, "system.memory", "host", no_root, here),
            finding(
                UNKNOWN, "accelerator.dcgm-diag", "host", "`dcgmi` is not installed", here
            ),
        ],
        absent={"slurm.accounting", "slurm.gres", "accelerator.driver-alike"},
    )  # fmt: skip


def fleet():
    nodes = [f"gpu-{number:03}" for number in range(1, 33)]
    read = nodes[:-1]
    rows = [NodeRow(node, NodeState.READ, scheduler="IDLE") for node in nodes]
    rows[8] = NodeRow("gpu-009", NodeState.PARTIAL, "the connection was lost after 14 readings")
    rows[-1] = NodeRow("gpu-032", NodeState.UNREAD, "no answer within 20 s", "DOWN*")
    fallen = "Xid 79 at 86102 s: the GPU has fallen off the bus"
    errors = [
        ErrorRecord(
            "probe fabric.counters",
            "list index out of range",
            'Traceback (most recent call last):\n  File "counters.py", line 31, in counters\n'
            "IndexError: list index out of range\n",
            "gpu-014",
        )
    ]
    return report(
        "slurm:gpu",
        read,
        [
            finding(FAIL, "accelerator.xid-fatal", "gpu 5", fallen, ["gpu-007"]),
            finding(
                FAIL, "accelerator.xid-fatal", "gpu 2",
                "Xid 48 (double-bit ECC error) twice since boot", ["gpu-021"],
            ),
            finding(
                FAIL, "accelerator.count", "host", "7 GPUs in the driver, 8 on the bus",
                ["gpu-007"],
            ),
            finding(FAIL, "slurm.gres", "host", "gres/gpu=8, 7 GPUs in the driver", ["gpu-007"]),
            finding(
                FAIL, "accelerator.driver-alike", "host",
                "570.124.06, most nodes (28 of 31) run 580.95.05",
                ["gpu-003", "gpu-011", "gpu-012"],
            ),
            finding(
                FAIL, "fabric.link-width", "mlx5_4/1", "2X NDR (200 Gb/s), the port has 4X",
                ["gpu-018"],
            ),
            finding(
                FAIL, "fabric.link-errors", "mlx5_4/1",
                "link_downed is 17, symbol_error is 40,211; both should be 0", ["gpu-018"],
            ),
            finding(
                FAIL, "storage.space", "/", "2 % free (9.1 GiB of 446 GiB), 10 % is wanted",
                ["gpu-001", "gpu-002", "gpu-026"],
            ),
            finding(
                FAIL, "security.ssh-password", "host", "passwordauthentication yes", read,
                severity=LOW,
            ),
            finding(
                UNKNOWN, "accelerator.dcgm-diag", "host", "`dcgmi` is not installed", read[:16]
            ),
            finding(
                UNKNOWN, "fabric.link-errors", "host",
                "a bug in Assay kept this from being judged (IndexError)", ["gpu-014"],
            ),
            finding(
                UNKNOWN, "storage.nvme-wear", "host", "`nvme` needs root: Permission denied", read
            ),
            finding(
                UNKNOWN, "security.bmc", "host", "`nvme` needs root: Permission denied",
                ["gpu-009"],
            ),
        ],
        rows=rows,
        errors=errors,
        seconds=21.8,
    )  # fmt: skip


def all_green():
    return report("h100-ref", [f"h100-{number}" for number in range(1, 5)], seconds=3.2)


def plain_vm():
    """A virtual machine without accelerators: little applies, and nothing is wrong with that."""
    applies = {"system.clock", "system.perf-events", "storage.space", "security.ssh-password"}
    return report("vm-17", ["vm-17"], absent=set(CHECKS) - applies, seconds=0.6, identifying=True)


def nothing():
    """No node could be read at all, and the run was interrupted."""
    rows = [NodeRow(f"n{at}", NodeState.UNREAD, "ssh: connection refused") for at in range(3)]
    return Report(run("ssh:lab", complete=False), tuple(rows), ())


def large(count=12_500, sick=100):
    """100,000 GPUs, of which a hundred nodes are sick in different ways."""
    nodes = [f"pod{number // 500:02}-gpu{number % 500:03}" for number in range(count)]
    ill = nodes[:: count // sick][:sick]
    findings = [
        finding(FAIL, "accelerator.xid-fatal", f"gpu {at % 8}", f"Xid 79 at {at * 77} s", [node])
        for at, node in enumerate(ill)
    ]
    findings.append(finding(UNKNOWN, "storage.nvme-wear", "host", "`nvme` needs root", nodes))
    rows = [NodeRow(node, NodeState.READ) for node in nodes]
    return report("slurm:everything", nodes, findings, rows=rows, seconds=48.0)


HOSTILE = (
    "\x1b[31mred\x1b[0m \x00\x07\x9b \u202eevil\u2066 [bold red]x[/] <script>alert(1)</script>"
    " ]]> &amp; ![i](javascript:x) @all | `tick` \ud800 \ufffe \u2028 'q' \"d\""
)


def hostile():
    """Everything that a node (or an edited report) can say, in every field that can say it."""
    bad = replace(
        finding(FAIL, "accelerator.count", HOSTILE, HOSTILE, [HOSTILE, "ok", "", "a,b[1-2]\\"]),
        evidence=(Ref(HOSTILE, HOSTILE, HOSTILE), Ref("ok", "x" * 10_000_000, "0" * 64)),
    )
    dark = replace(bad, outcome=UNKNOWN, because="A" * 10_000_000)
    judged = Judgement(
        HOSTILE, HOSTILE, HIGH, Outcome.PASS, 9, 1, 1, 1, 0, HOSTILE, (), (bad, dark)
    )
    passed = Judgement(
        "<b>.x", HOSTILE, HIGH, Outcome.PASS, 10**12, 1, 0, 0, 0, HOSTILE, bad.evidence, ()
    )
    rows = (
        NodeRow(HOSTILE, NodeState.UNREAD, HOSTILE, HOSTILE),
        NodeRow("", NodeState.READ),
        NodeRow("ok", NodeState.PARTIAL, "B" * 10_000_000),
    )
    about = replace(run(HOSTILE), id=HOSTILE, started=HOSTILE, tool_version=HOSTILE)
    about = replace(about, rules_sha256=HOSTILE, advisories_sha256=HOSTILE)
    errors = (ErrorRecord(HOSTILE, HOSTILE, HOSTILE * 100_000, HOSTILE),)
    return Report(about, rows, (judged, passed), errors, HOSTILE)


CASES = {
    "one-machine": one_machine,
    "fleet": fleet,
    "all-green": all_green,
    "plain-vm": plain_vm,
    "nothing": nothing,
}
EVERY = {**CASES, "large": large, "hostile": hostile}


def show(argv):
    """``sample.py CASE`` prints it; ``sample.py CASE FORMAT`` prints another format."""
    from importlib import import_module

    from rich.console import Console

    from assay.reports.terminal import Screen

    made = EVERY[argv[0]]()
    if len(argv) < 2 or argv[1].startswith("-"):
        Console().print(Screen(made, CHECKS, excerpt, verbose="-v" in argv))
    else:
        print(import_module(f"assay.reports.{argv[1]}").render(made, CHECKS, excerpt))


if __name__ == "__main__":
    import sys

    show(sys.argv[1:])
