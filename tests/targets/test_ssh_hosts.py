"""Hosts as people write them: one by one, in files, in Ansible inventories."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reports.nodeset import expand
from assay.targets.hosts import Host, host, hosts, hosts_file
from assay.targets.inventory import inventory


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu-001", Host("gpu-001", "gpu-001")),
        ("root@gpu-001", Host("gpu-001", "gpu-001", "root")),
        ("gpu-001.example.com:2222", Host("gpu-001.example.com", "gpu-001.example.com", "", 2222)),
        ("a.b+c@10.0.0.1:22", Host("10.0.0.1", "10.0.0.1", "a.b+c", 22)),
        ("2001:db8::1", Host("2001:db8::1", "2001:db8::1")),
        ("[2001:db8::1]", Host("2001:db8::1", "2001:db8::1")),
        ("root@[fe80::1%eth0]:2200", Host("fe80::1%eth0", "fe80::1%eth0", "root", 2200)),
        ("ssh://root@gpu-001:22/", Host("gpu-001", "gpu-001", "root", 22)),
        ("user@corp@gpu-001", Host("gpu-001", "gpu-001", "user@corp")),
        ("  gpu_001 ", Host("gpu_001", "gpu_001")),
    ],
)
def test_one_host(text, expected):
    assert host(text) == expected
    assert host(expected.destination) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "@host", "-oProxyCommand=id", "root@-v", "-l@host", "a b", "a;b", "a$(id)", "`id`@h",
        "host:", "host:0", "host:65536", "host:22:33", "[::1", "::1]", "[gpu-001", "a/b", "h\n",
        "$(id)@h", "host'", "[2001:db8::1]x", "[::1]:99999", "fe80::1%$(id)", "x" * 300, "h@",
    ],
)  # fmt: skip
def test_what_is_no_host_is_refused(text):
    if text == "h\n":  # only space around it
        assert host(text).address == "h"
        return
    with pytest.raises(ValueError, match=r"."):
        host(text)


@given(st.text())
def test_no_text_becomes_an_option_or_a_shells_word(text):
    try:
        found = host(text)
    except ValueError:
        return
    for word in (found.address, found.user):
        assert not word.startswith("-")
        assert not set(word) & set(" \t\n;&|<>()$`\"'*?!#")


def test_each_once_and_told_apart_where_names_are_equal():
    found = hosts(["a", "b", "a", "root@b", "b:22"])
    assert [one.name for one in found] == ["a", "b", "root@b", "b:22"]
    assert [one.address for one in found] == ["a", "b", "b", "b"]


def test_a_hosts_file():
    text = """\ufeff# the rack
gpu-001
root@gpu-002:2222   # odd one

[2001:db8::7]:22
10.0.0.9 gpu-009 gpu-009.example.com
gpu-010 slots=8
gpu-[011-012]
gpu-001
"""
    found = hosts_file(text, expand)
    assert [one.name for one in found] == [
        "gpu-001", "gpu-002", "2001:db8::7", "gpu-009", "gpu-010", "gpu-011", "gpu-012",
    ]  # fmt: skip
    assert found[3] == Host("gpu-009", "10.0.0.9")
    assert found[2].port == 22


@pytest.mark.parametrize("text", ["good\nbad;name\n", "good\ngpu-[2-1]\n", "good\n-o\n"])
def test_a_hosts_file_names_the_line_that_is_wrong(text):
    with pytest.raises(ValueError, match="line 2: "):
        hosts_file(text, expand)


INI = """
# who we are
login ansible_connection=local
bastion.example.com:2222

[gpu]
gpu-[001:003] ansible_user=ops   ; a range
gpu-010 ansible_host=10.0.0.10 ansible_port=2210
gpu-[a:b].rack

[storage]
nfs-1 ansible_ssh_common_args="-o ProxyJump=bastion"

[all:vars]
ansible_user = everyone
ansible_ssh_private_key_file='/keys/all'

[gpu:vars]
ansible_port=22

[cluster:children]
gpu
storage

[cluster:vars]
ansible_user=cluster
ansible_port=2022
"""


def test_an_inventory():
    found = inventory(INI)
    by = {one.name: one for one in found.hosts}
    assert list(by) == [
        "bastion.example.com", "gpu-001", "gpu-002", "gpu-003", "gpu-010", "gpu-a.rack",
        "gpu-b.rack", "nfs-1",
    ]  # fmt: skip
    assert by["bastion.example.com"] == Host(
        "bastion.example.com", "bastion.example.com", "everyone", 2222, "/keys/all"
    )
    assert by["gpu-001"] == Host("gpu-001", "gpu-001", "ops", 22, "/keys/all")
    assert by["gpu-010"] == Host("gpu-010", "10.0.0.10", "cluster", 2210, "/keys/all")
    assert by["nfs-1"].port == 2022
    assert len(found.ignored) == 2
    assert found.ignored[0].startswith("login: not reached by ssh (ansible_connection=local)")
    assert found.ignored[1].startswith("nfs-1: ansible_ssh_common_args is not heeded")


def test_a_group_of_it():
    assert [h.name for h in inventory(INI, "storage").hosts] == ["nfs-1"]
    assert len(inventory(INI, "cluster").hosts) == 7
    assert [h.name for h in inventory(INI, "gpu-002").hosts] == ["gpu-002"]
    with pytest.raises(ValueError, match=r"no group or host 'gpus'.*cluster, gpu, storage"):
        inventory(INI, "gpus")


def test_schedulers_ranges_in_an_inventory():
    assert len(inventory("[gpu]\ngpu-[01-16]\n", expand=expand).hosts) == 16


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[a:children]\nb\n[b:children]\na\n[a]\nx\n", "holds itself"),
        ("x ansible_port=http\n", "'http' is no port"),
        ("x ansible_host={{ ip }}\n", "template"),
        ("x ansible_host='{{ip}}'\n", "template"),
        ("[g]\nx[3:1]\n", r"line 2: .* no range"),
        ("[g]\nx[1:c]\n", r"line 2: .* no range"),
        ("x 'unclosed\n", "line 1: "),
        ("[g:vars]\nnothing\n", "line 2: no ="),
        ("x ansible_host=-oProxyCommand=id\n", "no host name"),
        ("all:\n  hosts:\n    a:\n", "YAML.*ansible-inventory -i FILE --list"),
        ("---\nall:\n  hosts:\n", "YAML"),
        ('{"all": 3', "no inventory in JSON"),
        ('{"all": 3}', "no inventory in JSON"),
    ],
)
def test_what_is_wrong_with_an_inventory(text, why):
    with pytest.raises(ValueError, match=why):
        inventory(text, "a" if "children" in text else "all")


def test_what_ansible_inventory_prints():
    text = json.dumps(
        {
            "_meta": {"hostvars": {"g1": {"ansible_host": "10.0.0.1", "ansible_port": 2201},
                                   "g2": {"rack": {"row": 3}}}},
            "all": {"children": ["ungrouped", "gpu"]},
            "gpu": {"hosts": ["g1", "g2"]},
        }
    )  # fmt: skip
    found = inventory(text, "gpu")
    assert found.hosts == (Host("g1", "10.0.0.1", "", 2201), Host("g2", "g2"))
    assert inventory(text).hosts == found.hosts


@given(st.text(alphabet="[]:=#;'\"\n ab1-{}@,\\", max_size=60))
def test_junk_is_hosts_or_a_reason(text):
    for read in (inventory, hosts_file, lambda t: hosts_file(t, expand)):
        try:
            read(text)
        except ValueError as error:
            assert str(error)  # noqa: PT017 - either way is right
