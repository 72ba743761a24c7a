"""The lines of NCCL's log that name a path, as a table: the first rule that matches counts."""

import re
from dataclasses import dataclass

CHANNEL, CHOSEN, ABLE, NOT, PROGRESS = (
    "channel", "selection", "capability", "negative", "progress",
)  # fmt: skip
INTRA, INTER, DOMAIN = "intra", "inter-node", "intra-or-domain"


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern of what follows "NCCL INFO" and what it says.

    ``fabric`` lines name the link layer of the adapters, ``provider`` lines that of libfabric.
    """

    pattern: re.Pattern[str]
    named: str
    role: str
    scope: str = ""
    proves: bool = False
    fabric: bool = False
    provider: bool = False


def _path(pattern: str, named: str, scope: str) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), named, CHANNEL, scope, proves=True)


def _said(pattern: str, named: str, role: str) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), named, role)


# The plug-ins' own names; "/GDRDMA" says that the adapter reads the accelerator's memory itself.
_GDR = r"(?=[^\n]*/GDRDMA)"
_NETS = (
    (r"IB(?:ext\w*)?", "ib"),
    (r"AWS Libfabric(?=[^\n]* comm 0x\w+ nRanks)", "ofi"),  # only RCCL ends a line like this
    (r"(?:AWS Libfabric|Libfabric|OFI)", "efa"),
    (r"(?:gIB|Google[ _]gIB)", "gib"),
    (r"(?:FasTrak|GPUDirectTCPX\w*|TCPX\w*)", "tcpx"),
    (r"(?:Slingshot|CXI)", "ofi"),
    (r"(?:UCX|ANP|AINIC|BNXT)\w*", "ib"),
)
RULES = (
    _path(r"\bvia P2P/MNNVL", "mnnvl", DOMAIN),
    _path(r"\bvia P2P/CUMEM", "p2p_cumem", INTRA),
    _path(r"\bvia P2P/IPC", "p2p_ipc", INTRA),
    _path(r"\bvia P2P/direct pointer/read", "p2p_direct_read", INTRA),
    _path(r"\bvia P2P/direct", "p2p_direct", INTRA),
    _path(r"\bvia P2P/indirect", "p2p_indirect", INTRA),
    _path(r"\bvia P2P\b", "p2p", INTRA),
    _path(r"\bvia SHM\b", "shm", INTRA),
    _path(r"\bvia direct shared memory", "shm", INTRA),
    _path(r"\bvia COLLNET/", "collnet_sharp", INTER),
    _path(r"\bvia NET/Socket", "socket", INTER),
    *(_path(rf"\bvia NET/{net}{_GDR}/", f"{name}_gdr", INTER) for net, name in _NETS),
    *(_path(rf"\bvia NET/{net}(?:/|\s|$)", f"{name}_nogdr", INTER) for net, name in _NETS),
    _path(rf"\bvia NET/{_GDR}", "net_gdr", INTER),
    _path(r"\bvia NET/", "net_nogdr", INTER),
    _said(r"^MNNVL busId \w+ fabric UUID 0\.0\b", "none", ABLE),
    _said(r"^MNNVL busId ", "mnnvl", ABLE),
    _said(r"^MNNVL 0\b|\bMNNVL 0\s*$", "none", CHOSEN),
    _said(r"^MNNVL 1\b|\bMNNVL 1\s*$", "mnnvl", CHOSEN),
    _said(r"MNNVL .*(?:not (?:supported|enabled|available)|disabled|failed)", "mnnvl", NOT),
    Rule(re.compile(r"^NVLS comm 0x"), "nvls", CHOSEN, proves=True),
    _said(r"NVLS multicast support is not available", "nvls", NOT),
    _said(r"NVLS multicast support is available", "nvls", ABLE),
    _said(r"^NVLS (?:Head|Trees?|tuning)", "nvls", CHOSEN),
    _said(r"\b0 nvls channels", "nvls", NOT),
    _said(r"\b\d+ nvls channels", "nvls", CHOSEN),
    _said(r"ignoring NCCL_ALGO=\S*NVLS|NVLS .*(?:not supported|failed|disabled)", "nvls", NOT),
    _said(r"(?:SHARP|CollNet|Coll?Net).*(?:fail|not supported|not enabled|error|ignoring)",
          "collnet_sharp", NOT),
    _said(r"ignoring NCCL_ALGO", "none", NOT),
    _said(r"SHARP rank \d+/\d+ initialized", "collnet_sharp", CHOSEN),
    _said(r"(?:Loaded collnet plugin|SHARP plugin|Using CollNet)", "collnet_sharp", ABLE),
    _said(r"Using network (?:AWS )?Libfabric|Using network OFI", "efa", CHOSEN),
    _said(r"Using network Socket", "socket", CHOSEN),
    _said(r"Using network IB", "ib", CHOSEN),
    _said(r"Using network (?:FasTrak|GPUDirectTCPX|TCPX)", "tcpx", CHOSEN),
    _said(r"Using network gIB", "gib", CHOSEN),
    _said(r"Failed to open lib(?:ibverbs|mlx5)\.so", "socket", NOT),
    _said(r"NET/IB ?: No device found", "socket", NOT),
    Rule(re.compile(r"NET/IB ?: Using .*"), "ib", CHOSEN, fabric=True),
    _said(r"NET/Socket ?: Using", "socket", CHOSEN),
    _said(r"GPU ?Direct RDMA Disabled|GDRDMA (?:is )?disabled", "ib", NOT),
    _said(r"GPU ?Direct RDMA Enabled", "ib", ABLE),
    Rule(re.compile(r"NET/OFI Selected provider is ([\w;-]+)", re.I), "efa", CHOSEN, provider=True),
    _said(r"NET/OFI (?:Initializing|Using) aws-ofi-nccl", "efa", ABLE),
    _said(r"NET/OFI .*(?:fail|No eligible|error|Unable)", "efa", NOT),
    _said(r"(?:NET|NET/Plugin).*Loaded net plugin (?:AWS )?Libfabric", "efa", ABLE),
    _said(r"NET/Plugin ?: ?(?:No plugin found|Could not find)", "none", ABLE),
    _said(r"P2P is disabled between|Could not enable P2P|P2P Disabled|NCCL_P2P_DISABLE set",
          "shm", NOT),
    _said(r"DMA-BUF is available", "none", ABLE),
    _said(r"Connected all (?:rings|trees)|Connected (?:NVLS|CollNet)|Init (?:START|COMPLETE)",
          "none", PROGRESS),
)  # fmt: skip
