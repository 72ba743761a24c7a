"""AMD Pensando network cards and ports, from ``nicctl show card`` and ``nicctl show port``."""

from collections.abc import Iterator
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.device import NicCard, NicPort
from assay.probes.pasted import bdf, clean, count, documents, real, tried, was_cut, words

CARDS = saved(
    "nicctl-card",
    looks_like=r'"nic":\s*\[\s*\{\s*"id":\s*"[^"]*",\s*"(?:pcie_bdf|eth_bdf|product_name|sku'
    r'|serial_number|firmware_version|asic)":[^\n]*',
)
PORTS = saved("nicctl-port", looks_like=r'"nic":\s*\[\s*\{\s*"id":\s*"[^"]*",\s*"port":\s*\[[^\n]*')
AMD = "amd"


def _nics(text: str) -> list[dict[str, Any]]:
    found = []
    for document in documents(text, "nicctl's output"):
        nics = document.get("nic") if isinstance(document, dict) else None
        found += [nic for nic in nics if isinstance(nic, dict)] if isinstance(nics, list) else []
    if not found:
        raise Unread("nicctl's output lists no card")
    if was_cut(text):
        raise Unread("nicctl's output was cut short by hand")
    return found


@probe("amd.nic-cards", reads=[CARDS])
def cards(seen: Seen) -> Iterator[NicCard]:
    """AMD network cards: product, firmware, and why they last restarted."""
    if tried(seen, CARDS) is None:
        return
    for nic in _nics(clean(seen.text(CARDS))):
        yield NicCard(
            vendor=AMD,
            id=words(nic.get("id")),
            bdf=bdf(nic.get("pcie_bdf")),
            interface_bdf=bdf(nic.get("eth_bdf")),
            product=words(nic.get("product_name")),
            sku=words(nic.get("sku")),
            firmware=words(nic.get("firmware_version")),
            partition=words(nic.get("current_firmware_partition")),
            next_partition=words(nic.get("next_boot_firmware_partition")),
            reset_reason=words(nic.get("reset_reason")),
            mac=words(nic.get("fru_mac_address")),
        )


@probe("amd.nic-ports", reads=[PORTS])
def ports(seen: Seen) -> Iterator[NicPort]:
    """Ports of AMD network cards: state, speed, error correction, and how often the link fell."""
    if tried(seen, PORTS) is None:
        return
    for nic in _nics(clean(seen.text(PORTS))):
        listed = nic.get("port")
        for port in listed if isinstance(listed, list) else ():
            if isinstance(port, dict):
                yield _port(words(nic.get("id")), _part(port, "spec"), _part(port, "status"))


def _part(port: dict[str, Any], name: str) -> dict[str, Any]:
    found = port.get(name)
    return found if isinstance(found, dict) else {}


def _port(card: str, spec: dict[str, Any], status: dict[str, Any]) -> NicPort:
    return NicPort(
        vendor=AMD,
        card=card,
        name=words(spec.get("name")) or words(status.get("physical_port")),
        admin=words(spec.get("admin_state")),
        state=words(status.get("operational_status")),
        speed=_gigabits(status.get("port_speed")),
        speed_set=_gigabits(spec.get("port_speed")),
        lanes=count(status.get("number_of_lanes")),
        mtu=count(spec.get("mtu")),
        fec=words(status.get("fec_type")),
        pause=words(spec.get("pause_type")),
        link_downs=count(status.get("number_of_link_down_events")),
        # nicctl prints 0 where the transceiver has no sensor (copper).
        temperature_c=real(status.get("transceiver_temperature")) or None,
        transceiver=words(status.get("transceiver_pid")),
    )


def _gigabits(value: object) -> float | None:
    """``400G`` as 400; other units are not guessed at."""
    text = words(value).upper()
    return real(text) if text.endswith("G") else None
