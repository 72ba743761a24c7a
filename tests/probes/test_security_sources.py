"""Accounts, sudo, sshd, listeners, engines: exact values and the ways to get them wrong."""

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.understand import understand
from assay.kit.pack import Entry, dump
from assay.kit.probe import registry
from assay.model.evidence import Capture, Evidence
from assay.model.facts.access import (
    Listener,
    LocalGroup,
    NameService,
    RunningProgram,
    SshdOption,
    SudoRule,
)
from assay.model.facts.containers import DockerSetting, ToolkitSetting
from assay.model.facts.exposure import KernelLock, PathMode
from assay.probes import containers, device_exposure, identity, processes, sshd, users, users_sudo
from assay.probes import device_exposure_locks as locks

MAIN = "/etc/ssh/sshd_config"
DROP_IN = "/etc/ssh/sshd_config.d/"


def run(id, *captures):
    catalogue()
    found = understand(registry[id], Evidence("n", {c.source: c for c in captures}))
    assert found.error is None
    return found


def said(reading, text, **more):
    return Capture(reading.source, text.encode(), **({"exit_code": 0} | more))


def packed(reading, files, **statuses):
    entries = [Entry(p, t if isinstance(t, bytes) else t.encode()) for p, t in files.items()]
    entries += [Entry(path, b"", status) for path, status in statuses.get("lost", {}).items()]
    return Capture(reading.source, dump(entries))


def options(files, lost=None):
    return run("security.sshd", packed(sshd.CONFIG, files, lost=lost or {}))


def test_accounts_tell_the_state_of_a_password_and_never_the_password():
    text = (
        "root:x:0:0:root:/root:/bin/bash\n+nis::::::\n\nopen::1001:1001::/home/o:\n"
        "old:$6$salt$abcdefghijk:1002:1002::/home/c:/bin/zsh\nlp:*:7:7::/x:/usr/sbin/nologin\n"
    )
    found = run("security.accounts", packed(users.PASSWD, {"/etc/passwd": text})).facts
    assert [(a.name, a.uid, a.login, a.password) for a in found] == [
        ("root", 0, True, "shadowed"), ("open", 1001, True, "empty"), ("old", 1002, True, "hash"),
        ("lp", 7, False, "locked"),
    ]  # fmt: skip
    assert "abcdefghijk" not in repr(found)


@pytest.mark.parametrize("line", ["root:x:0:0:root:/root\n", "root:x:zero:0:r:/root:/bin/sh\n"])
def test_a_broken_account_line_is_unread(line):
    found = run("security.accounts", packed(users.PASSWD, {"/etc/passwd": line}))
    assert not found.facts
    assert found.unread


def test_groups_list_their_members():
    found = run("security.groups", packed(users.GROUP, {"x": "docker:x:998:alice,bob\nkvm:x:1:\n"}))
    assert found.facts == (LocalGroup("docker", 998, ("alice", "bob")), LocalGroup("kvm", 1, ()))


def test_sudo_rules_tags_and_files_that_sudo_skips():
    files = {
        "/etc/sudoers": "Defaults env_reset\nUser_Alias OPS = a, b\nroot ALL=(ALL:ALL) ALL\n"
        "%wheel\tALL=(ALL)\tNOPASSWD: ALL\nOPS ALL = NOPASSWD: /usr/bin/systemctl, \\\n"
        "  PASSWD: ALL\n#includedir /etc/sudoers.d\n",
        "/etc/sudoers.d/90-x": "ALL ALL=(ALL) NOPASSWD:ALL\n",
        "/etc/sudoers.d/x.bak": "ALL ALL=(ALL) NOPASSWD:ALL\n",
    }
    found = run("security.sudo", packed(users_sudo.SUDOERS, files))
    assert found.facts == (
        SudoRule("root", True, True, "/etc/sudoers"),
        SudoRule("%wheel", False, True, "/etc/sudoers"),
        SudoRule("OPS", True, True, "/etc/sudoers"),
        SudoRule("ALL", False, True, "/etc/sudoers.d/90-x"),
    )


def test_sudo_without_authentication_needs_no_tag():
    files = {"/etc/sudoers": "Defaults !authenticate\n%users ALL=(ALL) ALL\n"}
    found = run("security.sudo", packed(users_sudo.SUDOERS, files))
    assert found.facts == (SudoRule("%users", False, True, "/etc/sudoers"),)


def test_closed_sudoers_are_unread():
    found = run("security.sudo", packed(users_sudo.SUDOERS, {}, lost={"/etc/sudoers": "denied"}))
    assert "/etc/sudoers" in found.unread


def test_sshd_takes_the_first_value_and_includes_in_place():
    found = options(
        {
            MAIN: f"Include {DROP_IN}*.conf\nPermitRootLogin no\nPort 22\nport=2222\n",
            DROP_IN + "10-a.conf": "permitrootlogin yes # planted\n",
            DROP_IN + "20-b.conf": "PermitRootLogin without-password\n",
        }
    )
    assert found.facts == (
        SshdOption("permitrootlogin", "yes", "", DROP_IN + "10-a.conf"),
        SshdOption("port", "22", "", MAIN),
        SshdOption("port", "2222", "", MAIN),
    )


def test_sshd_keeps_match_blocks_apart_and_ends_them_with_their_file():
    found = options(
        {
            MAIN: f"Include {DROP_IN}*.conf\nPasswordAuthentication no\n"
            "Match Address 10.0.0.0/8\n  PermitRootLogin yes\nMatch all\nX11Forwarding no\n",
            DROP_IN + "a.conf": 'Match Group "lab staff"\nChallengeResponseAuthentication yes\n',
        }
    )
    assert [(f.keyword, f.value, f.match) for f in found.facts] == [
        ("kbdinteractiveauthentication", "yes", "Group lab staff"),
        ("passwordauthentication", "no", ""),
        ("permitrootlogin", "yes", "Address 10.0.0.0/8"),
        ("x11forwarding", "no", ""),
    ]


@pytest.mark.parametrize(
    ("files", "lost"),
    [
        ({MAIN: f"Include {DROP_IN}*.conf\nPermitRootLogin no\n"}, {DROP_IN[:-1]: "denied"}),
        ({MAIN: f"Include {DROP_IN}*.conf\nPermitRootLogin no\n"}, {DROP_IN + "a.conf": "denied"}),
        ({DROP_IN + "a.conf": "PermitRootLogin no\n"}, {MAIN: "denied"}),
        ({MAIN: "Include /opt/site/sshd.conf\nPermitRootLogin no\n"}, {}),
        ({MAIN: 'Banner "unfinished\nPermitRootLogin no\n'}, {}),
        ({MAIN: f"Include {DROP_IN}a.conf\n", DROP_IN + "a.conf": f"Include {MAIN}\n"}, {}),
    ],
)
def test_what_could_outrank_the_rest_makes_all_of_sshd_unread(files, lost):
    found = options(files, lost)
    assert not found.facts
    assert found.unread


def test_a_node_without_sshd_has_no_options():
    assert options({}).facts == ()


def test_programs_are_those_of_root_and_system_users():
    text = "    0 systemd\n    0 nv-hostengine\n 1000 python3\n65534 dcgm-exporter\n    0 ps\n"
    found = run("security.processes", said(processes.PROCESSES, text))
    assert found.facts == (
        RunningProgram("dcgm-exporter", 65534),
        RunningProgram("nv-hostengine", 0),
        RunningProgram("systemd", 0),
    )


def test_hidden_processes_prove_no_absence():
    found = run("security.processes", said(processes.PROCESSES, " 1000 bash\n 1000 ps\n"))
    assert not found.facts
    assert "hides" in found.unread


def test_listeners_by_address():
    text = (
        "State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n"
        "LISTEN 0      4096   127.0.0.53%lo:53   0.0.0.0:*\n"
        "LISTEN 0      128          0.0.0.0:22   0.0.0.0:*\n"
        "LISTEN 0      128             [::]:22      [::]:*\n"
        "LISTEN 0      128                *:9400       *:*\n"
        "LISTEN 0      511   [::ffff:10.0.0.7]:6379   *:*\n"
    )
    found = run("security.listeners", said(processes.LISTENERS, text))
    assert found.facts == (
        Listener("*", 22),
        Listener("*", 9400),
        Listener("127.0.0.53", 53),
        Listener("::ffff:10.0.0.7", 6379),
    )
    assert [listener.local for listener in found.facts] == [False, False, True, False]


def test_name_services_without_their_actions():
    text = "# x\npasswd: files [NOTFOUND=return] sss  # why\nhosts: files dns\n"
    found = run("security.name-services", packed(identity.NSSWITCH, {"x": text}))
    assert found.facts == (NameService("passwd", ("files", "sss")),)


def test_docker_settings_from_file_and_unit():
    unit = "ExecStart=/usr/bin/dockerd \\\n  -H fd:// -H=tcp://0.0.0.0:2375 --tlsverify\n"
    found = run(
        "containers.docker-daemon",
        packed(containers.DOCKER_UNITS, {"/u/docker.service": unit}),
        packed(containers.DOCKER, {"/d.json": '{"features":{"cdi":true},"dns":["a","b"]}'}),
    )
    assert found.facts == (
        DockerSetting("hosts", "fd://", "/u/docker.service"),
        DockerSetting("hosts", "tcp://0.0.0.0:2375", "/u/docker.service"),
        DockerSetting("tlsverify", "true", "/u/docker.service"),
        DockerSetting("features.cdi", "true", "/d.json"),
        DockerSetting("dns", "a", "/d.json"),
        DockerSetting("dns", "b", "/d.json"),
    )


def test_a_closed_daemon_file_leaves_nothing_of_the_unit_standing():
    found = run(
        "containers.docker-daemon",
        packed(containers.DOCKER_UNITS, {"/u/docker.service": "ExecStart=dockerd -H fd://\n"}),
        packed(containers.DOCKER, {}, lost={"/etc/docker/daemon.json": "denied"}),
    )
    assert not found.facts
    assert "daemon.json" in found.unread


def test_a_file_at_its_defaults_is_not_an_absent_one():
    found = run("containers.toolkit", packed(containers.TOOLKIT, {"/c.toml": "# nothing\n"}))
    assert found.facts == (ToolkitSetting("", "", "/c.toml"),)
    assert run("containers.toolkit", packed(containers.TOOLKIT, {})).facts == ()


def test_half_a_listing_is_unread_but_a_closed_folder_is_closed():
    lost = {"/dev/mst": "denied"}
    listed = {"/dev/null": "c 0666 0 0 1:3 0"}
    found = run("security.devices", packed(device_exposure.DEVICES, listed, lost=lost))
    assert found.facts == (PathMode("/dev/null", "c", 0o666, 0, 0, "1:3"),)
    found = run("security.devices", packed(device_exposure.DEVICES, listed | {"/dev/ipmi0": "c ?"}))
    assert not found.facts
    assert "/dev/ipmi0" in found.unread


def test_locks_in_the_kernels_words():
    files = {
        "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c":
            b"\x16\x00\x00\x00\x00",
        "/sys/kernel/security/lockdown": "none [integrity] confidentiality\n",
        "/sys/module/apparmor/parameters/enabled": "maybe\n",
        "/sys/fs/selinux/enforce": "0",
    }  # fmt: skip
    assert run("security.kernel-locks", packed(locks.LOCKS, files)).facts == (
        KernelLock("secure-boot", "off"),
        KernelLock("lockdown", "integrity"),
        KernelLock("selinux", "permissive"),
    )


@pytest.mark.parametrize(
    "text", ["Permission denied\n", "<script>\n", "{}", "Erreur : introuvable\n", "a\0b", "99999"]
)
def test_what_says_nothing_to_sshd_is_no_configuration(text):
    assert "is no configuration of sshd" in options({MAIN: text}).unread
    drop_in = options({MAIN: f"Include {DROP_IN}*.conf\nUsePAM no\n", DROP_IN + "a.conf": text})
    assert not drop_in.facts
    assert "a.conf" in drop_in.unread


def test_a_configuration_that_sets_nothing_is_there_with_its_defaults():
    (only,) = options({MAIN: "# PermitRootLogin no\n\n"}).facts
    assert (only.keyword, only.value, only.match) == ("", "", "")


def test_tables_without_their_heading_or_rows_are_unread():
    assert "no table" in run("security.listeners", said(processes.LISTENERS, "")).unread
    empty = packed(users.PASSWD, {"/etc/passwd": "\n"})
    assert "is empty" in run("security.accounts", empty).unread
    nothing = packed(users_sudo.SUDOERS, {"/etc/sudoers": "# all removed\n"})
    assert "no rule" in run("security.sudo", nothing).unread
