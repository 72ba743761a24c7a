"""Raw disks and memory that any user may open."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import PathMode
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.device_exposure import DEVICES

MEMORY = ("/dev/mem", "/dev/kmem", "/dev/port")
FIRMWARE = ("/dev/mst/", "/dev/fwctl/")
CHARACTER = ("/dev/sg", "/dev/nvme", *MEMORY, *FIRMWARE)


@check(
    "security.raw-devices",
    asks="Are raw disks, memory and firmware tools closed to ordinary users?",
    severity=Severity.CRITICAL,
    why="Below the file system there are no permissions: whoever opens the raw device reads "
    "other tenants' data, or writes firmware.",
    fix="Remove the udev rule or chmod that opened the device; disks belong to root:disk, 0660.",
    see=["https://cwe.mitre.org/data/definitions/732.html"],
    reproduce="find /dev \\( -type b -o -path '/dev/mst/*' \\) -perm /006 -ls",
    plants=[
        plant(Edit(DEVICES.source, path="/dev/nvme1n1", new="b 0666 0 6 259:1 0"), name="disk"),
        plant(
            Edit(DEVICES.source, path="/dev/mst/mt4129_pciconf0", new="c 0666 0 0 238:0 0"),
            name="firmware tools",
        ),
    ],
)
def raw_devices(paths: Sequence[PathMode]) -> Iterator[Verdict]:
    """Block devices, memory and firmware devices with permissions for others."""
    raw = [
        path
        for path in paths
        if path.type == "b" or (path.type == "c" and path.path.startswith(CHARACTER))
    ]
    for path in raw:
        if path.others_open:
            how = "write" if path.others_write else "read"
            yield failed(path.path, f"mode {path.mode:04o}: every user may {how} it")
    sound = sum(not path.others_open for path in raw)
    if sound:
        yield passed(HOST, f"{sound} raw devices are closed to others")
