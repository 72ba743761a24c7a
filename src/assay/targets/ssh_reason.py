"""Why a node could not be read over ssh, in a sentence that says what to do. No I/O."""

import re
from dataclasses import dataclass

from assay.targets.ssh_command import HERE, NONE, OLD, Known

_CHANGED = "REMOTE HOST IDENTIFICATION HAS CHANGED"
_OFFENDING = re.compile(r"^Offending (?!key for IP).*key in (.+:\d+)", re.MULTILINE)
_FINGERPRINT = re.compile(r"^((?:SHA256|MD5):[A-Za-z0-9+/=:]+)\.?$", re.MULTILINE)
_OF = re.compile(r"ost key for (\S+) has changed|host key is known for (\S+) and")
_UNVERIFIED = "Host key verification failed"

# What ssh says, and what it means; the first that is found counts. The words in the patterns are
# those of OpenSSH's source (ssh.c, sshconnect.c, sshconnect2.c, readconf.c, packet.c) since 7.4.
_SAID: tuple[tuple[str, str], ...] = (
    (
        r"(Access denied[^\n]*active jobs?[^\n]*)",
        "it lets in only users with a job on it ({0}): audit it through the scheduler",
    ),
    (r"(System is (?:booting up|going down)[^\n]*)", "it lets nobody in: {0}"),
    (
        r"([Pp]assword (?:has expired|change required)[^\n]*|account (?:has )?expired[^\n]*)",
        "the account must be put right first: {0}",
    ),
    (
        r"(?:command-line|[^\n]+): (?:line \d+: )?(Bad configuration option[^\n]*)",
        "your ssh configuration is not understood: {0}",
    ),
    (r"(Bad owner or permissions on [^\n]+)", "your ssh refuses its own configuration: {0}"),
    (
        r"(Permissions \S+ for \S+ are too open|Load key [^\n]+|sign_and_send_pubkey: [^\n]+"
        r"|Identity file \S+ not accessible[^\n]*)[\s\S]*Permission denied",
        "it refuses the login, and your key could not be used: {0}; try `{hand}`",
    ),
    (
        r"Permission denied \(([^)\n]*)\)",
        "it refuses the login: none of your keys is accepted (it takes {0}); try `{hand}`",
    ),
    (r"(Too many authentication failures)", "it refuses the login: {0}; try `{hand}`"),
    (r"(Permission denied[^\n]*)", "it refuses the login: {0}; try `{hand}`"),
    (r"Could not resolve hostname [^\n:]*: ([^\n]+)", "its name has no address: {0}"),
    (r"connect to (?:host|address) \S+ port (\d+): Connection refused", "port {0} is closed"),
    (
        r"connect to (?:host|address) \S+ port (\d+): (?:Connection|Operation) timed out",
        "nothing answers at port {0}",
    ),
    (r"connect to (?:host|address) \S+ port \d+: ([^\n]+)", "it cannot be reached: {0}"),
    (
        r"(?:Connection timed out during banner exchange|Connection to \S+ port \d+ timed out)",
        "its port is open, but its sshd does not answer",
    ),
    (
        r"no matching ([^\n.]+? found)",
        "its sshd and your ssh have nothing in common: no matching {0}",
    ),
    (r"Timeout, server \S+ not responding", "it stopped answering"),
    (r"(Cannot execute command-line and remote command)", "your ssh configuration forbids it: {0}"),
)
_DROPPED = re.compile(
    r"Connection (?:closed|reset) by|kex_exchange_identification|ssh_exchange_identification"
    r"|Not allowed at this time"
)


@dataclass(frozen=True, slots=True)
class Words:
    """What the remote command told on stderr, and what else was said there."""

    here: bool
    old: str
    none: bool
    rest: str


def words(stderr: str, mark: str) -> Words:
    """Tell the remote command's own words from everybody else's."""
    stderr = stderr.replace("\r\n", "\n")  # as ssh ends its own lines
    ours = re.compile(rf"assay {mark} (\w+) ?([^\n]*)\n?")
    found = {match[1]: match[2] for match in ours.finditer(stderr)}
    old = found.get(OLD, "").strip()[:40]
    return Words(HERE in found, old, NONE in found, ours.sub("", stderr))


def last_line(said: str) -> str:
    """The last thing that was said, for want of something better."""
    lines = [line.strip() for line in said.replace("\r", "\n").splitlines() if line.strip()]
    text = lines[-1] if lines else ""
    return "".join(char if char.isprintable() else "?" for char in text)[:200]


def dropped(said: str) -> bool:
    """Did it hang up before the login, as a busy sshd does (MaxStartups)? Worth a second try."""
    return _from_table(said, "") is None and _UNVERIFIED not in said and bool(_DROPPED.search(said))


def refused(said: str, own: Known | None, hand: str, address: str) -> str:
    """ssh itself gave up: why."""
    if _CHANGED in said:
        return _changed(said, hand, address)
    if _UNVERIFIED in said or "host key is known for" in said:
        return _unknown(said, own, hand)
    if known := _from_table(said, hand):
        return known
    if _DROPPED.search(said):
        return f"it hangs up before the login ({last_line(said)}); try `{hand}`"
    return f"ssh failed: {last_line(said) or 'without a word'}; try `{hand}`"


def _from_table(said: str, hand: str) -> str | None:
    for pattern, sentence in _SAID:
        if match := re.search(pattern, said):
            parts = [last_line(part or "") for part in match.groups()]
            return sentence.format(*parts, hand=hand)
    return None


def _changed(said: str, hand: str, address: str) -> str:
    of, where, sends = _OF.search(said), _OFFENDING.search(said), _FINGERPRINT.search(said)
    name = (of and (of[1] or of[2])) or address
    file = f" -f {where[1].rpartition(':')[0]}" if where else ""
    return (
        f"the host key of {name} has changed"
        + (f": it sends {sends[1]}," if sends else ",")
        + (f" and {where[1]} has another" if where else " and another is known")
        + ". It was installed anew, or somebody is in between (a man in the middle); nothing was"
        f" sent to it. Compare the key with the one on its console; if it is the right one:"
        f" ssh-keygen{file} -R '{name}', then `{hand}`"
    )


def _unknown(said: str, own: Known | None, hand: str) -> str:
    of = _OF.search(said)
    if of is None and own and own.proxy:
        return (
            f"a host key on the way to it ({own.proxy}) is not known or not right:"
            f" {last_line(said)}; nothing was sent; try `{hand}`"
        )
    file = f" in {own.known_hosts}" if own and own.known_hosts else ""
    return (
        f"its host key is not known{file}; nothing was sent to it. Run `{hand}` once, compare the"
        " fingerprint with the one on its console, and answer yes"
    )
