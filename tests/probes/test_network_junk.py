"""Whatever the bytes, the parsers of networks give facts or say why not."""

import random
import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.demo.hosts import hosts
from assay.engine.understand import understand
from assay.kit.probe import registry
from assay.kit.reading import Via
from assay.model.evidence import Capture, Evidence

MINE = [
    probe
    for probe in registry.values()
    if probe.id.startswith(("fabric.", "network.")) and "kubernetes" not in probe.id
]
# Words of every source, so that edits reach deep into the parsers.
SEEDS = {
    "ibstat": "CA 'mlx5_0'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: Active\n\t\tRate: 400\n",
    "ibstatus": "Infiniband device 'a' port 1 status:\n\tdefault gid: fe80::1\n\trate: 1 (4X)\n",
    "ibv_devinfo": "hca_id:\ta\n\ttransport:\tIB\n\tvendor_id: 0x02c9\n\tport:\t1\n\tstate: x\n",
    "rdma-link": '[{"ifname":"a","port":1,"state":"ACTIVE","physical_state":"LINK_UP"}]',
    "rdma-statistic": "link a/1 rx 1\n  tx 2\n",
    "show_gids": "DEV PORT INDEX GID\na\t1\t3\tfe80:0::1\t10.0.0.1\tv2\teth0\n",
    "sysfs-infiniband-flat": "/sys/class/infiniband/a/ports/1/pkeys/0=0x8001\n",
    "ibnetdiscover": 'Switch 2 "S-01"  # "leaf" lid 4\n[1] "H-02"[1](2) # "h" lid 9 4xNDR\n',
    "ibnodes": 'Ca : 0x01 ports 1 "a"\n',
    "iblinkinfo": 'CA: h:\n 0x01 1 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 4 1[  ] "l" ( )\n',
    "perfquery": "# Port counters: Lid 4 port 5\nSymbolErrorCounter:....17\n",
    "ibqueryerrors": 'Errors for 0x1 "a"\n GUID 0x1 port 5: [LinkDownedCounter == 3]\n',
    "smpquery-portinfo": "# Port info: Lid 3 port 1\nMkey:....0x1\nLinkState:...Active\n",
    "smpquery-pkeys": "   0: 0x7fff 0x8001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000\n",
    "saquery-pktr": "PKeyTableRecord dump:\nLID....2\n0xffff 0x0000\n",
    "saquery-g": "MCMemberRecord group dump:\nMGID....ff12::1\npkey....0x8002\n",
    "saquery-nodes": "NodeRecord dump:\nlid....2\nnode_guid....0x1\nNodeDescription....x\n",
    "sminfo": "sminfo: sm lid 1 sm guid 0x1, activity count 2 priority 3 state 3 SMINFO_MASTER\n",
    "ibswinfo": "===\nx\n===\npart number | a\nPSU0 status | OK\nfan#1 (rpm) | 5\n",
    "mlxlink": "Operational Info\n---\nState : Active\nWidth : 4x\nSymbol Errors : 5\n",
    "perftest": "Send BW Test\n #bytes #iterations BW average[Gb/sec]\n 8 5 2.0\n",
    "iperf3": '{"start":{"version":"iperf 3"},"end":{"sum_received":{"bits_per_second":5}}}',
    "ip-link": "2: e: <UP,LOWER_UP> mtu 1500 state UP\n  link/ether x\n RX: bytes packets\n 1 2\n",
    "ethtool": "Settings for e:\n\tSpeed: 1000Mb/s\n\tLink detected: yes\n",
    "ethtool-i": "driver: x\nversion: 1\nfirmware-version: 2\nbus-info: 0000:01:00.0\n",
    "ethtool-S": "NIC statistics:\n     a: 1\n",
    "syslog-links": "Aug 17 06:18:01 n kernel: mlx5_core 0000:18:00.0 e: Link down\n",
    "mlnx_qos": "DCBX mode: x\nPriority trust state: dscp\nPFC configuration:\n"
    " priority 0 1\n enabled 0 1\n",
}


def check(probe, reading, data):
    result = understand(
        probe, Evidence("n", {reading.source: Capture(reading.source, data, exit_code=0)})
    )
    assert result.error is None, result.error.traceback
    for fact in result.facts:
        hash(fact)


PAIRS = [(p, r) for p in MINE for r in p.reads]


def test_every_saved_source_has_a_seed():
    assert {r.name for _, r in PAIRS if r.via is Via.SAVED} == set(SEEDS)


@pytest.mark.parametrize(
    ("probe", "reading"), PAIRS, ids=lambda v: getattr(v, "name", v.id if hasattr(v, "id") else "")
)
def test_cut_anywhere_or_binary(probe, reading):
    captures = [h.captures.get(reading.source) for h in hosts().values()]
    seeds = [SEEDS[reading.name].encode()] if reading.name in SEEDS else []
    seeds += [c.data[:3000] for c in captures if c is not None]
    for seed in seeds or [b"x"]:
        for at in range(0, len(seed), 1 if len(seed) < 500 else 97):
            check(probe, reading, seed[:at])
    for junk in (b"", b"\x00\xff\xfe" * 40, b"[" * 3000, b'{"a":' * 2000, "9" * 5000, "١٢٣ ²³ x:²"):
        check(probe, reading, junk if isinstance(junk, bytes) else junk.encode())


LONG = ["\n" * 65536, " " * 65536, "A: " * 20000, "a" * 65536, "-" * 65536, "0x" * 30000]


@pytest.mark.parametrize(("probe", "reading"), [(p, r) for p, r in PAIRS if r.looks_like])
def test_long_junk_costs_no_time(probe, reading):
    start = time.process_time()
    for text in LONG:
        re.search(reading.looks_like, text, re.MULTILINE)
        check(probe, reading, text.encode())
    # a pattern that backtracks over blank lines takes five seconds and more for one of them
    assert time.process_time() - start < 4


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_random_edits(number):
    chance = random.Random(number)
    for probe, reading in PAIRS:
        if reading.name not in SEEDS:
            continue
        text = list(SEEDS[reading.name])
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 3)] = chance.choice(
                ["", "9" * 40, "-", "²", "é", "\n", "\t", "0x", '"', "1e999", ":", "٣", "\x00", "]"]
            )
            if not text:
                text = ["x"]
        check(probe, reading, "".join(text).encode())
