"""Slurm sends jobs by GRES: a node that has fewer GPUs than its GRES says fails them."""

import re
from collections import defaultdict
from collections.abc import Iterator

from assay.checks.slurm.settings import GRES
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.hostname import Hostname
from assay.model.facts.slurm import SlurmNode
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML
from assay.probes.slurm_nodes import NODES

SLICE = re.compile(r"\d+g\.\d+gb", re.IGNORECASE)  # a MIG profile as the type of a GRES


@check(
    "slurm.gres-matches",
    asks="Does each node have as many accelerators as Slurm's GRES says?",
    severity=Severity.CRITICAL,
    why="Slurm starts jobs for eight GPUs on a node that has seven or no driver: they all fail.",
    fix="Drain the node and repair it; where GRES is wrong, correct slurm.conf and gres.conf.",
    see=[GRES, "https://slurm.schedmd.com/gres.conf.html"],
    reproduce="scontrol show node $(hostname -s) | grep Gres; nvidia-smi -L | wc -l",
    plants=[
        plant(Edit(XML.source, old='<gpu id="00000000:1B:00.0">', new='<gone id="x">'),
              Edit(XML.source, old="</gpu>", new="</gone>"),
              Edit(XML.source, old="<attached_gpus>8<", new="<attached_gpus>7<"),
              name="the node has seven of eight"),
        plant(Edit(NODES.source, old="Gres=gpu:h100:8(S:0-1)", new="Gres=gpu:h100:16(S:0-1)"),
              name="GRES says sixteen"),
    ],
)  # fmt: skip
def gres_matches(
    scheduled: Fleet[SlurmNode], names: Fleet[Hostname], devices: Fleet[Accelerator]
) -> Iterator[Verdict]:
    """Compare what Slurm hands out of a node with what the node's own tools list."""
    configured = defaultdict[str, set[tuple[int, str]]](set)
    for told in scheduled:
        for node in told.facts:
            for name in {node.name, node.hostname.partition(".")[0], node.hostname} - {""}:
                if node.gpus is not None:
                    configured[name].add((node.gpus, node.gres))
    listed = {
        node: sum(1 for device in group.facts if not device.fault)
        for group in devices
        for node in group.nodes
    }
    alike = defaultdict[tuple[int, str, int], list[str]](list)
    for named in names:
        called = {name for fact in named.facts for name in (fact.name, fact.short)}
        wanted = {said for name in called for said in configured.get(name, ())}
        for machine in named.nodes:
            for gpus, gres in wanted if machine in listed else ():
                alike[gpus, gres, listed[machine]].append(machine)
    for (gpus, gres, here), nodes in sorted(alike.items()):
        yield from _verdict(gpus, gres, here, tuple(nodes))


def _verdict(gpus: int, gres: str, here: int, nodes: tuple[str, ...]) -> Iterator[Verdict]:
    says = f"GRES is {gres or 'empty'}"
    if gpus == here:
        if gpus:
            yield _on(nodes, passed("gres", f"{says}, {here} accelerators are listed"))
    elif SLICE.search(gres):
        yield _on(nodes, unknown("gres", f"{says}: it counts slices, {here} devices are listed"))
    elif here < gpus:
        because = f"{says}, {here or 'no'} accelerators are listed"
        yield _on(nodes, failed("gres", because))
    else:
        because = f"{says}, {here} accelerators are listed: jobs cannot have the rest"
        yield _on(nodes, failed("gres", because, severity=Severity.MEDIUM))


def _on(nodes: tuple[str, ...], verdict: Verdict) -> Verdict:
    return Verdict(verdict.outcome, verdict.subject, verdict.because, verdict.severity, nodes)
