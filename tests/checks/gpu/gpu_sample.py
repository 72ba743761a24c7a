"""Accelerators for the tests of this folder: a sound H100 and its unlike."""

from dataclasses import replace

from assay.engine.catalogue import catalogue
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice

catalogue()  # the parts tables

H100 = Accelerator(
    "nvidia", 0, "NVIDIA H100 80GB HBM3", bdf="0000:1b:00.0", driver="550.163.01",
    firmware="96.00.A5.00.01", memory_mib=81559, memory_used_mib=1, utilization_percent=0,
    temperature_c=33, memory_temperature_c=39, power_w=70, power_limit_w=700, power_default_w=700,
    pcie_generation=5, pcie_generation_max=5, pcie_width=16, pcie_width_max=16, pcie_replays=0,
    ecc_enabled=True, ecc_uncorrected_volatile=0, ecc_uncorrected_aggregate=0, remap_corrected=0,
    remap_uncorrected=0, remap_pending=False, remap_failed=False, throttle=(), persistence=True,
    compute_mode="Default", partition_mode="disabled", processes=0, fabric_state="Completed",
    fabric_status="Success",
)  # fmt: skip
LAPTOP = Accelerator(
    "nvidia", 0, "NVIDIA GeForce RTX 4070 Laptop GPU", memory_mib=8188,
    memory_used_mib=15, utilization_percent=0,
    temperature_c=63, pcie_width=8, pcie_width_max=16, pcie_generation_max=4, throttle=(),
    persistence=False, compute_mode="Default", processes=0, power_w=12,
)  # fmt: skip
VGPU = Accelerator("nvidia", 0, "NVIDIA A100-40C", memory_mib=40960, compute_mode="Default",
                   utilization_percent=0, processes=0, memory_used_mib=0,
                   persistence=True)  # fmt: skip
LOST = Accelerator("nvidia", 3, bdf="0000:5c:00.0", fault="GPU is lost (product, uuid)")
MI300X = Accelerator("amd", 0, "AMD Instinct MI300X", memory_mib=196592, temperature_c=41,
                     pcie_width=16, pcie_generation_max=5, partition_mode="SPX/NPS1")  # fmt: skip
TPU = Accelerator("tpu", 0, "v5e")
MORE = NvidiaDevice(0, recovery_action="None", ecc_pending=True)
SHARE = [NvidiaDevice(0, virtualization="VGPU")]


def told(verdicts):
    return [(v.subject, str(v.outcome)) for v in verdicts]


def words(verdicts):
    return " | ".join(v.because for v in verdicts)


def node(count=8, **odd):
    """*count* sound GPUs; ``gpu3={...}`` changes one."""
    devices = [replace(H100, index=n) for n in range(count)]
    for name, changes in odd.items():
        n = int(name.removeprefix("gpu"))
        devices[n] = replace(devices[n], **changes)
    return devices
