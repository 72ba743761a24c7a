"""The ssh command of a node, and what it runs there. No I/O: text in, text out."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.collector.stream import ARGV
from assay.targets.hosts import Host

ALIVE = 5  # seconds between questions to a silent node; three unanswered ones are its end

# Host keys are checked whatever the user's configuration says, and nothing is forwarded, asked
# for, written down or left in the background.
FIXED = (
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "UpdateHostKeys=no",
    "AddKeysToAgent=no",
    "ConnectionAttempts=1",
    f"ServerAliveInterval={ALIVE}",
    "ServerAliveCountMax=3",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "Tunnel=no",
    "LogLevel=INFO",  # its reasons are ours, so a quiet configuration must not hide them
)

# Settings of a user that would keep our command from running, and what undoes each; ssh is told
# only where `ssh -G` shows one, for not every version knows them.
_UNDONE = {
    "remotecommand": ("none", "RemoteCommand=none"),
    "stdinnull": ("no", "StdinNull=no"),
    "forkafterauthentication": ("no", "ForkAfterAuthentication=no"),
    "sessiontype": ("default", "SessionType=default"),
}

# The python3 of a login's PATH first; RHEL 8 and its kin have one for the system's own use.
PYTHONS = (
    "python3 /usr/bin/python3 /usr/local/bin/python3 /usr/libexec/platform-python"
    " python3.14 python3.13 python3.12 python3.11 python3.10 python3.9 python3.8 python3.7"
    " python3.6"
)
HERE, OLD, NONE = "here", "old", "none"  # the words of the remote command on stderr
NO_PYTHON = 97  # its exit code when it found no Python that can carry out the list


@dataclass(frozen=True, slots=True)
class Known:
    """What the user's own configuration says about a host, as ``ssh -G`` tells it."""

    hostname: str = ""
    control_path: str = ""
    proxy: str = ""
    known_hosts: str = ""
    undo: tuple[str, ...] = ()


def known(said: str) -> Known:
    """Understand the output of ``ssh -G``."""
    given: dict[str, str] = {}
    for line in said.splitlines():
        key, _, value = line.partition(" ")
        given.setdefault(key.lower(), value.strip())
    path = given.get("controlpath", "")
    proxy = given.get("proxyjump") or given.get("proxycommand") or ""
    return Known(
        given.get("hostname", ""),
        "" if path == "none" else path,
        "" if proxy == "none" else proxy,
        given.get("userknownhostsfile", "").split(" ")[0],
        _undo(given),
    )


def _undo(given: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        option
        for key, (harmless, option) in _UNDONE.items()
        if given.get(key, harmless) not in (harmless, "false")
    )


def remote(mark: str) -> str:
    """What the login shell of a node is given: find a Python and let it read its stdin.

    It has no line break, no single quote inside, no backslash and no exclamation mark, so that
    sh, bash, zsh, csh and fish take it alike. Its words on stderr, each with *mark*, tell that
    it runs at all and what it found. An empty line on stdout ends whatever a shell's start-up
    files printed. When the agent was killed, what it had started is ended.
    """
    script = (
        f"m={mark}; echo assay $m {HERE} >&2; echo; "
        f"for p in {PYTHONS}; do "
        '$p -I -S -c "import sys; sys.exit(sys.version_info < (3, 6))"'
        " </dev/null >/dev/null 2>&1 || continue; "
        f"ASSAY=assay-$m $p {' '.join(ARGV)}; c=$?; "
        f"if [ $c -gt 128 ]; then {_SWEEP}; fi; exit $c; done; "
        "for p in python3 python python2; do "
        'v=$($p -E -S -c "import sys; print(sys.version.split()[0])" </dev/null 2>/dev/null)'
        f" && echo assay $m {OLD} $v >&2 && exit {NO_PYTHON}; done; "
        f"echo assay $m {NONE} >&2; exit {NO_PYTHON}"
    )
    return f"/bin/sh -c '{script}'"


_SWEEP = (
    "for e in $(grep -ls assay-$m /proc/[0-9]*/environ); do"
    " e=${e#/proc/}; kill -9 ${e%/environ}; done"
)


def sweep(mark: str) -> str:
    """The command that ends the processes of a run that do not end by themselves."""
    return f"/bin/sh -c 'm={mark}; {_SWEEP}'"


@dataclass(frozen=True, slots=True)
class Client:
    """The ssh of this machine, and how it is called."""

    program: str = "ssh"
    config: Path | None = None  # instead of the user's own configuration

    def asks(self, host: Host) -> list[str]:
        """What tells the user's settings for *host*; no connection is made."""
        return [self.program, *self._config(), "-T", "-G", *_who(host), "--", host.address]

    def argv(
        self, host: Host, command: str, connect: int, socket: str, own: Known | None
    ) -> list[str]:
        """Run *command* on *host*. Where the user shares connections, theirs is used if it is
        open, and none is left behind; elsewhere *socket* is ours.
        """
        options = [*FIXED, f"ConnectTimeout={connect}", *(own.undo if own else ())]
        if own and own.control_path:
            options.append("ControlMaster=no")
        elif own:
            options += ["ControlMaster=auto", f"ControlPath={socket}", "ControlPersist=no"]
        flags = [word for option in options for word in ("-o", option)]
        # -T no terminal, -x no X11, -a no agent, -k no Kerberos ticket
        return [
            *(self.program, *self._config(), "-T", "-x", "-a", "-k", *flags),
            *(*_who(host), "--", host.address, command),
        ]

    def again(self, host: Host, command: str, socket: str) -> list[str]:
        """Run *command* through the connection at *socket*, or not at all."""
        return [
            *(self.program, "-F", "/dev/null", "-T", "-x", "-a", "-k"),
            *("-o", "BatchMode=yes", "-o", "ControlMaster=no", "-o", f"ControlPath={socket}"),
            *("-o", "ProxyCommand=false", "--", host.address, command),
        ]

    def by_hand(self, host: Host) -> str:
        """What a user types to see for themselves."""
        return shlex.join([self.program, *self._config(), *_who(host), host.address])

    def _config(self) -> Sequence[str]:
        return ("-F", str(self.config)) if self.config else ()


def _who(host: Host) -> list[str]:
    return [
        *(("-p", str(host.port)) if host.port else ()),
        *(("-l", host.user) if host.user else ()),
        *(("-i", host.key) if host.key else ()),
    ]
