"""NCCL's and RCCL's log (NCCL_DEBUG=INFO): which path each line names, and which lines prove it.

A line about a connection proves; a line about what is there or was chosen proves nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.benchmark import NcclTransport
from assay.probes.nccl_lines import RULES, Rule
from assay.probes.pasted import clean

LOG = saved(
    "nccl-log",
    looks_like=r"^[^\n]*\bNCCL (?:INFO|WARN) [^\n]*(?:\n[^\n]*\bNCCL (?:INFO|WARN) [^\n]*){0,6}"
    r"|^(?:MNNVL busId|NET/Plugin: Loaded|NET/IB : |NET/OFI )[^\n]*",
)

_SPEAKER = re.compile(r"([\w.-]+:\d+):\d+ \[\d+\]")
_VERSION = re.compile(r"\b(?:NCCL|RCCL) version:? ?(\d+\.\d+\.\d+)")
_MARKS = ("NCCL INFO ", "NCCL WARN ", "NCCL TRACE ")
_BARE = ("MNNVL", "NET/", "NVLS", "Channel", "CollNet")  # how lines without a prefix begin
LONGEST = 1000  # characters of a line that are looked at; NCCL's own buffer is about as long
KEPT = 300  # characters of a line that a fact quotes


@dataclass
class Log:
    """Reads a log line by line: what a process said of its fabric names its later lines."""

    version: str = ""
    _fabric: dict[str, str] = field(default_factory=dict)
    _provider: dict[str, str] = field(default_factory=dict)

    def classify(self, line: str) -> NcclTransport | None:
        """What *line* says about a path; None when it says nothing."""
        line = line[:LONGEST].strip()
        if version := _VERSION.search(line):
            self.version = version.group(1)
        mark = next((m for m in _MARKS if m in line), "")
        if not mark and not line.startswith(_BARE):
            return None
        before, _, said = line.partition(mark) if mark else ("", "", line)
        speaker = _SPEAKER.search(before)
        process = speaker.group(1) if speaker else ""
        for rule in RULES:
            found = rule.pattern.search(said)
            if found:
                return self._named(rule, found, process, line)
        return None

    def _named(self, rule: Rule, found: re.Match[str], process: str, line: str) -> NcclTransport:
        named = rule.named
        if rule.fabric:
            kinds = set(re.findall(r"/(IB|RoCE)\b", found.group().partition("Using")[2]))
            named = {"IB": "ib", "RoCE": "roce"}["".join(kinds)] if len(kinds) == 1 else (
                "mixed_ib_roce" if kinds else "ib"
            )  # fmt: skip
            self._fabric[process] = named
        elif rule.provider:
            provider = found.group(1).lower()
            named = "efa" if provider.startswith("efa") else "socket" if (
                provider.startswith(("tcp", "sockets"))) else "ofi"  # fmt: skip
            self._provider[process] = named
        elif named.startswith("ib") and self._fabric.get(process, "ib") != "ib":
            # NCCL says "IB" for RoCE too
            named = self._fabric[process] + named.removeprefix("ib")
        elif named.startswith("efa") and self._provider.get(process) == "ofi":
            named = "ofi" + named.removeprefix("efa")
        return NcclTransport(
            named, rule.role, rule.scope, rule.proves, self.version, line=line[:KEPT]
        )


def transports(text: str) -> Iterator[NcclTransport]:
    """The paths that *text* names, each once with the number of its lines."""
    log, kept = Log(), dict[NcclTransport, tuple[int, str]]()
    for line in text.split("\n"):
        fact = log.classify(line)
        if fact is not None:
            key = replace(fact, line="")
            count, first = kept.get(key, (0, fact.line))
            kept[key] = count + 1, first
    for fact, (count, first) in kept.items():
        yield replace(fact, count=count, line=first)


@probe("benchmark.nccl-log", reads=[LOG])
def nccl_log(seen: Seen) -> Iterator[NcclTransport]:
    """Paths that NCCL's log names: connections made, choices, capabilities and refusals."""
    if seen.capture(LOG) is None:
        return
    found = False
    for fact in transports(clean(seen.text(LOG))):
        found = True
        yield fact
    if not found:
        raise Unread("no line of this log names a path")
