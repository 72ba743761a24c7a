"""ConnectX and BlueField firmware: <device>.<train>.<build>; builds compare in their train."""

import re

from assay.advisories.versions.scheme import BadVersion, Version, exact

_SHAPE = re.compile(r"(?:(\d{2})\.)?(\d{2})\.(\d{4})(?:[-.].*)?")
# The device number of NVIDIA's firmware file names (fw-ConnectX7-rel-28_...).
DEVICES = {
    "12": "ConnectX-4", "14": "ConnectX-4 LX", "16": "ConnectX-5", "18": "BlueField-1",
    "20": "ConnectX-6", "22": "ConnectX-6 DX", "24": "BlueField-2", "26": "ConnectX-6 LX",
    "28": "ConnectX-7", "32": "BlueField-3", "40": "ConnectX-8", "82": "ConnectX-9",
}  # fmt: skip


def parse(text: str) -> Version:
    """With or without the device number; without it the device stays open."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise BadVersion(f"{text[:40]!r} is not a ConnectX or BlueField firmware version")
    device, train, build = found.groups()
    return exact(
        text, (int(train), int(build)), branch=train, order=int(train),
        device=DEVICES.get(device or "", ""),
    )  # fmt: skip


def family(name: str) -> str:
    """One spelling of a device's name: ``ConnectX-6-DX`` and ``ConnectX-6 Dx`` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
