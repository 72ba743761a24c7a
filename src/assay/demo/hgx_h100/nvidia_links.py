"""NVLinks, paths and driver entries of the eight H100: all links up, no errors."""

from collections.abc import Iterator

from assay.demo.hgx_h100.fabric_rdma import FRONTEND, RAILS
from assay.demo.hgx_h100.host_linux import NVIDIA as DRIVER
from assay.demo.hgx_h100.host_pci import GPU_ADDRESSES
from assay.demo.hgx_h100.nvidia_smi import PRODUCT, VBIOS, uuid
from assay.demo.hosts import answer, pack
from assay.model.evidence import Capture
from assay.probes import nvidia_driver, nvidia_nvlink, nvidia_topology

LINKS = 18
COUNTERS = ("Replay", "Recovery", "CRC")
NICS = len(RAILS) + len(FRONTEND)
CPUS = ("0-55,112-167", "56-111,168-223")
LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:

"""  # noqa: E501  (the tool's own lines)


def captures() -> Iterator[Capture]:
    """What nvidia-smi tells of links and paths, and what the driver tells without it."""
    yield answer(nvidia_nvlink.STATUS, "".join(_status(gpu) for gpu in range(8)))
    yield answer(nvidia_nvlink.ERRORS, "".join(_errors(gpu) for gpu in range(8)))
    yield answer(nvidia_topology.MATRIX, _matrix())
    yield pack(
        nvidia_driver.GPUS,
        {
            f"/proc/driver/nvidia/gpus/{address}/information": _information(gpu, address)
            for gpu, address in enumerate(GPU_ADDRESSES)
        },
    )


def _head(gpu: int) -> str:
    return f"GPU {gpu}: {PRODUCT} (UUID: {uuid(gpu)})\n"


def _status(gpu: int) -> str:
    return _head(gpu) + "".join(f"\t Link {link}: 26.562 GB/s\n" for link in range(LINKS))


def _errors(gpu: int) -> str:
    lines = (f"\t Link {n}: {what} Errors: 0\n" for n in range(LINKS) for what in COUNTERS)
    return _head(gpu) + "".join(lines)


def _matrix() -> str:
    """Each GPU shares a switch with the adapter of its number; the last two are on socket 0."""
    names = [f"GPU{n}" for n in range(8)] + [f"NIC{n}" for n in range(NICS)]
    head = "\t".join(["", *names, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"])
    rows = [f"\x1b[4m{head}\x1b[0m"]
    for name in names:
        cells = [_cell(name, other) for other in names]
        socket = int(name[3:]) // 4
        tail = [CPUS[socket], str(socket), "", "N/A"] if name.startswith("GPU") else []
        rows.append("\t".join([name, *cells, *tail]))
    legend = "".join(f"  NIC{n}: mlx5_{n}\n" for n in range(NICS))
    return "\n".join(rows) + "\n" + LEGEND + legend


def _cell(one: str, other: str) -> str:
    if one == other:
        return " X "
    if one.startswith("GPU") and other.startswith("GPU"):
        return f"NV{LINKS}"
    here, there = int(one[3:]), int(other[3:])
    if here == there:
        return "PIX"
    if {here, there} == set(FRONTEND):
        return "PIX"  # two ports of one card
    return "NODE" if _socket(here) == _socket(there) else "SYS"


def _socket(number: int) -> int:
    return 0 if number in FRONTEND else number // 4


def _information(gpu: int, address: str) -> str:
    return (
        f"Model: \t\t {PRODUCT}\nIRQ:   \t\t {418 + gpu}\nGPU UUID: \t {uuid(gpu)}\n"
        f"Video BIOS: \t {VBIOS}\nBus Type: \t PCIe\nDMA Size: \t 52 bits\n"
        f"DMA Mask: \t 0xfffffffffffff\nBus Location: \t {address}\nDevice Minor: \t {gpu}\n"
        f"GPU Firmware: \t {DRIVER}\nGPU Excluded:\t No\n"
    )
