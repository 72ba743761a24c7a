"""The ssh target on real machines with sshd: what it reads, and that it leaves nothing."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.target import Captured, Options
from assay.kit.pack import load
from assay.kit.reading import Service, command, files
from assay.model.report import NodeRow, NodeState
from assay.targets.hosts import Host
from assay.targets.ssh import Ssh

pytestmark = pytest.mark.real

HOSTNAME = command("hostname")
ENVIRON = files("/proc/self/environ")


def read(target, *readings, deadline=20.0):
    """The rows by node, and the captures by node and source."""
    rows, captures = {}, {}
    for event in target.collect(readings or [HOSTNAME], Options(deadline=deadline)):
        if isinstance(event, Captured):
            captures[event.node, event.capture.source] = event.capture
        else:
            assert event.name not in rows
            rows[event.name] = event
    return rows, captures


def ours(word):
    """Processes of this machine with *word* in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in words and int(path.name) != os.getpid():
            found.append(words)
    return found


def test_every_node_answers_for_itself(ssh):
    rows, captures = read(ssh(1, 2, 3, 4), HOSTNAME, command("id", "-u"))
    assert rows == {name: NodeRow(name, NodeState.READ) for name in rows}
    assert set(rows) == {"node1", "node2", "node3", "node4"}
    for name in rows:
        assert captures[name, "hostname"].data == name.encode() + b"\n"
        assert captures[name, "id -u"].data == b"0\n"


def test_the_whole_catalogue_leaves_nothing_on_a_node_and_nothing_here(lab, ssh, here):
    nodes = lab.nodes[:4]
    before = [node.written() for node in nodes]
    assert len(before[0]) > 10  # the lab's own files: the layer is really looked at
    readings = [r for r in catalogue().readings() if not r.per_cluster]
    rows, captures = read(ssh(1, 2, 3, 4), *readings, deadline=60)
    assert {row.state for row in rows.values()} == {NodeState.READ}
    assert len(captures) == 4 * len(readings)
    assert all(node.idle() for node in nodes)
    assert [node.written() for node in nodes] == before
    assert list(here.iterdir()) == []
    assert ours("ControlPath=" + str(here)) == []


def test_a_write_on_a_node_would_be_seen(lab):
    """The positive control of the test above."""
    node = lab.nodes[0]
    before = node.written()
    mark = node.outside / "root/var/tmp/mark"
    mark.write_text("x")
    try:
        assert set(node.written()) - set(before) >= {"up/var/tmp/mark"}
    finally:
        mark.unlink()


def test_what_asks_the_cluster_is_not_asked_on_every_node(ssh):
    _, captures = read(ssh(1), HOSTNAME, command("id", service=Service.SLURM))
    assert [source for _, source in captures] == ["hostname"]


def test_no_agent_and_no_display_go_along_even_if_the_user_forwards_them(lab, ssh, monkeypatch):
    started = subprocess.run(["ssh-agent", "-s"], capture_output=True, text=True, check=True)
    words = dict(p.split("=", 1) for p in started.stdout.replace("\n", ";").split(";") if "=" in p)
    monkeypatch.setenv("SSH_AUTH_SOCK", words["SSH_AUTH_SOCK"])
    monkeypatch.setenv("SSH_AGENT_PID", words["SSH_AGENT_PID"])
    subprocess.run(["ssh-add", "-q", lab.folder / "key"], check=True)
    forwards = lab.write_config(
        "forwards",
        "IdentityAgent SSH_AUTH_SOCK\nForwardAgent yes\nForwardX11 yes\nForwardX11Trusted yes\n"
        "AddKeysToAgent yes\n"
        "RemoteForward 9999 localhost:22\nPermitLocalCommand yes\n"
        f"LocalCommand touch {lab.folder}/local-command\n",
    )
    try:
        ssh_env = ["ssh", "-F", forwards, "-n", "node1", "env; cat /proc/net/tcp"]
        plain = subprocess.run(ssh_env, capture_output=True, text=True, check=True).stdout
        assert "SSH_AUTH_SOCK" in plain  # the positive control: it would be forwarded
        assert ":270F " in plain  # port 9999
        assert (lab.folder / "local-command").exists()
        (lab.folder / "local-command").unlink()
        target = ssh(1, config=forwards)
        rows, captures = read(target, ENVIRON, files("/proc/net/tcp"))
        assert rows["node1"].state is NodeState.READ
        (environ,) = [entry.data for entry in load(captures["node1", ENVIRON.source].data)]
        assert b"SSH_CONNECTION" in environ
        assert b"SSH_AUTH_SOCK" not in environ
        assert b"DISPLAY" not in environ
        assert b":270F " not in captures["node1", "/proc/net/tcp"].data
        assert not (lab.folder / "local-command").exists()
    finally:
        subprocess.run(["ssh-agent", "-k"], check=True, capture_output=True)


def test_our_own_connections_have_a_private_folder_while_they_last(ssh, here):
    events = ssh(1, 2).collect([HOSTNAME, command("sleep", "1")], Options())
    next(events)
    (folder,) = here.iterdir()
    assert folder.stat().st_mode & 0o7777 == 0o700
    assert any(path.is_socket() for path in folder.iterdir())
    list(events)
    assert list(here.iterdir()) == []


@pytest.fixture
def shared(lab):
    """A user who shares connections: their configuration, and the socket of node1."""
    socket = lab.folder / "mine"
    return lab.write_config(
        "shares", f"ControlMaster auto\nControlPath {socket}-%h\nControlPersist 60\n"
    ), Path(f"{socket}-{lab.nodes[0].address}")


def logins(node):
    return node.log().count("Accepted publickey")


def test_a_connection_that_the_user_has_open_is_used_and_stays(lab, ssh, shared, here):
    config, socket = shared
    subprocess.run(["ssh", "-F", config, "-f", "-N", "node1"], check=True)
    try:
        before = logins(lab.nodes[0])
        rows, _ = read(ssh(1, config=config))
        assert rows["node1"].state is NodeState.READ
        assert logins(lab.nodes[0]) == before
        assert socket.is_socket()
    finally:
        subprocess.run(["ssh", "-F", config, "-O", "exit", "node1"], check=True, stderr=-3)


def test_none_is_left_open_in_the_users_name(lab, ssh, shared):
    config, socket = shared
    rows, _ = read(ssh(1, config=config))
    assert rows["node1"].state is NodeState.READ
    assert not socket.exists()
    assert ours(str(socket)) == []


def test_through_a_bastion(lab, ssh, here):
    config = lab.write_config("jumps", "Host node2 node3\n  ProxyJump node1\n")
    before = logins(lab.nodes[0])
    rows, captures = read(ssh(2, 3, config=config))
    assert {row.state for row in rows.values()} == {NodeState.READ}
    assert captures["node2", "hostname"].data == b"node2\n"
    assert logins(lab.nodes[0]) == before + 2
    assert ours(str(config)) == []


def test_a_bastion_with_an_unknown_key(lab, ssh):
    known = lab.folder / "without-node1"
    known.write_text(lab.host_key(lab.nodes[1]))
    config = lab.write_config("jumps-unknown", "Host node2\n  ProxyJump node1\n", known)
    rows, _ = read(ssh(2, config=config))
    assert rows["node2"].state is NodeState.UNREAD
    assert "host key on the way to it (node1) is not known" in rows["node2"].reason
    assert known.read_text() == lab.host_key(lab.nodes[1])


def test_hosts_as_people_write_them(lab, ssh):
    address = lab.nodes[1].address
    rows, _ = read(ssh("node1", f"root@{address}:22", "node1"))
    assert {name: row.state for name, row in rows.items()} == {
        "node1": NodeState.READ, address: NodeState.READ,
    }  # fmt: skip


def test_user_port_and_key_of_an_inventory(lab, ssh, here):
    bare = lab.folder / "bare"
    bare.write_text(f"Host *\n  UserKnownHostsFile {lab.known_hosts}\n  IdentityAgent none\n")
    node = Host("gpu-1", lab.nodes[0].address, "root", 22, str(lab.folder / "key"))
    rows, captures = read(Ssh([node], config=bare))
    assert rows["gpu-1"].state is NodeState.READ, rows
    assert captures["gpu-1", "hostname"].data == b"node1\n"


@pytest.mark.parametrize("user", ["noisy", "chatty", "banners", "tenant"])
def test_what_shells_print_does_not_matter(ssh, user):
    rows, captures = read(ssh(f"{user}@node5"))
    assert rows["node5"] == NodeRow("node5", NodeState.READ)
    assert captures["node5", "hostname"].data == b"node5\n"


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "tcsh", "fish", "mksh"])
def test_any_login_shell_will_do(ssh, shell):
    if not Path(f"/usr/bin/{shell}").exists():
        pytest.skip(f"{shell} is not installed")
    rows, _ = read(ssh(f"{shell}@node5"))
    assert rows["node5"] == NodeRow("node5", NodeState.READ)


def test_a_machine_that_has_only_its_systems_own_python(ssh):
    rows, captures = read(ssh(8))
    assert rows["node8"] == NodeRow("node8", NodeState.READ)
    assert captures["node8", "hostname"].data == b"node8\n"


def test_a_full_disk_does_not_matter(lab, ssh):
    full = lab.nodes[8].outside / "root"
    with pytest.raises(OSError, match="No space left"):
        (full / "more").write_bytes(b"x" * (1 << 20))
    (full / "more").unlink(missing_ok=True)
    rows, captures = read(ssh(9))
    assert rows["node9"] == NodeRow("node9", NodeState.READ)
    assert captures["node9", "hostname"].data == b"node9\n"


def test_nodes_are_read_side_by_side(ssh):
    began = time.monotonic()
    rows, _ = read(ssh(1, 2, 3, 4, 8, 9), command("sleep", "1.5"))
    assert time.monotonic() - began < 6 * 1.5
    assert {row.state for row in rows.values()} == {NodeState.READ}
    assert len(rows) == 6


def test_one_login_at_a_time_still_reads_side_by_side(ssh):
    """Only the logins are counted: a node that works takes no place."""
    began = time.monotonic()
    rows, _ = read(ssh(1, 2, 3, 4, logins=1), command("sleep", "2"))
    assert time.monotonic() - began < 4 * 2
    assert len(rows) == 4
