"""What mlxlink prints about the physical layer of one port."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from assay.kit.probe import probe
from assay.kit.quantity import number
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.fabric import LinkQuality
from assay.probes.pasted import clean
from assay.probes.rdma_words import lanes, lines, whole, word

MLXLINK = saved(
    "mlxlink",
    looks_like=r"^[ \t]*Operational Info\s?$(?:\s{0,4}^-+\s?$)?"
    r"|^[ \t]*Physical Counters and BER Info\s?$",
)

_ROW = re.compile(r"^[ \t]*([A-Za-z][^:]*?)\s*:\s*(.*)$")


@probe("fabric.link-quality", reads=[MLXLINK])
def quality(seen: Seen) -> Iterator[LinkQuality]:
    """Bit error rates, link losses and module temperature, from a saved mlxlink."""
    if seen.capture(MLXLINK) is None:
        return
    parts = re.split(r"^[ \t]*Operational Info[ \t]*$", clean(seen.text(MLXLINK)), flags=re.M)
    found = False
    for before, block in pairwise(parts):
        said: dict[str, str] = {}
        for line in lines(block):
            if (row := _ROW.match(line)) is not None:
                said.setdefault(row.group(1).lower(), row.group(2))
        device = re.findall(r"mlxlink\s+(?:\S+\s+)*?-d\s+(\S+)", before)
        if "state" in said or "raw physical ber" in said:
            found = True
            yield _port(device[-1] if device else "", said)
    if not found:
        raise Unread("mlxlink printed no port")


def _port(device: str, said: Mapping[str, str]) -> LinkQuality:
    return LinkQuality(
        device,
        word(said.get("state")),
        word(said.get("physical state")),
        speed=_value(said, "speed"),
        width=lanes(said.get("width")),
        fec=_value(said, "fec"),
        raw_ber=number(said.get("raw physical ber")),
        effective_ber=number(said.get("effective physical ber")),
        symbol_ber=number(said.get("symbol ber")),
        symbol_errors=whole(said.get("symbol errors")),
        link_downs=whole(said.get("link down counter")),
        link_recoveries=whole(said.get("link error recovery counter")),
        temperature_c=number(said.get("temperature [c]")),
        cable=_value(said, "vendor part number"),
        trouble=_value(said, "recommendation"),
    )


def _value(said: Mapping[str, str], key: str) -> str:
    text = said.get(key, "")
    return "" if text.upper() in ("N/A", "NONE", "") else text
