"""What sshd lets in, by its configuration files, as sshd itself would resolve them."""

import fnmatch
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.access import SshdOption
from assay.probes.sshd_keywords import KEYWORDS

CONFIG = files(
    "{/etc/ssh,/usr/etc/ssh}/{sshd_config,sshd_config.d/*.conf}",
    name="sshd-config",
    looks_like=r"^#?[ \t]{0,16}(?:PermitRootLogin|AuthorizedKeysFile|PasswordAuthentication)\s+\S+",
)
MAIN = ("/etc/ssh/sshd_config", "/usr/etc/ssh/sshd_config")  # the first one that is there
READ = ("/etc/ssh/sshd_config.d", "/usr/etc/ssh/sshd_config.d")
MOST_FILES = 500
DEEPEST = 16  # OpenSSH's own limit of nested Include
# Deprecated names that OpenSSH still takes for the new ones.
_ALIASES = {
    "challengeresponseauthentication": "kbdinteractiveauthentication",
    "skeyauthentication": "kbdinteractiveauthentication",
    "pubkeyacceptedkeytypes": "pubkeyacceptedalgorithms",
    "hostbasedacceptedkeytypes": "hostbasedacceptedalgorithms",
    "dsaauthentication": "pubkeyauthentication",
}
# These add up; of all others the first one wins.
_LISTS = frozenset(
    {"port", "listenaddress", "hostkey", "hostcertificate", "acceptenv", "allowusers",
     "denyusers", "allowgroups", "denygroups", "subsystem", "setenv"}
)  # fmt: skip
_LINE = re.compile(r"\s*(?P<keyword>[A-Za-z]\w*)(?:\s*=\s*|\s+)(?P<value>.*?)\s*")


@dataclass(slots=True)
class _Walk:
    """Where we are in a configuration: files by path, and what has been set already."""

    texts: dict[str, str]
    lost: dict[str, str]
    visits: int = 0
    set: dict[tuple[str, str], str] = field(default_factory=dict)


@probe("security.sshd", reads=[CONFIG])
def sshd(seen: Seen) -> Iterator[SshdOption]:
    """Options of sshd that are in force: Include followed, first match wins, Match kept apart."""
    texts, lost = {}, {}
    for entry in seen.entries(CONFIG):
        if entry.status == Status.ANSWERED:
            texts[entry.path] = entry.data.decode("utf-8", "replace")
        else:
            lost[entry.path] = entry.status
    main = next((path for path in MAIN if path in texts or path in lost), None)
    if main is None and len(texts) == 1:  # saved under any name
        main = next(iter(texts))
    if main is None:
        return
    # All of it before any of it: an unread drop-in could outrank what was read.
    options = list(_file(_Walk(texts, lost), main, "", 0))
    # A configuration that sets nothing is one all the same: OpenSSH's defaults hold.
    yield from options or [SshdOption("", "", "", main)]


def _file(walk: _Walk, path: str, match: str, depth: int) -> Iterator[SshdOption]:
    if path in walk.lost:
        raise Unread(f"`{path}`: {walk.lost[path]}")
    walk.visits += 1
    if depth > DEEPEST or walk.visits > MOST_FILES:
        raise Unread(f"`{path}` is included too deeply or too often")
    _recognised(walk.texts[path], path)
    for line in walk.texts[path].splitlines():
        found = _LINE.fullmatch(line)
        if found is None:
            continue  # blank, a comment, or a keyword without value
        keyword = found["keyword"].lower()
        keyword = _ALIASES.get(keyword, keyword)
        words = _words(found["value"], path)
        if keyword == "match":
            match = " ".join(words)
            match = "" if match.lower() == "all" else match  # Match all: for everybody again
        elif keyword == "include":
            for included in _included(walk, words, path):
                yield from _file(walk, included, match, depth + 1)
        elif keyword in _LISTS or (keyword, match) not in walk.set:
            value = " ".join(words)
            walk.set[keyword, match] = value
            yield SshdOption(keyword, value, match, path)


def _recognised(text: str, path: str) -> None:
    """Unread where lines say something and none of them says it to sshd."""
    lines = [line for line in text.splitlines() if line.strip() and line.strip()[0] != "#"]
    words = (found["keyword"].lower() for line in lines if (found := _LINE.fullmatch(line)))
    if "\0" in text or (lines and not any(word in KEYWORDS for word in words)):
        raise Unread(f"`{path}` is no configuration of sshd: {text.strip()[:60]!r}")


def _included(walk: _Walk, patterns: list[str], path: str) -> Iterator[str]:
    known = sorted({*walk.texts, *walk.lost})
    for pattern in patterns:
        whole = pattern if pattern.startswith("/") else f"/etc/ssh/{pattern}"
        yield from (p for p in known if fnmatch.fnmatchcase(p, whole) and p != path)
        folder = whole.rpartition("/")[0]
        if folder in walk.lost:  # the collector says so when it may not look inside
            raise Unread(f"`{folder}`: {walk.lost[folder]}; what it holds could come first")
        # Crypto policies of Red Hat hold no option that we judge by its absence.
        read = folder in READ or folder == "/etc/crypto-policies/back-ends" or whole in known
        if not read:
            raise Unread(f"`{path}` includes {whole}, which is not among the files read")


def _words(value: str, path: str) -> list[str]:
    try:
        return shlex.split(value, comments=True, posix=True)
    except ValueError as error:
        raise Unread(f"`{path}`: {error}: {value[:60]!r}") from error
