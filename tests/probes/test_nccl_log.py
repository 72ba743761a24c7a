"""Which path a line of NCCL's log names, and whether it proves anything."""

import json

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.model.facts.benchmark import NcclTransport
from assay.probes.nccl_log import Log

AT = "gpu-001:4242:4243 [0] NCCL INFO "


@pytest.mark.parametrize(
    ("line", "transport", "role", "proves"),
    [
        ("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM", "p2p_cumem", "channel", True),
        ("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read", "p2p_cumem", "channel", True),
        ("Channel 00/0 : 0[0] -> 1[1] via P2P/IPC", "p2p_ipc", "channel", True),
        ("Channel 03 : 0[1a000] -> 1[1b000] via P2P/direct pointer", "p2p_direct", "channel", True),
        ("Channel 00/1 : 0[0] -> 1[1] via P2P/MNNVL", "mnnvl", "channel", True),
        ("Channel 00 : 0[0] -> 1[1] via SHM/direct", "shm", "channel", True),
        ("Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/3", "ib_nogdr", "channel", True),
        ("Channel 00/0 : 8[0] -> 0[0] [send] via NET/IBext_v8/3/GDRDMA", "ib_gdr", "channel", True),
        ("Channel 00/0 : 8[0] -> 0[0] [send] via NET/IB/0(1)/GDRDMA", "ib_gdr", "channel", True),
        ("Channel 00/0 : 8[0] -> 0[0] [send] via NET/Socket/0", "socket", "channel", True),
        ("Channel 00/0 : 8[0] -> 0[0] [send] via NET/AWS Libfabric/1/GDRDMA", "efa_gdr", "channel",
         True),
        ("Channel 00/0 : 8[0] -> 0[0] [send] via NET/FasTrak/1", "tcpx_nogdr", "channel", True),
        ("Channel 00/0 : 8[0] -> 0[0] [send] via NET/Unheard/1", "net_nogdr", "channel", True),
        ("CollNet 00/0 : 0 [send] via COLLNET/SHARP/0/GDRDMA", "collnet_sharp", "channel", True),
        ("NVLS comm 0x55 headRank 0 nHeads 8 buffSize 1048576", "nvls", "selection", True),
        ("NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 16)", "nvls", "capability",
         False),
        ("NVLS multicast support is not available on dev 0", "nvls", "negative", False),
        ("16 coll channels, 16 nvls channels, 16 p2p channels", "nvls", "selection", False),
        ("16 coll channels, 0 nvls channels, 16 p2p channels", "nvls", "negative", False),
        ("MNNVL 1 cliqueId 1 cliqueSize 72 cliqueRank 0", "mnnvl", "selection", False),
        ("MNNVL busId 0x901000 fabric UUID 0.0 cliqueId 0x0 state 3 healthMask 0x0", "none",
         "capability", False),
        ("Using network IBext_v8", "ib", "selection", False),
        ("NET/Socket : Using [0]eth0:10.0.0.1<0>", "socket", "selection", False),
        ("NET/Plugin: Loaded collnet plugin SHARP (v9)", "collnet_sharp", "capability", False),
        ("Connected all rings, use ring PXN 0 GDR 1", "none", "progress", False),
        ("NCCL_ALGO set by environment to NVLS", None, None, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("prefix", ["", "0: ", "[1,0]<stdout>:", "[2026-03-04 10:00:00] "])
def test_lines(prefix, line, transport, role, proves):
    found = Log().classify(prefix + AT + line)
    if transport is None:
        assert found is None
        return
    assert (found.transport, found.role, found.proves_data_path) == (transport, role, proves)


def test_warnings_about_an_algorithm_that_was_asked_for():
    line = "n:1:2 [0] NCCL WARN CollNet is not supported, ignoring NCCL_ALGO=COLLNET"
    found = Log().classify(line)
    assert (found.transport, found.role) == ("collnet_sharp", "negative")


def test_ib_is_roce_where_the_adapters_are():
    log = Log()
    chosen = log.classify(
        AT + "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:1<0>"
    )
    assert chosen.transport == "roce"
    assert (
        log.classify(AT + "Channel 00/0 : 8[0] -> 0[0] via NET/IB/0/GDRDMA").transport == "roce_gdr"
    )
    other = AT.replace("gpu-001", "gpu-002")
    assert log.classify(other + "Channel 00/0 : 8[0] -> 0[0] via NET/IB/0").transport == "ib_nogdr"
    mixed = log.classify(other + "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE")
    assert mixed.transport == "mixed_ib_roce"


def test_libfabric_is_efa_only_where_its_provider_says_so():
    log = Log()
    assert log.classify(AT + "NET/OFI Selected Provider is cxi (found 4 nics)").transport == "ofi"
    line = AT + "Channel 00/0 : 8[0] -> 0[0] [send] via NET/AWS Libfabric/1/GDRDMA"
    assert log.classify(line).transport == "ofi_gdr"
    assert Log().classify(line + " comm 0x9b nRanks 16").transport == "ofi_gdr"


def test_a_log_is_counted():
    text = "NCCL version 2.27.7+cuda12.9\n" + "\n".join(
        f"{AT}Channel {n:02}/0 : 0[0] -> 1[1] via P2P/CUMEM" for n in range(16)
    )
    found = parse(text.encode(), catalogue().probes)
    (fact,) = found.results[0].facts
    assert fact == NcclTransport("p2p_cumem", "channel", "intra", True, "2.27.7", 16, fact.line)
    assert fact.line.endswith("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM")


@pytest.mark.corpus
def test_every_labelled_line(samples):
    log = Log()
    wrong = []
    for row in (samples.parent / "nccl-lines.jsonl").read_text().splitlines():
        label = json.loads(row)
        found = log.classify(label["line"])
        wanted = (label["transport"], label["role"], label["scope"] or "",
                  label["proves_data_path"])  # fmt: skip
        got = found and (found.transport, found.role, found.scope, found.proves_data_path)
        if got != wanted:
            wrong.append((label["line"], got, wanted))
    assert not wrong
