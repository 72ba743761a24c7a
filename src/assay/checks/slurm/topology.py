"""Without a topology Slurm spreads a job over leaf switches that need not be used."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SUBJECT, named, setting
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmNode, SlurmSetting, SlurmSwitch
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG
from assay.probes.slurm_nodes import TOPOLOGY
from assay.probes.slurm_words import version

FLAT = {"", "topology/none", "topology/default", "topology/flat"}
SHAPED = {"topology/tree", "topology/block", "topology/3d_torus", "topology/torus3d",
          "topology/ring"}  # fmt: skip
FEW = 4  # nodes that fit under any leaf switch
# Since this version topology.yaml can set a topology that TopologyPlugin does not show.
YAML = (25, 5)


@check(
    "slurm.topology",
    asks="Does Slurm know the fabric's topology when it places jobs?",
    severity=Severity.MEDIUM,
    why="Jobs that straddle leaf switches or NVLink domains lose bandwidth in every collective.",
    fix="Set TopologyPlugin to topology/tree or topology/block with topology.conf (or use"
    " topology.yaml) and list every node; check with `scontrol show topology`.",
    see=["https://slurm.schedmd.com/topology.html", "https://slurm.schedmd.com/topology.conf.html"],
    reproduce="scontrol show config | grep TopologyPlugin; scontrol show topology",
    plants=[
        plant(Edit(CONFIG.source, old="topology/tree", new="topology/flat"),
              Edit(TOPOLOGY.source, new="No topology information available\n"),
              name="the topology is flat"),
        plant(Edit(TOPOLOGY.source, new="No topology information available\n"),
              name="a plug-in without a topology"),
    ],
)  # fmt: skip
def topology(
    settings: Sequence[SlurmSetting],
    switches: Sequence[SlurmSwitch] | None,
    nodes: Sequence[SlurmNode] | None,
) -> Iterator[Verdict]:
    """The plug-in that is set, and the switches or blocks that the controller then knows."""
    if not settings:
        return
    plugin = setting(settings, "TopologyPlugin")
    count = len({node.name for node in nodes}) if nodes is not None else None
    if count is not None and count <= FEW:
        yield not_applicable(SUBJECT, f"{count} nodes")
    elif plugin is None:
        yield unknown(SUBJECT, "the controller did not say its TopologyPlugin")
    elif plugin in FLAT and not switches:
        if switches is None and version(setting(settings, "SLURM_VERSION") or "") >= YAML:
            yield unknown(SUBJECT, f"TopologyPlugin is {named(plugin)}; topology.yaml may set one,"
                          " and `scontrol show topology` could not be read")  # fmt: skip
        else:
            yield failed(SUBJECT, f"TopologyPlugin is {named(plugin)}{_of(count)}")
    elif plugin not in FLAT | SHAPED:
        yield unknown(SUBJECT, f"TopologyPlugin is {plugin}, which is not known here")
    elif switches is None:
        yield unknown(SUBJECT, f"TopologyPlugin is {plugin}, but the topology could not be read")
    elif not switches:
        yield failed(SUBJECT, f"TopologyPlugin is {plugin}, and it knows no switch{_of(count)}")
    else:
        kinds = {switch.kind for switch in switches}
        yield passed(SUBJECT, f"TopologyPlugin is {named(plugin)}: {len(switches)}"
                     f" {' and '.join(sorted(kinds))} entries{_of(count)}")  # fmt: skip


def _of(count: int | None) -> str:
    return f" for {count} nodes" if count is not None else ""
