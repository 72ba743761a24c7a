"""Hosts as people write them: names, ``user@host:port``, ``[ipv6]``, a hosts file. No I/O.

Ranges such as ``gpu-[001-032]`` are for the caller to expand: an ``expand`` that does it is taken
as an argument.
"""

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

MOST_HOSTS = 1_000_000  # as many as reports/nodeset.py expands

# What a host or a user may be called. Neither may begin with a dash (ssh would take it for an
# option), nor hold what a shell acts on (a ProxyCommand of the user's has them as %h and %r).
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_.-])?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@+\\-]{0,127}")


@dataclass(frozen=True, slots=True)
class Host:
    """A machine to log in to. What is empty or 0 is for the user's own ssh configuration to say.

    ``name`` is what the report calls it; ``address`` is what ssh is given.
    """

    name: str
    address: str
    user: str = ""
    port: int = 0
    key: str = ""  # path of a private key, where an inventory names one

    def __post_init__(self) -> None:
        if not _is_address(self.address):
            raise ValueError(f"{self.address!r} is no host name or address")
        if self.user and not _USER.fullmatch(self.user):
            raise ValueError(f"{self.user!r} is no user name")
        if not 0 <= self.port < 65536:
            raise ValueError(f"{self.port} is no port")

    @property
    def destination(self) -> str:
        """``user@host:port``, as far as they are given."""
        user = f"{self.user}@" if self.user else ""
        if not self.port:
            return user + self.address
        address = f"[{self.address}]" if ":" in self.address else self.address
        return f"{user}{address}:{self.port}"


def host(text: str) -> Host:
    """``gpu-001``, ``root@gpu-001:2222``, ``2001:db8::1``, ``[2001:db8::1]:22``.

    :class:`ValueError` says what is wrong with *text*.
    """
    user, at, rest = text.strip().removeprefix("ssh://").rstrip("/").rpartition("@")
    if at and not user:
        raise ValueError(f"{text!r}: no user name before the @")
    bracketed = re.fullmatch(r"\[([^\[\]]+)\](?::([0-9]{1,5}))?", rest)
    plain = re.fullmatch(r"([^:\[\]]+)(?::([0-9]{1,5}))?", rest)
    if found := bracketed or plain:
        address, port = found[1], int(found[2] or 0)
        if found[2] and not port:
            raise ValueError(f"{text!r}: 0 is no port")
    else:
        address, port = rest, 0
    try:
        return Host(address, address, user, port)
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None


def hosts(names: Iterable[str]) -> list[Host]:
    """*names*, each of which stands for one host, without repetitions."""
    return distinct(host(name) for name in names)


def hosts_file(text: str, expand: "Callable[[str], list[str]] | None" = None) -> list[Host]:
    """One host a line; ``#`` begins a comment; what follows a host on its line is not read.

    That is so that a file of /etc/hosts' form or a machine file (``gpu-001 slots=8``) can be
    given as it is: where a line begins with an address and a name follows, the name is the
    report's and the address is ssh's. With *expand*, a line may be a range.
    """
    return distinct(_lines(text, expand))


def _lines(text: str, expand: "Callable[[str], list[str]] | None") -> Iterator[Host]:
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            one_host = "[" not in words[0] or re.search(r"(^|@)\[[0-9A-Fa-f:.%]*:", words[0])
            if one_host or expand is None:
                first = host(words[0])
                alias = words[1] if len(words) > 1 and _NAME.fullmatch(words[1]) else ""
                yield replace(first, name=alias) if alias and _is_ip(first.address) else first
            else:
                yield from map(host, expand(words[0]))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None


def distinct(found: Iterable[Host]) -> list[Host]:
    """Each host once. Those that share a name and are not the same are told apart by all of it."""
    once: list[Host] = []
    seen: set[Host] = set()
    for one in found:
        if one not in seen:
            seen.add(one)
            once.append(one)
        if len(once) > MOST_HOSTS:
            raise ValueError(f"more than {MOST_HOSTS:,} hosts")
    count = Counter(one.name for one in once)
    return [replace(one, name=one.destination) if count[one.name] > 1 else one for one in once]


def _is_ip(address: str) -> bool:
    try:
        ipaddress.ip_address(address)
    except ValueError:
        return False
    return True


def _is_address(address: str) -> bool:
    if ":" in address:  # IPv6, of a link or not; the shell's characters cannot be in it
        plain, zoned, zone = address.partition("%")
        return _is_ip(plain) and (not zoned or bool(_NAME.fullmatch(zone)))
    return bool(_NAME.fullmatch(address))
