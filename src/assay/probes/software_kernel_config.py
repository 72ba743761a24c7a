"""Build options of the running kernel on which direct transfers between devices depend."""

import re
import zlib
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import MIB, files
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.exposure import KernelOption
from assay.probes.kernel import KERNEL

CONFIG = files(
    "{/proc/config.gz,/boot/config-*,/usr/lib/modules/*/config}",
    name="kernel-config",
    cap=8 * MIB,
    looks_like=r"^# Linux/\S+ \S+ Kernel Configuration$",
)
MOST = 2 * MIB  # of one unpacked configuration; real ones have 0.3
OPTIONS = ("DMA_SHARED_BUFFER", "DMABUF_MOVE_NOTIFY", "PCI_P2PDMA", "HSA_AMD_P2P")
_SET = re.compile(r"^CONFIG_(\w+)=(.*)$|^# CONFIG_(\w+) is not set$", re.MULTILINE)


@probe("software.kernel-config", reads=[CONFIG, KERNEL])
def kernel_config(seen: Seen) -> Iterator[KernelOption]:
    """Options for DMA buffers and peer-to-peer DMA, of the running kernel only."""
    text = _running(seen)
    found = {m[1] or m[3]: m[2] or "n" for m in _SET.finditer(text)}
    if not found:
        raise Unread(f"the configuration of the running kernel sets nothing: {text[:60]!r}")
    for name in OPTIONS:
        if name in found:  # a pasted half says nothing about the rest
            yield KernelOption(name, found[name])


def _running(seen: Seen) -> str:
    every = [e for e in seen.entries(CONFIG) if e.status == Status.ANSWERED]
    if len(every) == 1 and seen.capture(KERNEL) is None:  # one file that a user saved
        return _text(every[0].data)
    own = next((e for e in every if e.path == "/proc/config.gz"), None)
    if own is None:
        release = next(
            (text.strip() for path, text in seen.files(KERNEL) if path.endswith("/osrelease")), ""
        )
        if not release:
            raise Unread("the release of the running kernel was not read")
        names = (f"/boot/config-{release}", f"/usr/lib/modules/{release}/config")
        own = next((e for e in every if e.path in names), None)
        if own is None:
            raise Unread(f"no readable configuration of the running kernel {release}")
    return _text(own.data)


def _text(data: bytes) -> str:
    if data[:2] == b"\x1f\x8b":
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, MOST)
        except zlib.error as error:
            raise Unread(f"/proc/config.gz is damaged: {error}") from error
    return data.decode("utf-8", "replace")
