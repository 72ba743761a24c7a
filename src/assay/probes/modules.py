"""Loaded kernel modules, and the versions of those that drive accelerators and fabrics."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files, saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.system import KernelModule
from assay.probes.kernel_values import by_folder, plain_lines, whole

MODULES = files(
    "/proc/modules", looks_like=r"^\w+ \d+ -?\d+ (?:-|[\w,]+,) (?:Live|Loading|Unloading) 0x\w+"
)
LSMOD = saved("lsmod", looks_like=r"^Module +Size +Used by\s*\n\w+ +\d+ +-?\d+[^\n]*$")
ROOT = "/sys/module/"
INTERESTING = (
    "nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia_peermem", "nv_peer_mem",
    "gdrdrv", "nvidia_fs", "nvidia_cspmu", "amdgpu", "amdkcl", "amdttm", "habanalabs", "neuron",
    "mlx4_core", "mlx5_core", "mlx5_ib", "mlx_compat", "ib_core", "ib_uverbs", "ib_umad",
    "bnxt_en", "bnxt_re", "ionic", "ionic_rdma", "ice", "irdma", "efa", "ena", "gve", "hns3",
    "lustre", "lnet", "beegfs", "mmfs26", "mmfslinux", "wekafsio", "wekafsgw", "zfs", "xpmem",
    "knem", "rshim", "mst_pciconf", "vfio_pci", "drv_devmng_host", "gasket", "sunrpc",
)  # fmt: skip
VERSIONS = files(ROOT + "{" + ",".join(INTERESTING) + "}/{version,srcversion}",
                 name="module-versions")  # fmt: skip
_PROC = re.compile(r"(\w+) \d+ (-?\d+) \S+ (?:Live|Loading|Unloading)\b.*")
_LSMOD = re.compile(r"(\w+) +\d+ +(-?\d+)(?: .*)?")


@probe("system.modules", reads=[MODULES, VERSIONS, LSMOD])
def modules(seen: Seen) -> Iterator[KernelModule]:
    """Loaded modules, their users, and their versions where they state one."""
    if seen.capture(LSMOD) is not None:
        found = _rows(seen.text(LSMOD), _LSMOD)
        if not found:
            raise Unread("`lsmod` shows no modules")
        yield from (KernelModule(name, users=users) for name, users in found.items())
        return
    loaded = _rows(seen.file(MODULES) or "", _PROC)
    stated = {}
    if seen.capture(VERSIONS) is not None:
        stated = dict(by_folder(seen.files(VERSIONS), ROOT))
    for name in sorted(loaded.keys() | stated.keys()):
        said = stated.get(name, {})
        yield KernelModule(
            name,
            version=said.get("version", ""),
            source_version=said.get("srcversion", ""),
            users=loaded.get(name),
        )


def _rows(text: str, row: re.Pattern[str]) -> dict[str, int | None]:
    found = (row.fullmatch(line) for line in plain_lines(text))
    return {match.group(1): whole(match.group(2)) for match in found if match}
