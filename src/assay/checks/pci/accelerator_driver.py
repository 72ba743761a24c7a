"""A GPU without its driver is on the bus and of no use."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import GIVEN_AWAY, accelerators, is_compute, named
from assay.kit.accelerator import maker
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.pci import PciDevice
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.pci import FUNCTIONS, ROOT

# Drivers that put a picture on a screen but cannot compute.
NOT_COMPUTING = frozenset({"nouveau", "nova", "nova_core", "simpledrm", "nvidiafb"})

CARDS = frozenset({"nvidia"})  # drivers of graphics cards that compute where there are several


@check(
    "pci.accelerator-driver",
    asks="Is every accelerator on the bus driven by its compute driver?",
    severity=Severity.CRITICAL,
    why="An accelerator that no driver took shows in lspci and in no scheduler; jobs get one less.",
    fix="Read the driver's messages in the kernel log; reinstall or rebuild the driver for the "
    "running kernel; blacklist nouveau; reseat or replace a device that fails to start.",
    see=[
        "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/index.html",
        "https://man7.org/linux/man-pages/man8/lspci.8.html",
    ],
    reproduce="lspci -nnk -d ::0302; lspci -nnk -d ::1200",
    plants=[
        plant(
            Edit(
                FUNCTIONS.source,
                path=ROOT + "0000:9d:00.0/uevent",
                old="DRIVER=nvidia\n",
                new="",
            ),
            name="no driver",
        ),
        plant(
            Edit(
                FUNCTIONS.source,
                path=ROOT + "0000:9d:00.0/uevent",
                old="DRIVER=nvidia\n",
                new="DRIVER=nouveau\n",
            ),
            name="nouveau",
        ),
    ],
)
def accelerator_driver(devices: Sequence[PciDevice]) -> Iterator[Verdict]:
    """Look which driver is bound."""
    for device in accelerators(devices):
        name, driver = named(device), device.driver
        if driver is None:
            yield failed(name, f"{device.vendor_id}:{device.device_id} has no driver bound")
        elif (made := maker(device)) and made.drives(driver):
            yield passed(name, f"driven by {driver}")
        elif driver in GIVEN_AWAY:
            yield not_applicable(name, f"given to a virtual machine ({driver})")
        elif driver in NOT_COMPUTING and is_compute(device):
            yield failed(name, f"driven by {driver}, which cannot compute")
        elif driver in NOT_COMPUTING:
            yield not_applicable(name, f"a display adapter (driven by {driver})")
        elif not is_compute(device) and driver in CARDS:
            yield passed(name, f"driven by {driver}")
        else:
            yield unknown(name, f"driven by {driver}, which is no known driver of this maker")
