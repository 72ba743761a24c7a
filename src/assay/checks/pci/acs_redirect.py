"""Access control in PCIe switches sends peer traffic through the processor."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import GIVEN_AWAY, above, accelerators, named
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.dmi import Virtualization
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.pci import PORT_ROOT, PORTS


@check(
    "pci.acs-redirect",
    asks="Do the PCIe switches above accelerators let peers talk to each other directly?",
    severity=Severity.HIGH,
    why="With ACS request redirect, completion redirect or source validation on, GPUDirect "
    "traffic between GPU and NIC goes up to the processor: a fraction of the bandwidth, or a "
    "hang.",
    fix="On bare metal clear ACS on the switch ports at boot (setpci -s PORT ECAP_ACS+6.w=0), or "
    "boot with pci=config_acs=... or the IOMMU off. Leave it on where devices are given to "
    "virtual machines.",
    see=[
        "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
        "https://www.kernel.org/doc/html/latest/admin-guide/kernel-parameters.html",
    ],
    reproduce="sudo lspci -vvv | grep -E '^[0-9a-f]|ACSCtl'",
    plants=[
        plant(
            Edit(
                PORTS.source,
                path=PORT_ROOT + "0000:17:0c.0/config",
                old="\x5f\x00\x00\x00",
                new="\x5f\x00\x1d\x00",
            ),
            name="redirection on the port above a GPU",
        ),
    ],
)
def acs_redirect(
    devices: Sequence[PciDevice], virtualization: Sequence[Virtualization]
) -> Iterator[Verdict]:
    """Look at the downstream port of a switch above each accelerator."""
    computing = accelerators(devices)
    if not computing:
        return
    virtual = next((v.virtual for v in virtualization), None)
    if virtual:
        yield not_applicable(HOST, "a virtual machine: its hypervisor owns the switches")
        return
    for device in computing:
        bridges = list(above(device, devices))
        if device.driver in GIVEN_AWAY:
            yield not_applicable(named(device), f"given to a virtual machine ({device.driver})")
        elif len(bridges) < 3:  # no switch: peer traffic passes the root complex anyhow
            yield not_applicable(named(device), "no PCIe switch above it")
        else:
            yield _judge(bridges[0], named(device))


def _judge(port: PciDevice, below: str) -> Verdict:
    if port.acs_redirect is None:
        return unknown(named(port), f"its ACS control above {below} was not readable (needs root)")
    if port.acs_redirect:
        return failed(named(port), f"ACS redirects or validates peer traffic of {below}")
    return passed(named(port), f"ACS leaves peer traffic of {below} alone")
