"""The free graphics driver nouveau takes GPUs away from NVIDIA's driver."""

from collections.abc import Iterator, Sequence

from assay.checks.software.roles import NO_NVIDIA, NVIDIA, accelerators
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import KernelModule
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.modules import MODULES


@check(
    "software.nouveau",
    asks="Is nouveau kept away from the accelerators?",
    severity=Severity.HIGH,
    why="A GPU that nouveau has taken at boot is missing for CUDA until nouveau is gone.",
    fix="Put `blacklist nouveau` and `options nouveau modeset=0` in /etc/modprobe.d, rebuild the "
    "initramfs and reboot.",
    see=["https://docs.nvidia.com/cuda/cuda-installation-guide-linux/"],
    reproduce="lsmod | grep nouveau",
    plants=[
        plant(
            Edit(
                MODULES.source,
                path="/proc/modules",
                old="nvidia_uvm ",
                new="nouveau 2564096 0 - Live 0x0000000000000000\nnvidia_uvm ",
            )
        )
    ],
)
def nouveau(devices: Sequence[PciDevice], modules: Sequence[KernelModule]) -> Iterator[Verdict]:
    """Loaded modules, on nodes with NVIDIA accelerators."""
    if not accelerators(devices, NVIDIA):
        yield not_applicable(HOST, NO_NVIDIA)
        return
    # Modules of which only the version was read do not make the list of those that are loaded.
    if not any(module.users is not None for module in modules):
        yield unknown(HOST, "the list of loaded modules was not read")
        return
    taken = [d.bdf for d in accelerators(devices, NVIDIA) if d.driver == "nouveau"]
    if taken:
        yield failed(HOST, f"nouveau drives {', '.join(taken)}")
    elif any(module.name == "nouveau" for module in modules):
        yield failed(HOST, "nouveau is loaded beside the NVIDIA driver")
    else:
        yield passed(HOST, f"nouveau is not among {len(modules)} loaded modules")
