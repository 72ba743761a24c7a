"""Accounts and groups of the node itself. /etc/shadow is never read."""

from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.access import LocalGroup, UserAccount

PASSWD = files("/etc/passwd", name="passwd", looks_like=r"^root:[^:\n]*:0:0:[^:\n]*:[^:\n]*:")
GROUP = files("/etc/group", name="group", looks_like=r"^root:[^:\n]*:0:[^:\n]*$")
NO_LOGIN = ("nologin", "false", "sync", "shutdown", "halt", "true", "git-shell")


@probe("security.accounts", reads=[PASSWD])
def accounts(seen: Seen) -> Iterator[UserAccount]:
    """Accounts of /etc/passwd, with the state of their password field."""
    for fields in _rows(seen.file(PASSWD), PASSWD.source, 7):
        name, password, uid, gid, _, _, shell = fields
        login = shell.rpartition("/")[2] not in NO_LOGIN  # an empty shell means /bin/sh
        yield UserAccount(name, uid=_id(uid, name), gid=_id(gid, name), shell=shell, login=login,
                          password=_password(password))  # fmt: skip


@probe("security.groups", reads=[GROUP])
def groups(seen: Seen) -> Iterator[LocalGroup]:
    """Groups of /etc/group and whom they list."""
    for name, _, gid, members in _rows(seen.file(GROUP), GROUP.source, 4):
        yield LocalGroup(name, _id(gid, name), tuple(m for m in members.split(",") if m))


def _rows(text: str | None, source: str, width: int) -> Iterator[list[str]]:
    if text is not None and not text.strip():
        raise Unread(f"`{source}` is empty")
    for line in (text or "").splitlines():
        # A plus or minus pulls in the directory of old (NIS compat); it is no account itself.
        if not line.strip() or line.startswith(("#", "+", "-")):
            continue
        fields = line.strip().split(":")
        if len(fields) != width:
            raise Unread(f"`{source}` has a line with {len(fields)} fields, expected {width}")
        yield fields


def _id(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Unread(f"the id of {name!r} is {text[:20]!r}")
    return int(text)


def _password(field: str) -> str:
    if field == "":
        return "empty"
    if field == "x" or field.startswith("##"):
        return "shadowed"
    return "locked" if field[0] in "*!" else "hash"
