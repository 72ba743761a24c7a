"""What ssh says and what we say to it: the command line, and the reasons."""

import shlex
import subprocess
from pathlib import Path

import pytest

from assay.targets.hosts import Host, host
from assay.targets.ssh import Ssh
from assay.targets.ssh_command import Client, Known, known, remote, sweep
from assay.targets.ssh_reason import dropped, refused, words

NODE = host("ops@gpu-001:2222")


def options(argv):
    return dict(argv[at + 1].split("=", 1) for at, word in enumerate(argv) if word == "-o")


def test_the_command():
    argv = Client().argv(NODE, "CMD", 7, "/private/1", Known())
    assert argv[0] == "ssh"
    assert "-F" not in argv
    assert argv[-8:] == ["ControlPersist=no", "-p", "2222", "-l", "ops", "--", "gpu-001", "CMD"]
    given = options(argv)
    assert given["BatchMode"] == given["StrictHostKeyChecking"] == "yes"
    assert given["ConnectTimeout"] == "7"
    assert given["ControlPath"] == "/private/1"
    assert given["ControlMaster"] == "auto"
    assert {"-T", "-x", "-a", "-k"} < set(argv)
    assert not any(value.startswith("StrictHostKeyChecking=no") for value in argv)


def test_a_user_who_shares_connections_keeps_them():
    argv = Client().argv(NODE, "CMD", 7, "/private/1", known("controlpath /home/u/.ssh/m-%C\n"))
    given = options(argv)
    assert given["ControlMaster"] == "no"
    assert "ControlPath" not in given
    assert "ControlPersist" not in given


def test_a_configuration_that_could_not_be_asked_is_left_alone():
    assert not any(o.startswith("Control") for o in options(Client().argv(NODE, "C", 7, "x", None)))


def test_what_the_configuration_says():
    said = (
        "user ops\nhostname 10.0.0.1\ncontrolpath none\nproxyjump bastion\nstdinnull no\n"
        "remotecommand tmux attach\nforkafterauthentication yes\nsessiontype default\n"
        "userknownhostsfile /home/u/.ssh/known_hosts /home/u/.ssh/known_hosts2\n"
    )
    assert known(said) == Known(
        "10.0.0.1", "", "bastion", "/home/u/.ssh/known_hosts",
        ("RemoteCommand=none", "ForkAfterAuthentication=no"),
    )  # fmt: skip
    assert known("") == Known()


def test_this_machines_ssh_takes_it(tmp_path):
    """Every option is one that ssh knows: with -G it reads them and connects to nothing."""
    config = tmp_path / "config"
    config.write_text("Host *\n  RemoteCommand tmux\n  User nobody\n")
    client = Client(config=config)
    asked = subprocess.run(client.asks(NODE), capture_output=True, text=True, check=True)
    own = known(asked.stdout)
    assert own.undo == ("RemoteCommand=none",)
    argv = client.argv(NODE, "CMD", 7, f"{tmp_path}/1", own)
    done = subprocess.run([argv[0], "-G", *argv[1:]], capture_output=True, text=True, check=True)
    assert "stricthostkeychecking true" in done.stdout
    assert "forwardagent no" in done.stdout
    assert "user ops" in done.stdout
    assert f"controlpath {tmp_path}/1" in done.stdout
    again = client.again(NODE, "CMD", f"{tmp_path}/1")
    subprocess.run([again[0], "-G", *again[1:]], capture_output=True, check=True)


@pytest.mark.parametrize("script", [remote("ab12"), sweep("ab12")])
def test_any_shell_takes_the_script(script):
    inner = script.removeprefix("/bin/sh -c '").removesuffix("'")
    assert shlex.split(script) == ["/bin/sh", "-c", inner]
    assert not set(inner) & set("'\\!\n")
    subprocess.run(["sh", "-n", "-c", inner], check=True)


def test_the_script_finds_a_python_and_gives_it_stdin():
    done = subprocess.run(
        ["sh", "-c", remote("ab12")], input=b"import os\nprint('READ', os.environ['ASSAY'])\n",
        capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout == b"\nREAD assay-ab12\n"
    assert done.stderr == b"assay ab12 here\n"


def test_the_script_says_what_is_missing(tmp_path):
    script = remote("ab12").replace("/usr/", f"{tmp_path}/")
    script = script.replace("/bin/sh", "/bin/sh", 1)
    done = subprocess.run(
        ["/bin/sh", "-c", script], env={"PATH": str(tmp_path)}, capture_output=True, check=False
    )
    assert done.stderr.decode().splitlines() == ["assay ab12 here", "assay ab12 none"]
    assert done.returncode == 97
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\ncase "$*" in *version_info*) exit 1;; esac\necho 3.5.2\n')
    old.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", "-c", script], env={"PATH": str(tmp_path)}, capture_output=True, check=False
    )
    assert done.stderr.decode().splitlines() == ["assay ab12 here", "assay ab12 old 3.5.2"]


def test_our_words_and_others():
    told = words("Banner\r\nassay ab12 here\nassay ab12 old 3.5.2\nassay ffff none\nend", "ab12")
    assert (told.here, told.old, told.none) == (True, "3.5.2", False)
    assert told.rest == "Banner\nassay ffff none\nend"


HAND = "ssh gpu-001"
CHANGED = """\
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
The fingerprint for the ED25519 key sent by the remote host is
SHA256:Pv6ZX6oHnfuJUxjdM+xZu0npDOXVuKpBigyUc3y/fYa.
Please contact your system administrator.
Add correct host key in /home/u/.ssh/known_hosts to get rid of this message.
Offending ED25519 key in /home/u/.ssh/known_hosts:11
Host key for [gpu-001]:2222 has changed and you have requested strict checking.
Host key verification failed.
"""


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("ssh: connect to host gpu-001 port 22: Connection refused", "port 22 is closed"),
        ("ssh: connect to host gpu-001 port 22: Connection timed out", "nothing answers at port"),
        ("ssh: connect to host gpu-001 port 22: Operation timed out", "nothing answers at port"),
        ("ssh: connect to host x port 22: No route to host", "cannot be reached: No route to"),
        ("ssh: Could not resolve hostname gpu-001: Name or service not known", "no address: Name"),
        ("Connection timed out during banner exchange", "sshd does not answer"),
        ("Connection to 10.0.0.1 port 22 timed out", "sshd does not answer"),
        ("ops@gpu-001: Permission denied (publickey,password).", "it takes publickey,password"),
        ("Load key \"/k\": bad permissions\nPermission denied (publickey).", "could not be used"),
        ("Permissions 0644 for '/k' are too open.\nPermission denied (publickey).", "0644 for"),
        ("sign_and_send_pubkey: signing failed for RSA \"k\" from agent: agent refused operation\n"
         "ops@x: Permission denied (publickey).", "agent refused operation"),
        ("Received disconnect from x port 22:2: Too many authentication failures", "Too many auth"),
        ("Access denied by pam_slurm_adopt: you have no active jobs on this node\n"
         "Connection closed by 10.0.0.1 port 22", "only users with a job on it"),
        ("Access denied: user ops (uid=1000) has no active jobs on this node.\n"
         "Connection closed by 10.0.0.1 port 22", "only users with a job on it"),
        ("\"System is booting up. Unprivileged users are not permitted to log in yet.\"",
         "System is booting"),
        ("Unable to negotiate with x port 22: no matching host key type found. Their offer: x",
         "no matching host key type found"),
        ("/home/u/.ssh/config: line 3: Bad configuration option: nonsense", "option: nonsense"),
        ("Bad owner or permissions on /home/u/.ssh/config", "refuses its own configuration"),
        ("Timeout, server gpu-001 not responding.", "stopped answering"),
        ("kex_exchange_identification: read: Connection reset by peer", "hangs up before"),
        ("Connection closed by 10.0.0.1 port 22", "hangs up before the login"),
        ("something new\n", "ssh failed: something new; try `ssh gpu-001`"),
        ("", "ssh failed: without a word"),
        ("Host key verification failed.", "its host key is not known.*answer yes"),
        ("No ED25519 host key is known for [x]:22 and you have requested strict checking.\n"
         "Host key verification failed.", "its host key is not known"),
        (CHANGED, r"host key of \[gpu-001\]:2222 has changed: it sends SHA256:\S+a, and"
         r" /home/u/.ssh/known_hosts:11 has another.*man in the middle.*"
         r"ssh-keygen -f /home/u/.ssh/known_hosts -R '\[gpu-001\]:2222', then `ssh gpu-001`"),
    ],
)  # fmt: skip
def test_reasons(said, why):
    import re

    reason = refused(said, Known(), HAND, "gpu-001")
    assert re.search(why, reason), reason
    assert "\n" not in reason


def test_an_unknown_key_on_the_way_is_not_the_nodes():
    said = "Host key verification failed.\nConnection closed by UNKNOWN port 65535\n"
    reason = refused(said, Known(proxy="bastion"), HAND, "gpu-001")
    assert "on the way to it (bastion)" in reason


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("kex_exchange_identification: Connection closed by remote host", True),
        ("Connection reset by 10.0.0.1 port 22", True),
        ("Access denied: no active jobs\nConnection closed by 10.0.0.1 port 22", False),
        ("Host key verification failed.\nConnection closed by UNKNOWN port 65535", False),
        ("ssh: connect to host x port 22: Connection refused", False),
    ],
)
def test_what_is_worth_a_second_try(said, again):
    assert dropped(said) is again


def test_the_plan_says_hosts_and_the_exact_command():
    lines = Ssh([f"gpu-{n:03}" for n in range(1, 33)], config=Path("/c")).describe()
    assert lines[0].startswith("32 nodes over ssh, 16 logins at a time: gpu-001, gpu-002")
    assert "and 24 more" in lines[0]
    command = lines[2].strip()
    assert command.startswith("ssh -F /c -T -x -a -k -o BatchMode=yes -o StrictHostKeyChecking=yes")
    assert " -- gpu-001 " in command
    assert "python3" in command
    assert Ssh([Host("a", "a")]).describe()[0].startswith("1 node over ssh")
