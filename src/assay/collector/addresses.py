"""Find MAC addresses, GUIDs and public IP addresses in text, and not what looks like them.

Part of the program that is sent to nodes: Python 3.6, standard library only. Each function gives
edits (start, end, new bytes). Patterns begin with a literal, so that text without it costs little.
"""

import re

from assay.collector.credentials import endings
from assay.collector.hashes import Hashes, grouped, like

_H = rb"[0-9A-Fa-f]"
_COLONS = re.compile(rb":(?:" + _H + rb"{1,4}(?::" + _H + rb"{1,4}){2}|:)")
_LEFT_OF_COLON = re.compile(rb"[0-9A-Fa-f:]{0,64}\Z")
_RIGHT_OF_COLON = re.compile(rb"[0-9A-Fa-f:]*")
_DASHES = re.compile(rb"-(?:" + _H + rb"{2}-){4}")
_DASHED = re.compile(_H + rb"{2}(?:(?:-" + _H + rb"{2}){7}|(?:-" + _H + rb"{2}){5})(?![\w-])")
_LAST_OCTETS = re.compile(rb"\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w+~-])(?!\.\w)")
_FIRST_OCTET = re.compile(rb"(?:^|[^\w.+~-])(\d{1,3})\Z")
# What stands before something that looks like an address and is a version.
_VERSION_BEFORE = re.compile(
    rb"version|driver|firmware|bios|\bfw\b|\bfw[_-]|_fw|\bver\b|\brev\b|build|package|librar"
    rb"|toolkit|cuda|cudnn|nccl|rocm|ofed|doca|\bmft\b|dcgm|[=~<>]=[ \"']?\Z|[\w-]/\Z"
)
_VERSION_SOURCES = frozenset(
    b"dpkg-query dpkg rpm apt apt-cache snap modinfo lsmod pip pip3 python3 dkms mlxfwmanager flint"
    b" dmidecode lshw lspci nvidia-smi rocm-smi amd-smi npu-smi hl-smi neuron-ls mst nvcc".split()
)
_FABRIC_COMMANDS = frozenset(
    b"ibstat ibstatus ibv_devinfo ibv_devices iblinkinfo ibnetdiscover ibqueryerrors ibdiagnet"
    b" ibswitches ibhosts ibnodes ibrouters ibaddr ibcheckerrors sminfo smpquery saquery perfquery"
    b" opensm show_gids ibswinfo rdma".split()
)
_GUID = re.compile(rb"(?<![0-9A-Za-z:.])(?:0x|[SHRPC]-|)([0-9A-Fa-f]{16})(?![0-9A-Za-z:.])")
_BASE_MAC = re.compile(rb"(?<![0-9A-Za-z:])(?:0x)?([0-9A-Fa-f]{12})(?![0-9A-Za-z:])")
_NET_WORD = re.compile(
    rb"(?<![0-9A-Za-z:])(?:[0-9A-Fa-f]{32}(?![0-9A-Za-z])|[0-9A-F]{8}(?=:[0-9A-F]{4}\s|\t))"
)


def command(where: bytes) -> bytes:
    """The name of the command in a command line; nothing for a path."""
    return b"" if where[:1] == b"/" else where.partition(b" ")[0]


def fabric(where: bytes) -> bool:
    """Does *where* speak about InfiniBand only, so that 16 digits are a GUID?"""
    return where.startswith(b"/sys/class/infiniband") or command(where) in _FABRIC_COMMANDS


def addresses(data: bytes, where: bytes, hashes: Hashes) -> "list[tuple[int, int, bytes]]":
    """All of them that have separators."""
    found = _colons(data, where, hashes) + _dashes(data, hashes)
    versions = command(where) in _VERSION_SOURCES or where.startswith(b"/sys/")
    if not (versions or b"version" in where or where.endswith(b"os-release")):
        found += _ipv4(data, hashes)
    if where.startswith(b"/proc/net/"):
        found += _net_words(data, hashes)
    return found


def _colons(data: bytes, where: bytes, hashes: Hashes) -> "list[tuple[int, int, bytes]]":
    """Words of hexadecimal digits and colons."""
    found, at = [], 0
    for match in _COLONS.finditer(data):
        if match.start() < at:
            continue
        left = _LEFT_OF_COLON.search(data[max(0, match.start() - 64) : match.start()])
        start = match.start() - (len(left.group()) if left else 0)
        right = _RIGHT_OF_COLON.match(data, match.end())
        at = right.end() if right else match.end()
        if data[max(0, start - 1) : start].isalnum() or data[at : at + 1].isalnum():
            continue
        token = data[start:at]
        if token.endswith(b":") and not token.endswith(b"::"):
            token = token[:-1]
        if token.startswith(b":") and not token.startswith(b"::"):
            start, token = start + 1, token[1:]
        new = _colon_token(token, fabric(where), data[at : at + 1] == b".", hashes)
        if new is not None:
            found.append((start, start + len(token), like(token, new)))
    return found


def _colon_token(  # noqa: PLR0911 - one return for each form
    token: bytes, fabric: bool, dotted: bool, hashes: Hashes
) -> "str | None":
    parts = token.split(b":")
    sizes = set(map(len, parts))
    if sizes == {2} and len(parts) == 6:
        mac = hashes.mac(b"".join(parts))
        return None if mac is None else grouped(mac, 2, ":")
    if sizes == {2} and len(parts) == 8:
        return grouped(hashes.guid(b"".join(parts)), 2, ":")
    if sizes == {2} and len(parts) == 20 and parts[4].lower() == b"fe":  # IPoIB; not a SHA-1
        guid = grouped(hashes.guid(b"".join(parts[12:])), 2, ":")
        return b":".join(parts[:12]).decode() + ":" + guid
    if sizes == {4} and len(parts) == 4:
        return grouped(hashes.guid(b"".join(parts)), 4, ":")
    groups = None if dotted else _groups(parts)
    new = hashes.ipv6(groups, fabric) if groups is not None else None
    if new is None:
        return None
    if sizes == {4}:
        return ":".join(f"{group:04x}" for group in new)
    return ":".join(f"{group:x}" for group in new).replace(":0:0:0:", "::", 1)


def _groups(parts: "list[bytes]") -> "list[int] | None":
    """The eight groups of an IPv6 address split at its colons; None when it is none."""
    if max(map(len, parts)) > 4:
        return None
    head, gap, tail = b":".join(parts).partition(b"::")
    left = [part for part in head.split(b":") if part]
    right = [part for part in tail.split(b":") if part]
    missing = 8 - len(left) - len(right)
    if b"::" in tail or (missing < 1 if gap else missing):
        return None
    return [int(part, 16) for part in left + [b"0"] * missing + right]


def _dashes(data: bytes, hashes: Hashes) -> "list[tuple[int, int, bytes]]":
    """MAC addresses and PCIe device serial numbers (made of a MAC address) with dashes."""
    found, at = [], 0
    for match in _DASHES.finditer(data):
        start = match.start() - 2
        whole = _DASHED.match(data, start) if start >= at else None
        before = data[max(0, start - 1) : start]
        if whole is None or before.isalnum() or before in (b"-", b"_"):
            continue
        at = whole.end()
        digits = whole.group().replace(b"-", b"")
        if len(digits) == 16:
            new = hashes.guid(digits)  # type: str | None
        else:
            new = None if digits.isdigit() else hashes.mac(digits)  # else it is a date
        if new is not None:
            found.append((start, at, like(digits, grouped(new, 2, "-"))))
    return found


def _ipv4(data: bytes, hashes: Hashes) -> "list[tuple[int, int, bytes]]":
    found = []
    for tail in _LAST_OCTETS.finditer(data):
        head = _FIRST_OCTET.search(data[max(0, tail.start() - 4) : tail.start()])
        if not head:
            continue
        start, end = tail.start() - len(head.group(1)), tail.end()
        octets = data[start:end].split(b".")
        if any(len(octet) > 1 and octet[:1] == b"0" for octet in octets):
            continue  # 96.00.74.01 is a version
        if data[end : end + 1] != b"/":  # 8.0.0.0/9 is a network
            before = data[max(0, start - 48) : start].rpartition(b"\n")[2].lower()
            if octets[2:] == [b"0", b"0"] or _VERSION_BEFORE.search(before):
                continue
        new = hashes.ipv4([int(octet) for octet in octets])
        if new is not None:
            found.append((start, end, ".".join(map(str, new)).encode()))
    return found


def _net_words(data: bytes, hashes: Hashes) -> "list[tuple[int, int, bytes]]":
    """Addresses as /proc/net prints them: words in the machine's byte order."""
    found = []
    for match in _NET_WORD.finditer(data):
        raw = bytes.fromhex(match.group().decode())
        # if_inet6 and ipv6_route print the bytes in order; tcp6 and udp6, with a port, do not
        words = len(raw) == 4 or data[match.end() : match.end() + 1] == b":"
        value = _swapped(raw) if words else raw
        if len(value) == 4:
            octets = hashes.ipv4(list(value))
            changed = bytes(octets) if octets else b""
        else:
            groups = hashes.ipv6([value[n] << 8 | value[n + 1] for n in range(0, 16, 2)], False)
            changed = b"".join(bytes(divmod(group, 256)) for group in groups or ())
        if changed:
            new = (_swapped(changed) if words else changed).hex()
            found.append((match.start(), match.end(), like(match.group(), new)))
    return found


def _swapped(raw: bytes) -> bytes:
    return b"".join(raw[n : n + 4][::-1] for n in range(0, len(raw), 4))


def bare_guids(
    data: bytes, low: bytes, where: bytes, hashes: Hashes
) -> "list[tuple[int, int, bytes]]":
    """GUIDs and MACs without separators: anywhere in a fabric tool's output, else where named."""
    found, spans, at = [], [], 0
    if fabric(where):
        spans.append((0, len(data)))
    else:
        for end in endings(low, b"guid"):
            if end > at:
                first = max(at, data.rfind(b"\n", at, end) + 1, end - 64)
                at = data.find(b"\n", end, end + 256)
                at = min(len(data), end + 256) if at < 0 else at
                spans.append((first, at))
    for start, stop in spans:
        for match in _GUID.finditer(data, start, stop):
            old = match.group(1)
            if old.lower() != b"fe80000000000000":  # the prefix of every link-local GID
                found.append((match.start(1), match.end(1), like(old, hashes.guid(old))))
    for end in endings(low, b"base mac"):
        stop = data.find(b"\n", end, end + 64)
        for match in _BASE_MAC.finditer(data, end, stop if stop > 0 else end + 64):
            new = hashes.mac(match.group(1))
            if new is not None:
                found.append((match.start(1), match.end(1), like(match.group(1), new)))
    return found
