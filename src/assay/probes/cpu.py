"""The processors and how they are clocked."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.cpu import CpuFrequency, Processors
from assay.probes import cpu_lscpu
from assay.probes.cpu_lscpu import LSCPU
from assay.probes.kernel_values import cpu_count, whole

ROOT = "/sys/devices/system/cpu/"
# One CPU's paragraph is some 2 KiB; a big node has hundreds that say the same.
CPUINFO = files(
    "/proc/cpuinfo",
    cap=16 * 1024,
    looks_like=r"^processor\s*: \d+\n(?:vendor_id|BogoMIPS|model name|cpu)\s*:[^\n]*$",
)
TOPOLOGY = files(
    ROOT + "{online,present,smt/control,cpu0/topology/core_siblings_list,"
    "cpu0/topology/thread_siblings_list}",
    name="cpu-topology",
)
FREQUENCY = files(
    ROOT + "{cpufreq/policy*/scaling_governor,cpufreq/policy0/scaling_driver,"
    "cpufreq/boost,intel_pstate/no_turbo}",
    name="cpu-frequency",
)
_LIST = r"\d{1,6}(?:[-,]\d{1,6})*"
_FORMS = {
    "online": _LIST, "present": _LIST, "core_siblings_list": _LIST, "thread_siblings_list": _LIST,
    "control": r"[a-z]+",
}  # fmt: skip
# Arm's own numbers: MIDR implementer and part, from Arm's technical reference manuals.
_ARM = {
    ("0x41", "0xd0c"): "Neoverse-N1",
    ("0x41", "0xd40"): "Neoverse-V1",
    ("0x41", "0xd49"): "Neoverse-N2",
    ("0x41", "0xd4f"): "Neoverse-V2",
    ("0x41", "0xd83"): "Neoverse-V3AE",
    ("0x41", "0xd84"): "Neoverse-V3",
    ("0x41", "0xd8e"): "Neoverse-N3",
}


def head(seen: Seen) -> str:
    """The head of /proc/cpuinfo: enough to know the processor; "" when there is none."""
    found = seen.capture(CPUINFO)
    if found is None or found.status not in (Status.ANSWERED, Status.TRUNCATED):
        return ""
    return found.data.decode("utf-8", "replace")


def fields(cpuinfo: str) -> dict[str, str]:
    """The first CPU's lines of /proc/cpuinfo, by name."""
    found: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        name, colon, value = line.partition(":")
        if colon and not line.startswith("== "):
            found.setdefault(name.strip(), value.strip())
    return found


@probe("system.cpu", reads=[CPUINFO, TOPOLOGY, LSCPU])
def processors(seen: Seen) -> Iterator[Processors]:
    """The processors: model, sockets, cores, threads."""
    if seen.capture(LSCPU) is not None:
        yield cpu_lscpu.processors(seen.text(LSCPU))
        return
    cpuinfo = head(seen)
    if not cpuinfo:
        seen.answered(CPUINFO)
    said = fields(cpuinfo)
    model, vendor, architecture = _model(said)
    if not model:
        raise Unread("/proc/cpuinfo names no processor")
    layout: dict[str, str] = {}
    if seen.capture(TOPOLOGY) is not None:
        layout = {path.removeprefix(ROOT): text for path, text in seen.values(TOPOLOGY, _FORMS)}
    cpus = cpu_count(layout.get("online", ""))
    siblings = cpu_count(layout.get("cpu0/topology/core_siblings_list", ""))
    siblings = siblings or whole(said.get("siblings"))
    threads = cpu_count(layout.get("cpu0/topology/thread_siblings_list", ""))
    cores = siblings // threads if siblings and threads else whole(said.get("cpu cores"))
    yield Processors(
        model=model,
        vendor=vendor,
        architecture=architecture,
        cpus=cpus,
        present=cpu_count(layout.get("present", "")),
        sockets=cpus // siblings if cpus and siblings and cpus % siblings == 0 else None,
        cores_per_socket=cores,
        threads_per_core=threads,
        smt=layout.get("smt/control", ""),
        microcode=said.get("microcode", ""),
        hypervisor="hypervisor" in said["flags"].split() if "flags" in said else None,
    )


def _model(said: Mapping[str, str]) -> tuple[str, str, str]:
    """Model, vendor and architecture as far as /proc/cpuinfo shows them."""
    if "CPU implementer" in said:
        numbers = said["CPU implementer"], said.get("CPU part", "")
        known = _ARM.get(numbers)
        name = known or f"Arm implementer {numbers[0]} part {numbers[1] or 'unknown'}"
        return said.get("model name") or name, "ARM" if known else "", "aarch64"
    architecture = "x86_64" if re.search(r"\blm\b", said.get("flags", "")) else ""
    model = said.get("model name") or said.get("cpu") or ""
    return model, said.get("vendor_id", ""), architecture


@probe("system.cpu-frequency", reads=[FREQUENCY])
def frequency(seen: Seen) -> Iterator[CpuFrequency]:
    """Which governor clocks the CPUs; nothing where the system may not choose."""
    governors: Counter[str] = Counter()
    driver, turbo = "", None
    for path, text in seen.files(FREQUENCY):
        word = text.strip()
        if path.endswith("/scaling_governor"):
            governors[word] += 1
        elif path.endswith("/scaling_driver"):
            driver = word
        elif path.endswith("/boost") and word in ("0", "1"):
            turbo = word == "1"
        elif path.endswith("/no_turbo") and word in ("0", "1"):
            turbo = word == "0"
    if governors:
        yield CpuFrequency(driver, tuple(sorted(governors.items())), turbo)
