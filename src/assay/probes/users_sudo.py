"""Who may become root by sudo."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.access import SudoRule

# Readable for root only; for anybody else this is UNKNOWN, as it should be.
SUDOERS = files("{/etc/sudoers,/etc/sudoers.d/*}", name="sudoers")
_NO_RULE = re.compile(
    r"(?:Defaults|(?:User|Runas|Host|Cmnd|Cmd)_Alias)\b|[@#]include(?:dir)?\b|#(?!\d)|$"
)
_RULE = re.compile(r"(?P<who>[^=]+?)\s+(?P<host>[^\s=]+)\s*=\s*(?P<rest>.*)")
_RUNAS = re.compile(r"\(([^)]*)\)\s*")
_TAG = re.compile(r"([A-Z_]+):\s*")
_NO_AUTHENTICATION = re.compile(r"^Defaults(?:[@>!].*?)?\s+.*!authenticate\b", re.MULTILINE)


@probe("security.sudo", reads=[SUDOERS])
def sudo(seen: Seen) -> Iterator[SudoRule]:
    """User specifications of sudoers: who, with or without a password."""
    found = list(seen.files(SUDOERS))
    free = any(_NO_AUTHENTICATION.search(text) for _, text in found)
    rules = 0
    for path, text in found:
        name = path.rpartition("/")[2]
        if path.startswith("/etc/sudoers.d/") and ("." in name or name.endswith("~")):
            continue  # sudo itself skips these
        for line in re.sub(r"\\\r?\n", " ", text).splitlines():
            for rule in _rules(line.strip(), path, free):
                rules += 1
                yield rule
    lost = [f"`{e.path}`: {e.status}" for e in seen.entries(SUDOERS) if e.status != Status.ANSWERED]
    if lost:
        raise Unread("; ".join(lost))
    if not rules and not seen.absent(SUDOERS):
        raise Unread("sudoers has no rule, not even root's own")


def _rules(line: str, path: str, free: bool) -> Iterator[SudoRule]:
    if _NO_RULE.match(line):
        return
    rule = _RULE.match(line)
    if rule is None:
        raise Unread(f"`{path}`: cannot make out {line[:60]!r}")
    password, everything = not free, False
    runas = "root"
    for command in rule["rest"].split(","):
        rest = command.strip()
        while found := _RUNAS.match(rest) or _TAG.match(rest):
            if rest.startswith("("):
                runas = found[1].partition(":")[0].strip() or "root"
            elif found[1] in ("NOPASSWD", "PASSWD"):
                password = found[1] == "PASSWD"
            rest = rest[found.end() :]
        if rest.strip() == "ALL" and runas in ("ALL", "root", "#0"):
            everything = True
    for who in rule["who"].split(","):
        yield SudoRule(who.strip().strip('"'), password, everything, path)
