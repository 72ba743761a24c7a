"""Whoever can open the BMC's device can give himself an administrator's account on the BMC."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.dmi import Virtualization
from assay.model.facts.exposure import PathMode
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.device_exposure import DEVICES

BMC = ("/dev/ipmi", "/dev/bmc")
REST = "the BMC's network side cannot be seen from here and needs the provider's attestation"


@check(
    "security.bmc-device",
    asks="Is the BMC's device on this node closed to ordinary users?",
    severity=Severity.CRITICAL,
    why="The BMC sits below the operating system: it can flash firmware, read consoles and "
    "outlive a re-installation, and the local device asks for no password.",
    fix="Make the device root's alone (mode 0600), blacklist ipmi_devintf on tenant nodes, and "
    "turn off the BMC's host interface where tenants are root.",
    see=["https://docs.kernel.org/driver-api/ipmi.html"],
    reproduce="ls -l /dev/ipmi* /dev/ipmi/* /dev/ipmidev/*",
    plants=[plant(Edit(DEVICES.source, path="/dev/ipmi0", new="c 0666 0 0 240:0 0"))],
)
def bmc_device(
    paths: Sequence[PathMode], machine: Sequence[Virtualization] | None
) -> Iterator[Verdict]:
    """IPMI device nodes. A missing device or tool is no proof of isolation, so never a pass."""
    if not any(path.path == "/dev/null" for path in paths):
        return  # the devices of this node were not listed
    found = [path for path in paths if path.type == "c" and path.path.startswith(BMC)]
    for path in found:
        if path.others_open:
            yield failed(path.path, f"mode {path.mode:04o}: every user may command the BMC")
        else:
            yield passed(
                path.path, f"mode {path.mode:04o}: for root and its group; {REST}"
            )  # fmt: skip
    if found:
        return
    if any(m.virtual or m.container for m in machine or ()):
        yield not_applicable(HOST, "a virtual machine or a container, without a BMC's device")
    else:
        yield unknown(
            HOST, f"no IPMI device in /dev, which root can change by loading a driver; {REST}"
        )
