"""RDMA ports as the collector brings them: what is missing is never taken for fine."""

from dataclasses import replace

import pytest

from assay.demo.hosts import host
from assay.engine.understand import understand
from assay.kit.pack import Entry, dump, load
from assay.kit.probe import registry
from assay.model.evidence import Capture, Evidence, Status
from assay.probes import rdma, rdma_sysfs

SOUND = host("hgx-h100")


def seen(probe="fabric.rdma-ports", **changes):
    captures = dict(SOUND.captures) | {c.source: c for c in changes.values()}
    return understand(registry[probe], Evidence("n", captures))


def edited(reading, change):
    entries = [change(entry) for entry in load(SOUND.captures[reading.source].data)]
    return Capture(reading.source, dump(e for e in entries if e is not None))


def test_the_reference_host():
    ports = seen().facts
    assert len(ports) == 10
    rail = ports[0]
    assert (rail.subject, rail.rate, rail.width, rail.speed) == ("mlx5_0/1", 400.0, 4, "NDR")
    assert (rail.hca_type, rail.firmware, rail.lid, rail.sm_lid) == ("MT4129", "28.43.8002", 705, 1)
    assert rail.pkeys == ("0x8012", "0x7fff")
    assert (rail.bdf, rail.netdev, rail.virtual) == ("0000:18:00.0", "ibp24s0", False)
    assert dict(rail.counters)["link_downed"] == 0
    assert (ports[8].link_layer, ports[8].netdev) == ("Ethernet", "eno1np0")


def test_a_node_without_rdma_has_no_port_and_nothing_unread():
    absent = {r.name: Capture(r.source, status=Status.ABSENT) for r in rdma_sysfs.COLLECTED}
    result = seen(**absent)
    assert (result.facts, result.unread) == ((), "")


@pytest.mark.parametrize("reading", [rdma_sysfs.PKEYS, rdma_sysfs.GIDS, rdma_sysfs.PORT_COUNTERS])
def test_a_table_that_timed_out_is_unread_and_the_ports_still_count(reading):
    result = seen(late=Capture(reading.source, status=Status.TIMEOUT))
    assert len(result.facts) == 10
    assert "timeout" in result.unread
    if reading is rdma_sysfs.PKEYS:
        assert all(port.pkeys is None for port in result.facts)


def test_one_denied_pkey_spoils_the_table_of_its_port_only():
    path = "/sys/class/infiniband/mlx5_2/ports/1/pkeys/40"

    def deny(entry):
        return Entry(path, b"", "denied") if entry.path == path else entry

    ports = seen(pkeys=edited(rdma_sysfs.PKEYS, deny)).facts
    assert [port.device for port in ports if port.pkeys is None] == ["mlx5_2"]


def test_an_error_word_for_a_state_is_no_state():
    def break_state(entry):
        return (
            replace(entry, data=b"<unknown>\n") if entry.path.endswith("5/ports/1/state") else entry
        )

    ports = seen(ports=edited(rdma_sysfs.PORTS, break_state)).facts
    assert [port.device for port in ports if not port.state] == ["mlx5_5"]


def test_device_nodes():
    nodes = seen("fabric.rdma-device-nodes").facts
    modes = {node.path: node.mode for node in nodes}
    assert modes["/dev/infiniband/uverbs0"] == 0o666
    assert modes["/dev/infiniband/umad7"] == 0o600
    junk = Capture(rdma.NODES.source, dump([Entry("/dev/infiniband/uverbs0", b"c 9999 0")]))
    assert "no listing entry" in seen("fabric.rdma-device-nodes", junk=junk).unread
