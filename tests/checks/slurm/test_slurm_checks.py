"""Judgements about Slurm that the plants do not show."""

import pytest

from assay.checks.slurm.accounting import accounting
from assay.checks.slurm.authentication import authentication
from assay.checks.slurm.controllers_up import controllers_up
from assay.checks.slurm.device_isolation import device_isolation
from assay.checks.slurm.gpu_defaults import gpu_defaults
from assay.checks.slurm.gres_matches import gres_matches
from assay.checks.slurm.health_check import health_check
from assay.checks.slurm.mpi_default import mpi_default
from assay.checks.slurm.nodes_available import nodes_available
from assay.checks.slurm.partitions_up import partitions_up
from assay.checks.slurm.prolog_epilog import prolog_epilog
from assay.checks.slurm.real_memory import real_memory
from assay.checks.slurm.reboot_program import reboot_program
from assay.checks.slurm.return_to_service import return_to_service
from assay.checks.slurm.timeouts import timeouts
from assay.checks.slurm.topology import topology
from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.judge import Facts, judge
from assay.engine.understand import Understanding
from assay.model.evidence import Capture, Evidence, Status
from assay.model.fact import Fleet, Group
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.hostname import Hostname
from assay.model.facts.slurm import (
    SlurmController,
    SlurmNode,
    SlurmPartition,
    SlurmSetting,
    SlurmSwitch,
)
from assay.model.outcome import Outcome, Severity
from assay.probes import slurm_config, slurm_nodes, slurm_partitions
from assay.probes.nvidia_smi import XML

PASS, FAIL, UNKNOWN, NA = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN, Outcome.NOT_APPLICABLE
SETTINGS_ONLY = (
    accounting, authentication, device_isolation, health_check, mpi_default, prolog_epilog,
    reboot_program, return_to_service, timeouts,
)  # fmt: skip


def settings(section="", **values):
    return [SlurmSetting(name, value, section) for name, value in values.items()]


def one(verdicts):
    (verdict,) = verdicts
    return verdict


def nodes(*states):
    out = []
    for n, words in enumerate(states):
        state, *flags = words.split("+")
        out.append(SlurmNode(f"n{n}", state, tuple(flags), reason="why" if flags else ""))
    return out


@pytest.mark.parametrize("check", SETTINGS_ONLY, ids=lambda c: c.__name__)
def test_without_slurm_there_is_nothing_to_say(check):
    assert list(check([])) == []


@pytest.mark.parametrize("check", SETTINGS_ONLY, ids=lambda c: c.__name__)
def test_a_setting_that_was_not_shown_is_unknown(check):
    verdicts = list(check(settings(Other="1")))
    assert verdicts
    assert {verdict.outcome for verdict in verdicts} == {UNKNOWN}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("IDLE", {PASS}),
        ("MIXED+PLANNED", {PASS}),
        ("IDLE+CLOUD+POWERED_DOWN", {PASS}),
        ("IDLE+MAINTENANCE", {PASS}),
        ("DOWN", {FAIL}),
        ("IDLE+NOT_RESPONDING", {FAIL}),
        ("MIXED+DRAIN", {FAIL}),
        ("IDLE+INVALID_REG", {FAIL}),
        ("WARPED", {UNKNOWN}),
        ("IDLE+ODD", {UNKNOWN}),
        ("", {UNKNOWN}),
        ("FUTURE", set()),
    ],
)
def test_states_of_nodes(words, expected):
    assert {verdict.outcome for verdict in nodes_available(nodes(words))} == expected


def test_lost_nodes_are_named_with_their_reasons():
    lost = SlurmNode("n3", "IDLE", ("DRAIN",), reason="gpu fell off", reason_by="root",
                     reason_at="2026-03-04T02:14:09")  # fmt: skip
    verdict = one(nodes_available([*nodes("IDLE", "MIXED"), lost]))
    assert verdict.because == (
        "1 of 3 nodes are not available: n3 IDLE+DRAIN"
        " (gpu fell off, by root at 2026-03-04T02:14:09)"
    )


def test_maintenance_is_milder_unless_the_node_is_gone():
    planned = SlurmNode("n3", "IDLE", ("DRAIN",), reason="kernel upgrade on Tuesday")
    gone = SlurmNode("n4", "DOWN", ("NOT_RESPONDING", "MAINTENANCE"), reason="kernel upgrade")
    assert one(nodes_available([planned])).severity is Severity.LOW
    assert one(nodes_available([gone])).severity is None
    both = list(nodes_available([planned, gone]))
    assert [v.outcome for v in both] == [FAIL, FAIL]


def gres(scheduled, here, name="n1"):
    return list(
        gres_matches(
            Fleet([Group(("head",), tuple(scheduled))]),
            Fleet([Group(("a",), (Hostname(name),)), Group(("head",), (Hostname("head"),))]),
            Fleet([Group(("a",), tuple(Accelerator("nvidia", n) for n in range(here))),
                   Group(("head",), ())]),
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("gpus", "gres_text", "here", "expected", "severity"),
    [
        (8, "gpu:8", 8, PASS, None),
        (8, "gpu:8", 7, FAIL, None),
        (8, "gpu:8", 0, FAIL, None),
        (4, "gpu:4", 8, FAIL, Severity.MEDIUM),
        (0, "", 8, FAIL, Severity.MEDIUM),
        (56, "gpu:1g.10gb:56", 8, UNKNOWN, None),
    ],
)
def test_gres_on_the_node_with_that_name(gpus, gres_text, here, expected, severity):
    verdict = one(gres([SlurmNode("n1", "IDLE", gres=gres_text, gpus=gpus)], here))
    assert (verdict.outcome, verdict.severity, verdict.nodes) == (expected, severity, ("a",))


def test_gres_of_machines_that_slurm_does_not_know():
    assert gres([SlurmNode("n2", "IDLE", gpus=8)], 7) == []
    assert gres([SlurmNode("n1", "IDLE", gpus=0)], 0) == []
    assert gres([SlurmNode("n1", "IDLE", gpus=None)], 8) == []
    lost = one(gres([SlurmNode("n1", "IDLE", gpus=8)], 7, name="n1.example.com"))
    assert lost.outcome is FAIL


def test_a_head_node_that_asks_for_all_finds_the_worker_without_a_driver():
    understanding = Understanding(catalogue().probes)
    sound = host("hgx-h100").captures
    cluster = {slurm_config.CONFIG.source, slurm_nodes.NODES.source, slurm_nodes.TOPOLOGY.source,
               slurm_partitions.PARTITIONS.source}  # fmt: skip
    head = {s: c for s, c in sound.items() if s in cluster}
    worker = {s: c for s, c in sound.items() if s not in cluster}
    worker[XML.source] = Capture(XML.source, status=Status.ABSENT)
    understanding.add(Evidence("head", head))
    understanding.add(Evidence("gpu-001", worker))
    check = catalogue().check("slurm.gres-matches")
    judgement = judge([check], Facts(understanding))[0][0]
    assert judgement.outcome is FAIL
    assert judgement.findings[0].nodes == ("gpu-001",)
    assert judgement.findings[0].because == "GRES is gpu:h100:8(S:0-1), no accelerators are listed"


EIGHT = nodes(*["IDLE"] * 8)
LEAF = [SlurmSwitch("switch", "s0", 0, "n[0-7]")]


@pytest.mark.parametrize(
    ("plugin", "switches", "known", "expected"),
    [
        ("topology/tree", LEAF, EIGHT, PASS),
        ("topology/tree", [], EIGHT, FAIL),
        ("topology/tree", None, EIGHT, UNKNOWN),
        ("topology/none", [], EIGHT, FAIL),
        ("topology/none", None, EIGHT, FAIL),
        ("", [], EIGHT, FAIL),
        ("topology/flat", LEAF, EIGHT, PASS),  # topology.yaml
        ("topology/none", [], None, FAIL),
        ("topology/none", [], EIGHT[:4], NA),
        ("topology/marvel", LEAF, EIGHT, UNKNOWN),
    ],
)
def test_topology(plugin, switches, known, expected):
    told = settings(TopologyPlugin=plugin, SLURM_VERSION="22.05.8")
    assert one(topology(told, switches, known)).outcome is expected


def test_a_flat_plugin_proves_nothing_where_topology_yaml_may_be():
    told = settings(TopologyPlugin="topology/flat", SLURM_VERSION="25.11.1")
    assert one(topology(told, None, EIGHT)).outcome is UNKNOWN
    assert one(topology(told, [], EIGHT)).outcome is FAIL
    assert list(topology([], None, None)) == []


def test_accounting_plugins():
    told = settings(AccountingStorageType="", JobAcctGatherType="jobacct_gather/marvel")
    assert [v.outcome for v in accounting(told)] == [FAIL, UNKNOWN]


def test_gpu_defaults():
    base = settings(GresTypes="gpu", SelectType="select/cons_tres", JobDefaults="",
                    SelectTypeParameters="CR_Core_Memory", DefMemPerNode="UNLIMITED")  # fmt: skip
    good = SlurmPartition("a", "UP", gpus=8, defaults="DefCpuPerGPU=8,DefMemPerGPU=1000")
    half = SlurmPartition("b", "UP", gpus=8, defaults="DefCpuPerGPU=8")
    cpu = SlurmPartition("c", "UP", gpus=0)
    by_cpu = SlurmPartition("d", "UP", defaults="DefCpuPerGPU=8", memory_per_cpu="4096")
    found = {v.subject: v for v in gpu_defaults(base, [good, half, cpu, by_cpu])}
    assert {subject: v.outcome for subject, v in found.items()} == {
        "SelectType": PASS, "partition a": PASS, "partition b": FAIL, "partition d": PASS,
    }  # fmt: skip
    assert found["partition b"].because.startswith("DefMemPerGPU not set")
    assert UNKNOWN in {v.outcome for v in gpu_defaults(base, None)}
    assert one(gpu_defaults(settings(GresTypes=""), [half])).outcome is NA
    linear = settings(GresTypes="gpu", SelectType="select/linear")
    assert one(gpu_defaults(linear, [half])).outcome is PASS


def test_timeouts_without_a_prolog():
    told = settings(MessageTimeout="10 sec", UnkillableStepTimeout="60 sec", Prolog="")
    assert [v.outcome for v in timeouts(told)] == [PASS]


def test_words_that_are_not_known_do_not_pass():
    for check, told in (
        (authentication, settings(AuthType="auth/marvel")),
        (mpi_default, settings(MpiDefault="marvel")),
        (return_to_service, settings(ReturnToService="7")),
        (health_check, settings(HealthCheckProgram="/x", HealthCheckInterval="often")),
    ):
        assert one(check(told)).outcome is UNKNOWN
    odd = settings(section="cgroup", ConstrainDevices="perhaps")
    assert {v.outcome for v in device_isolation(odd)} == {UNKNOWN}


def test_controllers_partitions_and_memory():
    assert one(controllers_up([SlurmController("primary", "h", "LIMBO")])).outcome is UNKNOWN
    assert one(partitions_up([SlurmPartition("p", "")])).outcome is UNKNOWN
    assert one(real_memory([SlurmNode("n", "IDLE", gpus=8)])).outcome is UNKNOWN
    assert list(real_memory([SlurmNode("n", "IDLE", gpus=0, memory_mib=1)])) == []
