"""Salted hashes that keep the form of what they stand for: equal values get equal hashes.

Part of the program that is sent to nodes: Python 3.6, standard library only.

Public addresses stay public ones, so that a parser that asks "is it reachable from outside?" is
right: IPv4 becomes 11.x.y.z, IPv6 3ffe:... (blocks that nobody reaches). A MAC address becomes a
locally administered one (02:...). What is made of a MAC address (the lower half of a link-local
address, a GUID) follows that address's hash.
"""

import hashlib
import re

_PCI_ADDRESS = re.compile(rb"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\Z")
_HEX_ID = re.compile(rb"(0x|naa\.|eui\.|uuid\.)?([0-9A-Fa-f]{12,64})\Z")
_UUID = re.compile(rb"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\Z")


def like(old: bytes, new: str) -> bytes:
    """*new* in the letter case of *old*."""
    return (new.upper() if old != old.lower() else new).encode()


def grouped(digits: str, size: int, between: str) -> str:
    """``grouped("aabbcc", 2, ":")`` is ``aa:bb:cc``."""
    return between.join(digits[n : n + size] for n in range(0, len(digits), size))


class Hashes:
    """The hashes of one run; all nodes of a run have the same salt."""

    def __init__(self, salt: bytes) -> None:
        self._salt = salt[:64]
        self._memo = {}  # type: dict[tuple[str, bytes], str]

    def of(self, kind: str, value: bytes) -> str:
        """64 hex digits for *value*; the same text of another *kind* gives others."""
        found = self._memo.get((kind, value))
        if found is None:
            state = hashlib.blake2b(value, key=self._salt, person=kind.encode(), digest_size=32)
            found = self._memo[kind, value] = state.hexdigest()
        return found

    def identity(self, value: bytes) -> bytes:
        """A serial number or the like; what only says that there is none stays."""
        bare = value.strip()
        plain = bare.lower()
        if (
            len(bare) < 3
            or not any(48 <= byte < 58 for byte in bare)
            or not plain.replace(b"0x", b"").strip(b"0.:- ")
            or plain[:2] == b"h-"
            or _PCI_ADDRESS.match(plain)
        ):
            return value
        if _UUID.match(bare):
            return self.uuid(bare)
        found = _HEX_ID.match(bare)
        if found and (found.group(1) or not bare.isdigit()):
            return (found.group(1) or b"") + self.digits(found.group(2))
        return self.serial(bare)

    def serial(self, value: bytes) -> bytes:
        """``h-`` and ten digits."""
        return b"h-" + self.of("serial", value)[:10].encode()

    def digits(self, old: bytes) -> bytes:
        """As many hex digits."""
        return like(old, (self.of("hex", old.lower()) * 2)[: len(old)])

    def uuid(self, old: bytes) -> bytes:
        """A UUID for a UUID."""
        new = self.of("uuid", old.replace(b"-", b"").lower())
        return like(old, "-".join((new[:8], new[8:12], new[12:16], new[16:20], new[20:32])))

    def person(self, name: bytes) -> bytes:
        """The name of a user."""
        return b"user-" + self.of("user", name)[:8].encode()

    def mac(self, digits: bytes) -> "str | None":
        """12 digits for 12; None for nobody's address and for those of groups."""
        if not digits.strip(b"0") or int(digits[:2], 16) & 1:
            return None
        return "02" + self.of("mac", digits.lower())[:10]

    def guid(self, digits: bytes) -> str:
        """16 digits for 16."""
        low = digits.lower()
        if not low.strip(b"0"):
            return low.decode()
        if low[6:10] == b"fffe":
            mac = self.mac(b"%02x" % (int(low[:2], 16) ^ 2) + low[2:6] + low[10:])
            if mac is not None:
                return "00" + mac[2:6] + "fffe" + mac[6:]
        return self.of("guid", low)[:16]

    def ipv4(self, octets: "list[int]") -> "list[int] | None":
        """Four octets for four; None when it is no public address."""
        a, b = octets[:2]
        if max(octets) > 255 or a in (0, 10, 127) or a >= 224:
            return None
        if (a, b) in ((169, 254), (192, 168)) or (a == 172 and 16 <= b < 32):
            return None
        if (a == 100 and 64 <= b < 128) or (a == 198 and b in (18, 19)):
            return None
        new = self.of("ipv4", bytes(octets))
        return [11, int(new[:2], 16), int(new[2:4], 16), int(new[4:6], 16)]

    def ipv6(self, groups: "list[int]", fabric: bool) -> "list[int] | None":
        """Eight groups for eight; None when nothing in them tells a machine.

        On a *fabric* the lower half is always the GUID of a port, whatever the prefix.
        """
        first = groups[0]
        if groups[:5] == [0] * 5 and groups[5] == 0xFFFF:  # IPv4 in IPv6, as in RoCE's GIDs
            octets = self.ipv4([group >> bits & 255 for group in groups[6:] for bits in (8, 0)])
            if octets is None:
                return None
            return [*groups[:6], octets[0] << 8 | octets[1], octets[2] << 8 | octets[3]]
        of_mac = groups[5] & 0xFF == 0xFF and groups[6] >> 8 == 0xFE
        linked = first & 0xFFC0 in (0xFE80, 0xFEC0)
        if linked or fabric or (first & 0xFE00 == 0xFC00 and of_mac):
            if not groups[4] and not groups[5]:
                return None  # fe80::1 was given by hand
            low = self.guid("".join(f"{group:04x}" for group in groups[4:]).encode())
            return groups[:4] + [int(low[n : n + 4], 16) for n in (0, 4, 8, 12)]
        if first & 0xE000 == 0x2000:
            new = self.of("ipv6", "".join(f"{group:04x}" for group in groups).encode())
            return [0x3FFE] + [int(new[n : n + 4], 16) for n in range(0, 28, 4)]
        return None
