"""Who may enter a node, and how: accounts, groups, sudo, sshd, directories, listeners."""

from dataclasses import dataclass
from typing import ClassVar

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class UserAccount(Fact):
    """One line of /etc/passwd; accounts of a directory service are not in it.

    ``password`` is what the password field holds: ``shadowed``, ``locked``, ``empty`` or
    ``hash``, never its text. ``login`` is false when the shell refuses logins.
    """

    name: str
    uid: int
    gid: int
    shell: str
    login: bool
    password: str


@dataclass(frozen=True, slots=True)
class LocalGroup(Fact):
    """One line of /etc/group; whoever has it as primary group is in UserAccount.gid."""

    name: str
    gid: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SudoRule(Fact):
    """One user specification of sudoers. ``who`` is as written: a user, %group, ALL or an alias.

    ``everything`` is true when it allows every command as root.
    """

    who: str
    password: bool
    everything: bool
    path: str


@dataclass(frozen=True, slots=True)
class SshdOption(Fact):
    """One option that is in force, in the order of the configuration: the first one wins.

    ``keyword`` is lower case with today's name, ``match`` the criteria of its Match block, empty
    for everybody. An option that no file names has no fact: OpenSSH's own default holds.
    """

    keyword: str
    value: str
    match: str
    path: str


@dataclass(frozen=True, slots=True)
class NameService(Fact):
    """Where one database (``passwd``, ``group``, ``sudoers``) is looked up, by nsswitch.conf."""

    database: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listener(Fact):
    """A TCP port that something listens on. ``address`` is ``*`` for every address.

    The number says nothing about who listens.
    """

    address: str
    port: int

    @property
    def everywhere(self) -> bool:
        """True when it listens on every address of the node."""
        return self.address == "*"

    @property
    def local(self) -> bool:
        """True when only this node can reach it."""
        return self.address.startswith("127.") or self.address in ("::1", "::ffff:127.0.0.1")


@dataclass(frozen=True, slots=True)
class RunningProgram(Fact):
    """A program that runs as a system user. The kernel cuts names at 15 characters.

    Programs of people are left out: they differ on every node and are nobody's business.
    """

    whole: ClassVar[bool] = False

    name: str
    uid: int
