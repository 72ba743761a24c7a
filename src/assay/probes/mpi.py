"""MPI installations: HPC-X, Open MPI, UCX, and the environment modules that offer them."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files, listing
from assay.kit.seen import Seen
from assay.model.evidence import Status
from assay.model.facts.exposure import PathMode
from assay.model.facts.software import Software
from assay.probes.device_exposure import paths
from assay.probes.software_unread import or_unread

# Local folders only: looking into a shared file system could hang.
HPCX = listing(
    "{/opt/hpcx*,/opt/mellanox/hpcx*,/usr/local/hpcx*,"
    "/opt/nvidia/hpc_sdk/Linux_*/*/comm_libs/*/hpcx/hpcx-*}",
    name="hpcx",
)
PKGCONFIG = files(
    "{/opt/hpcx*/{ompi,ucx},/opt/hpcx,/usr/mpi/gcc/openmpi-*,/opt/openmpi*,/opt/amazon/openmpi*,"
    "/opt/ompi*,/opt/ucx*}/lib{,64}/pkgconfig/{ompi,ucx}.pc",
    name="mpi-pkgconfig",
)
HPCX_VERSION = files("/opt/hpcx*/VERSION", name="hpcx-version")
MODULES = listing(
    "{/etc/profile.d/{modules,lmod,z00_lmod,00-modulepath,environment-modules}.sh,"
    "/usr/share/{lmod,modules,Modules}/init/bash,/usr/share/lmod/lmod/init/bash}",
    name="environment-modules",
)
_HPCX = re.compile(r"hpcx-v?(\d+(?:\.\d+)+\w*)")
_HPCX_TEXT = re.compile(r"^HPC-?X[ _-]*v?(\d+(?:\.\d+)+\w*)", re.MULTILINE | re.IGNORECASE)
_PKGCONFIG = re.compile(r"^Version:\s*(\d\S*)", re.MULTILINE)


@probe("software.hpcx", reads=[HPCX, HPCX_VERSION])
def hpcx(seen: Seen) -> Iterator[Software]:
    """NVIDIA HPC-X by the names of its folders; an unversioned folder by its VERSION file."""
    yield from or_unread(seen, HPCX, ["hpcx"], _hpcx(seen))


def _hpcx(seen: Seen) -> Iterator[Software]:
    told = dict(seen.files(HPCX_VERSION))
    for entry in seen.entries(HPCX):
        named = _HPCX.search(entry.path)
        text = _HPCX_TEXT.search(told.get(f"{entry.path}/VERSION", ""))
        version = named[1] if named else text[1] if text else ""
        kind = entry.data[:2]
        if entry.status != Status.ANSWERED or kind not in (b"d ", b"l ", b"f "):
            seen.lose(entry.path, f"{entry.status} {entry.data[:40]!r}")
        elif kind == b"d " or (kind == b"l " and version):
            yield Software("hpcx", version, "file", entry.path)


@probe("software.mpi", reads=[PKGCONFIG])
def mpi(seen: Seen) -> Iterator[Software]:
    """Open MPI and UCX by their pkg-config files, outside the distribution's own folders."""
    yield from or_unread(seen, PKGCONFIG, ["openmpi", "ucx"], _described(seen))


def _described(seen: Seen) -> Iterator[Software]:
    for path, text in seen.files(PKGCONFIG):
        component = "openmpi" if path.endswith("/ompi.pc") else "ucx"
        if found := _PKGCONFIG.search(text):
            yield Software(component, found[1], "file", path)
        else:
            why = "no Version in it"
            seen.lose(path, why)
            yield Software(component, "", "file", path, why)


@probe("software.environment-modules", reads=[MODULES])
def modules(seen: Seen) -> Iterator[PathMode]:
    """Start files of Lmod and Environment Modules."""
    yield from paths(seen, MODULES)
