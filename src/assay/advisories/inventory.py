"""From the facts of one host to the things that advisories may concern, each with its origin.

The same program may be there several times (a package, a second copy that k3s ships, one in the
operator's image): each is judged. A binary that only repeats what a package says is that package.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.advisories import distro, kernels
from assay.advisories.components import canonical, of_package
from assay.advisories.host import Host
from assay.advisories.versions import connectx
from assay.model.advisory import Installed, Origin
from assay.model.fact import F, Fact
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.containers import ToolkitSetting
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.software import ChangelogFix, Package, Software
from assay.model.facts.system import Kernel, KernelModule, Livepatch, OperatingSystem

_VENDORS_OWN = frozenset(
    {"containerd.io", "docker-ce", "kubelet", "nvidia-container-toolkit", "kubernetes-node",
     "nvidia-container-toolkit-base", "datacenter-gpu-manager", "doca-host", "doca-ofed",
     "mlnx-ofed-kernel-utils", "mlnx-ofed-kernel-dkms", "slurm-smd", "slurm-smd-slurmd", "nvhpc"}
)  # fmt: skip
_PACKAGED_PATHS = ("/usr/bin/", "/usr/sbin/", "/usr/lib", "/usr/libexec/", "/bin/", "/sbin/")
_PARTS = {"kubelet": "kubelet", "kube-apiserver": "apiserver", "kube-proxy": "kube-proxy",
          "kube-controller-manager": "controller-manager"}  # fmt: skip
_UBUNTU = re.compile(r"ubuntu|canonical|debian", re.IGNORECASE)
# Products that NVIDIA's bulletins call data center; the others are workstation or consumer.
_DATACENTER = re.compile(
    r"tesla|\b(?:A|H|B|L|V|P|T|GH|GB|K|M)\d{1,3}[A-Z]?\b|\bL40S?\b|DGX|HGX|grace", re.IGNORECASE
)
_CONSUMER = re.compile(r"geforce|titan|quadro|\brtx\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inventory:
    """The things with a version on one host, and what else is known about it."""

    installed: tuple[Installed, ...]
    host: Host


def of_os(systems: Sequence[OperatingSystem] | None) -> tuple[str, str, str]:
    """Id, version and code name of the distribution; empty where it is not known."""
    if not systems:
        return "", "", ""
    system = systems[0]
    return system.id, system.version, system.codename or distro.codename(system.id, system.version)


def of_packages(
    packages: Iterable[Package], systems: Sequence[OperatingSystem] | None = None
) -> Iterator[Installed]:
    """One thing for each component and source version, however many packages it was split into."""
    id, version, codename = of_os(systems)
    seen: set[tuple[str, ...]] = set()
    for package in packages:
        name = of_package(package.name, package.source)
        if not name or package.name.endswith(("-doc", "-dev", "-dbgsym", "-common-doc")):
            continue
        key = (name, package.source or package.name, package.source_version or package.version)
        if key in seen:
            continue
        seen.add(key)
        builder = _builder(package, id, version)
        yield Installed(
            component=name,
            version=package.source_version or package.version,
            origin=Origin.DISTRO if builder else Origin.VENDOR,
            where=f"{package.manager} {package.source or package.name}",
            distro=builder,
            release=(codename or version.partition(".")[0]) if builder else "",
            source=package.source or package.name,
            source_version=package.source_version or package.version,
            package=package.name,
            part=_PARTS.get(package.name, ""),
        )


def _builder(package: Package, id: str, version: str) -> str:
    if package.name in _VENDORS_OWN and not re.search(r"ubuntu|deb\d+u|\+ds", package.version):
        return ""
    if distro.is_vendor(package.vendor, package.version):
        return ""
    marked = distro.of_version(package.version)
    if id == "ubuntu" and package.vendor and not marked.id and not _UBUNTU.search(package.vendor):
        return ""  # Ubuntu's builders put Ubuntu's name on everything they build
    if id:
        return f"{id}:{version}" if version else id
    return marked.name or ("debian" if package.manager == "dpkg" else "redhat")


def of_software(
    software: Iterable[Software],
    packaged: Sequence[Installed],
    systems: Sequence[OperatingSystem] | None = None,
) -> Iterator[Installed]:
    """Programs by the version that they state, unless a package already says the same."""
    id, version, codename = of_os(systems)
    toolkits = [s for s in software if s.component == "cuda-toolkit"]
    seen: set[tuple[str, str, str]] = set()
    for found in software:
        name, text = canonical(found.component), found.version
        if found.component in ("docker-cli", "cuda-driver", "rocm"):
            continue
        if found.component == "cuda-compiler":
            if toolkits:
                continue  # its own number hides the update; the toolkit's file tells it
            name, text = "cuda-toolkit", f"V{text}"
        marked = distro.of_version(f"{text} {found.detail}")
        twin = _twin(name, text, found.path, packaged)
        key = (name, text, found.path or found.detail)
        if key in seen or (twin is not None and not _own_copy(found)):
            continue
        seen.add(key)
        builder = marked.name
        if builder and marked.id == id and version:
            builder = f"{id}:{version}"
        where = found.path or found.detail or found.component
        yield Installed(
            name, text, Origin.IMAGE if "operator" in found.detail.lower() else Origin.BINARY,
            where, builder, codename if builder.startswith(f"{id}:") else "",
            part=_PARTS.get(found.component, ""), running=True,
        )  # fmt: skip


def _own_copy(found: Software) -> bool:
    return bool(found.path) and not found.path.startswith(_PACKAGED_PATHS)


def _twin(name: str, text: str, path: str, packaged: Sequence[Installed]) -> Installed | None:
    """The package that brought this binary: the same component with the same upstream number."""
    if path and not path.startswith(_PACKAGED_PATHS):
        return None
    bare = re.split(r"[+~-](?:ds|dfsg|k3s|\d)", text)[0]
    for thing in packaged:
        manager = "rpm" if thing.where.startswith("rpm ") else ""
        if thing.component == name and bare in (
            thing.version, distro.upstream(thing.version, manager),
        ):  # fmt: skip
            return thing
    return None


def of_kernel(
    kernels_seen: Sequence[Kernel], systems: Sequence[OperatingSystem] | None = None
) -> Iterator[Installed]:
    """The running kernel."""
    id, version, _ = of_os(systems)
    for kernel in kernels_seen:
        yield kernels.installed(kernel.release, kernel.build, id, version)


def of_host(
    packages: Iterable[Package],
    software: Iterable[Software],
    systems: Sequence[OperatingSystem] | None = None,
) -> list[Installed]:
    """Packages and programs of one host, without its kernel and its driver."""
    packaged = tuple(of_packages(packages, systems))
    found = [thing for thing in packaged if thing.component != "nvidia-driver"]
    found += of_software(tuple(software), packaged, systems)
    return list(dict.fromkeys(found))


def of_driver(
    accelerators: Iterable[Accelerator],
    modules: Iterable[str],
    packages: Sequence[Installed] = (),
) -> Iterator[Installed]:
    """The NVIDIA driver that runs, by the versions of its loaded *modules*; else the installed."""
    boards = [a for a in accelerators if a.vendor == "nvidia"]
    lines = {_product_line(board.product) for board in boards if board.product}
    line = lines.pop() if len(lines) == 1 else ""
    running = dict.fromkeys((version for version in modules if version), "kernel module")
    for board in boards:
        if board.driver:
            running.setdefault(board.driver, "nvidia-smi")
    for version, where in running.items():
        yield Installed("nvidia-driver", version, Origin.MODULE, where, variant=line, running=True)
    if not running:
        for package in packages:
            if package.component == "nvidia-driver":
                yield replace(package, variant=line, running=False)
                return


def of_rocm(
    software: Iterable[Software], accelerators: Iterable[Accelerator]
) -> Iterator[Installed]:
    """ROCm releases, for the accelerators that are there where all are of one kind."""
    kinds = {found.group() for a in accelerators if a.vendor == "amd"
             for found in [re.search(r"MI\d{3}[A-Z]?", a.product)] if found}  # fmt: skip
    kind = kinds.pop() if len(kinds) == 1 else ""
    for version in dict.fromkeys(s.version for s in software if s.component == "rocm"):
        yield Installed("rocm", version, Origin.VENDOR, "/opt/rocm", variant=kind)


def _product_line(product: str) -> str:
    if _CONSUMER.search(product):
        return "workstation/consumer"
    return "datacenter" if _DATACENTER.search(product) else ""


def of_ports(ports: Iterable[RdmaPort]) -> Iterator[Installed]:
    """Firmware of RDMA adapters, each version once for each model."""
    for firmware, hca in dict.fromkeys((p.firmware, p.hca_type) for p in ports if not p.virtual):
        if re.fullmatch(r"\d{2}\.\d{2}\.\d{4}(?:[-.].*)?", firmware):
            blue = firmware[:2] in ("18", "24", "32")
            name = "bluefield-firmware" if blue else "connectx-firmware"
            device = connectx.DEVICES.get(firmware[:2], hca or "RDMA adapter")
            yield Installed(name, firmware, Origin.FIRMWARE, device)


def host(
    packages: Iterable[Package] = (),
    software: Iterable[Software] = (),
    changelog: Iterable[ChangelogFix] | None = None,
    livepatches: Iterable[Livepatch] | None = None,
    settings: Iterable[ToolkitSetting] | None = None,
) -> Host:
    """What else is known: proven backports, live patches, and the settings that conditions need."""
    sources = {package.name: package.source for package in packages if package.source}
    fixes = {(fix.package, fix.cve) for fix in changelog or ()}
    fixes |= {(sources[name], cve) for name, cve in fixes if name in sources}
    patches = tuple(patch.name for patch in livepatches or () if patch.enabled)
    return Host(frozenset(fixes), patches, _features(tuple(software), tuple(settings or ())))


def _features(software: Sequence[Software], settings: Sequence[ToolkitSetting]) -> dict[str, bool]:
    """Crun is in use only where nothing else can be: a second runtime may start any container."""
    features: dict[str, bool] = {}
    runtimes = {s.component for s in software if s.component in ("crun", "runc")}
    chosen = {
        setting.value for setting in settings if setting.name == "nvidia-container-runtime.runtimes"
    }
    if "runc" in runtimes or chosen & {"runc", "docker-runc"}:
        features["crun"] = chosen == {"crun"}
    elif runtimes == {"crun"}:
        features["crun"] = True
    return features


def everything(facts: Iterable[Fact]) -> Inventory:
    """All of one host at once."""
    by_kind: dict[type[Fact], list[Any]] = {}
    for fact in facts:
        by_kind.setdefault(type(fact), []).append(fact)

    def all_of(kind: type[F]) -> list[F]:
        return by_kind.get(kind, [])

    systems, packages, software = all_of(OperatingSystem), all_of(Package), all_of(Software)
    loaded = [module.version for module in all_of(NvidiaModule)]
    loaded += [module.version for module in all_of(KernelModule) if module.name == "nvidia"]
    found = of_host(packages, software, systems)
    found += of_kernel(all_of(Kernel), systems)
    found += of_driver(all_of(Accelerator), loaded, tuple(of_packages(packages, systems)))
    found += of_ports(all_of(RdmaPort))
    found += of_rocm(software, all_of(Accelerator))
    known = host(
        packages, software, all_of(ChangelogFix), all_of(Livepatch), all_of(ToolkitSetting)
    )
    return Inventory(tuple(dict.fromkeys(found)), known)
