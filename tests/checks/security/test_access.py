"""Accounts, sudo and sshd."""

import pytest

from assay.checks.security.account_passwords import account_passwords
from assay.checks.security.accounts_agree import accounts_agree
from assay.checks.security.docker_group import engine_groups
from assay.checks.security.identity_directory import identity_directory
from assay.checks.security.sshd_lax_options import sshd_options
from assay.checks.security.sshd_passwords import sshd_passwords
from assay.checks.security.sshd_root_login import sshd_root_login
from assay.checks.security.sshd_weak_crypto import sshd_algorithms
from assay.checks.security.sudo_everyone import sudo_everyone
from assay.checks.security.uid_zero import uid_zero
from assay.model.fact import Fleet, Group
from assay.model.facts.access import LocalGroup, NameService, SshdOption, SudoRule, UserAccount
from assay.model.facts.software import Software
from assay.model.outcome import Outcome, Severity

FAIL, PASS, UNKNOWN = Outcome.FAIL, Outcome.PASS, Outcome.UNKNOWN


def account(name, uid=1000, gid=1000, password="shadowed", login=True):
    return UserAccount(name, uid, gid, "/bin/sh", login, password)


def option(keyword, value, match=""):
    return SshdOption(keyword, value, match, "/etc/ssh/sshd_config")


def outcomes(verdicts):
    return [v.outcome for v in verdicts]


def test_a_list_without_root_is_unknown():
    assert outcomes(uid_zero([account("alice")])) == [UNKNOWN]
    assert outcomes(uid_zero([account("root", 0), account("toor", 0)])) == [FAIL]


def test_an_unlisted_password_state_is_unknown():
    assert outcomes(account_passwords([account("a", password="odd")])) == [UNKNOWN]
    found = list(account_passwords([account("a", password="empty", login=False)]))
    assert (found[0].outcome, found[0].severity) == (FAIL, Severity.MEDIUM)


def test_a_primary_group_counts_as_membership():
    groups = [LocalGroup("docker", 998, ()), LocalGroup("sudo", 27, ("bob",))]
    people = [account("alice", gid=998), account("bob", gid=998)]
    found = list(engine_groups(groups, people))
    assert outcomes(found) == [FAIL]
    assert "alice" in found[0].because
    assert "bob" not in found[0].because


def test_sudo_for_a_named_group_is_no_fault():
    rules = [SudoRule("%ops", False, True, "/etc/sudoers")]
    assert outcomes(sudo_everyone(rules)) == [PASS]
    assert outcomes(sudo_everyone([SudoRule("ALL", True, True, "f")])) == [PASS]  # targetpw
    assert outcomes(sudo_everyone([SudoRule("%users", False, True, "f")])) == [FAIL]
    assert outcomes(sudo_everyone([])) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([option("permitrootlogin", "yes")], FAIL),  # passwords are on by default
        ([option("permitrootlogin", "yes"), option("passwordauthentication", "no")], PASS),
        ([option("permitrootlogin", "yes"), option("passwordauthentication", "no"),
          option("usepam", "yes")], FAIL),  # keyboard-interactive is on by default
        ([option("permitrootlogin", "Without-Password")], PASS),
        ([option("permitrootlogin", "maybe")], UNKNOWN),
        ([option("x11forwarding", "yes")], PASS),  # the default is prohibit-password
    ],
)  # fmt: skip
def test_root_by_password(options, expected):
    assert outcomes(sshd_root_login(options)) == [expected]


def test_a_match_block_is_judged_with_what_it_inherits():
    options = [
        option("passwordauthentication", "no"),
        option("permitrootlogin", "yes"),
        option("passwordauthentication", "yes", "Address 10.0.0.0/8"),
    ]
    found = list(sshd_root_login(options))
    assert outcomes(found) == [PASS, FAIL]
    assert found[1].subject == "sshd, Match Address 10.0.0.0/8"
    assert found[1].severity is Severity.MEDIUM


def test_passwords_by_default():
    assert outcomes(sshd_passwords([option("usepam", "yes")])) == [FAIL]
    assert outcomes(sshd_passwords([])) == []


def test_lax_options_one_by_one():
    found = list(sshd_options([option("strictmodes", "no"), option("gatewayports", "yes")]))
    assert [v.severity for v in found] == [Severity.MEDIUM, Severity.LOW]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("-3des-cbc", PASS), ("+3des-cbc", FAIL), ("aes256-ctr,aes128-cbc", PASS),
     ("aes256-ctr, Arcfour256", FAIL), ("^hmac-md5-etm@openssh.com", FAIL)],
)  # fmt: skip
def test_a_minus_takes_algorithms_away(value, expected):
    keyword = "macs" if "hmac" in value else "ciphers"
    assert outcomes(sshd_algorithms([option(keyword, value)])) == [expected]


def test_user_ids_over_the_fleet():
    same = (account("alice", 2000), account("daemon", 1))
    other = (account("alice", 2001), account("daemon", 2))
    fleet = Fleet([Group(("a", "b"), same), Group(("c",), other)])
    found = list(accounts_agree(fleet))
    assert [(v.outcome, v.nodes) for v in found] == [(FAIL, ("c",))]
    assert list(accounts_agree(Fleet([Group(("a",), same)]))) == []


def test_a_directory_is_asked_of_slurm_nodes_only():
    local = [NameService("passwd", ("files", "systemd"))]
    assert outcomes(identity_directory(local, [Software("slurm", "24.05.1", "binary")])) == [FAIL]
    assert outcomes(identity_directory(local, [])) == []
