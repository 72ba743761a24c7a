"""RCCL looks into the kernel's configuration before it uses DMA buffers."""

from collections.abc import Iterator, Sequence

from assay.checks.software.roles import AMD, NO_FABRIC, accelerators, fabric_ports
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import KernelOption
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.software_kernel_config import CONFIG

# RCCL (src/misc/rocmwrap) wants both of them "=y" in the configuration of the running kernel.
WANTED = ("DMABUF_MOVE_NOTIFY", "PCI_P2PDMA")


@check(
    "software.rocm-dmabuf",
    asks="Is the kernel built for direct transfers between AMD GPUs and the fabric?",
    severity=Severity.MEDIUM,
    why="RCCL goes through host memory when the kernel lacks these options, unless the fabric's "
    "driver brings its own peer memory.",
    fix="Boot a kernel with CONFIG_DMABUF_MOVE_NOTIFY=y and CONFIG_PCI_P2PDMA=y.",
    see=["https://rocm.docs.amd.com/projects/rccl/en/latest/how-to/rccl-usage-tips.html"],
    reproduce="grep -E 'DMABUF_MOVE_NOTIFY|PCI_P2PDMA' /boot/config-$(uname -r)",
    plants=[
        plant(
            Edit(
                CONFIG.source,
                path="/boot/config-6.8.0-134-generic",
                old="CONFIG_DMABUF_MOVE_NOTIFY=y",
                new="# CONFIG_DMABUF_MOVE_NOTIFY is not set",
            ),
            host="mi300x",
        )
    ],
)
def rocm_dmabuf(
    devices: Sequence[PciDevice], options: Sequence[KernelOption] | None
) -> Iterator[Verdict]:
    """Both options of the running kernel."""
    if not accelerators(devices, AMD) or not fabric_ports(devices):
        yield not_applicable(HOST, NO_FABRIC)
        return
    found = {option.name: option.value for option in options or ()}
    for name in WANTED:
        if name not in found:
            yield unknown(
                HOST,
                f"the running kernel's configuration was not read, or is silent on CONFIG_{name}",
            )
        elif found[name] == "y":
            yield passed(HOST, f"CONFIG_{name}=y")
        else:
            yield failed(HOST, f"CONFIG_{name} is {found[name]}, RCCL wants y")
