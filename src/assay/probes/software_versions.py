"""Versions that programs state themselves: the binary in use, whatever a package says."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.kit.probe import probe
from assay.kit.reading import Reading, command
from assay.kit.seen import Seen, Unread
from assay.model.facts.software import Software
from assay.probes.software_unread import or_unread

DEADLINE = 5.0  # seconds; each takes milliseconds


@dataclass(frozen=True, slots=True)
class Program:
    """How to ask one program for its version. ``pattern`` has a group called version."""

    id: str
    component: str
    reading: Reading
    pattern: re.Pattern[str]
    detail: str = ""


def _program(
    id: str, component: str, argv: str, pattern: str, *, detail: str = "", known: bool = True
) -> Program:
    reading = command(*argv.split(), deadline=DEADLINE, looks_like=pattern if known else "")
    return Program(id, component, reading, re.compile(pattern, re.MULTILINE), detail)


_V = r"v?(?P<version>\d+\.\d+[^\s,]*)"
_CONTAINERD = (
    r"^containerd (?:github\.com/\S+/containerd\S*|containerd\S*) " + _V + r"(?P<detail>.*)"
)
_RUNC = r"^runc version " + _V + r"(?:\n(?P<detail>commit: \S+))?"

# Most Go programs take 10 to 30 ms of CPU to say their version, so only those that are often
# installed without a package, or that ship their own copy of runc and containerd, are asked.
PROGRAMS = (
    _program("software.containerd", "containerd", "containerd --version", _CONTAINERD),
    _program("software.runc", "runc", "runc --version", _RUNC),
    _program("software.crun", "crun", "crun --version", r"^crun version " + _V),
    _program(
        "software.nvidia-ctk",
        "nvidia-container-toolkit",
        "nvidia-ctk --version",
        r"^NVIDIA Container Toolkit CLI version " + _V + r"(?:\n(?P<detail>commit: \S+))?",
    ),
    _program(
        "software.nvidia-ctk-operator",
        "nvidia-container-toolkit",
        "/usr/local/nvidia/toolkit/nvidia-ctk --version",
        r"^NVIDIA Container Toolkit CLI version " + _V,
        detail="GPU Operator",
        known=False,
    ),
    _program("software.podman", "podman", "podman --version", r"^podman version " + _V),
    _program(
        "software.apptainer", "apptainer", "apptainer --version", r"^apptainer version " + _V
    ),
    _program(
        "software.singularity",
        "singularity-ce",
        "singularity --version",
        r"^singularity(?:-ce)?(?: version)? " + _V,
    ),
    _program("software.enroot", "enroot", "enroot version", r"^" + _V + r"$", known=False),
    _program("software.nerdctl", "nerdctl", "nerdctl --version", r"^nerdctl version " + _V),
    _program("software.crio", "cri-o", "crio --version", r"^crio version " + _V),
    _program("software.kubelet", "kubelet", "kubelet --version", r"^Kubernetes " + _V),
    _program("software.k3s", "k3s", "k3s --version", r"^k3s version " + _V),
    _program("software.rke2", "rke2", "rke2 --version", r"^rke2 version " + _V),
    *(
        _program(f"software.{tool}-{host}", tool, f"{folder}/{tool} --version", pattern,
                 detail=host, known=False)
        for host, folder in (
            ("k3s", "/var/lib/rancher/k3s/data/current/bin"),
            ("rke2", "/var/lib/rancher/rke2/bin"),
            ("k0s", "/var/lib/k0s/bin"),
            ("microk8s", "/snap/microk8s/current/bin"),
        )
        for tool, pattern in (("runc", _RUNC), ("containerd", _CONTAINERD))
    ),
    _program("software.munge", "munge", "munge --version", r"^munge-(?P<version>\d\S*)"),
    # The toolkit's update number is not in it: 12.8.93 is the compiler's own version.
    _program(
        "software.nvcc",
        "cuda-compiler",
        "nvcc --version",
        r"^Cuda compilation tools, release (?P<detail>[\d.]+), V(?P<version>[\d.]+)",
    ),
    _program(
        "software.ofed",
        "mlnx-ofed",
        "ofed_info -s",
        r"^(?:MLNX_OFED_LINUX-|OFED-internal-|MLNX_EN-|DOCA_OFED-)(?P<version>[\d.]+(?:-[\d.]+)*):?",
    ),
    _program(
        "software.openmpi", "openmpi", "mpirun --version", r"^mpi(?:run|exec) \(Open MPI\) " + _V
    ),
    _program("software.qemu", "qemu", "qemu-system-x86_64 --version",
             r"^QEMU emulator version " + _V + r"(?P<detail>.*)"),
)  # fmt: skip


def _parser(program: Program) -> Callable[[Seen], Iterator[Software]]:
    def parse(seen: Seen) -> Iterator[Software]:
        if not seen.absent(program.reading):
            found = ask(seen)
            yield from or_unread(seen, program.reading, [program.component], found, "binary")

    def ask(seen: Seen) -> Iterator[Software]:
        text = seen.text(program.reading)
        found = program.pattern.search(text)
        if found is None:
            raise Unread(f"`{program.reading.source}` printed no version: {text.strip()[:80]!r}")
        said = (found.groupdict().get("detail") or "").strip()
        path = program.reading.argv[0] if program.reading.argv[0].startswith("/") else ""
        detail = "; ".join(part for part in (program.detail, said) if part)
        yield Software(program.component, found["version"], "binary", path, detail)

    parse.__doc__ = f"The version of {program.component} by `{program.reading.source}`."
    return parse


for _row in PROGRAMS:
    probe(_row.id, reads=[_row.reading])(_parser(_row))
