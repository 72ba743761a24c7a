"""Links, diagnostics, the driver's own advice, and nodes against nodes."""

from dataclasses import replace

import pytest
from gpu_sample import H100, LAPTOP, MORE, node, told, words

from assay.checks.gpu.diagnostics import diagnostics
from assay.checks.gpu.link_errors import link_errors
from assay.checks.gpu.links_up import links_up
from assay.checks.gpu.recovery_action import recovery_action
from assay.checks.gpu.same_count import same_count
from assay.checks.gpu.same_driver import same_driver
from assay.checks.gpu.same_firmware import same_firmware
from assay.model.fact import Fleet, Group
from assay.model.facts.accelerator import ScaleUpLink
from assay.model.facts.device import DeviceTest
from assay.model.facts.dmi import Machine
from assay.model.facts.nvidia import NvlinkErrors, NvlinkState


def links(gpus=8, count=18, vendor="nvidia", rate=26.562, down=()):
    return [ScaleUpLink(vendor, gpu, n, (gpu, n) not in down, None if (gpu, n) in down else rate)
            for gpu in range(gpus) for n in range(count)]  # fmt: skip


def test_links():
    assert told(links_up(links(), node(), None)) == [(f"gpu {n}", "pass") for n in range(8)]
    broken = list(links_up(links(down={(3, 4)}), node(), None))
    assert [v.subject for v in broken if str(v.outcome) == "fail"] == ["gpu 3"]
    assert "17 of 18 NVLinks are up, down: 4" in words(broken)
    everything = {(gpu, n) for gpu in range(8) for n in range(18)}
    assert {o for _, o in told(links_up(links(down=everything), node(), None))} == {"fail"}
    # a virtual machine with some GPUs of a board: links to the others are down, on all alike
    some = {(gpu, n) for gpu in range(2) for n in range(9)}
    assert {o for _, o in told(links_up(links(2, down=some), node(2), None))} == {"not-applicable"}
    assert told(links_up(links(1, down={(0, n) for n in range(18)}), node(1), None)) == [
        ("gpu 0", "not-applicable")
    ]
    slow = [replace(k, gbytes_per_second=13.281) if k.index == 2 else k for k in links()]
    assert ("gpu 2", "fail") in told(links_up(slow, node(), None))
    mute = [replace(k, up=None) for k in links()]
    assert {o for _, o in told(links_up(mute, node(), None))} == {"unknown"}
    assert {o for _, o in told(links_up([], node(), None))} == {"unknown"}
    assert told(links_up([], [LAPTOP], [NvlinkState(0, supported=False)])) == []


def test_bridged_cards():
    cards = [replace(d, product="NVIDIA H100 PCIe") for d in node(4)]
    bridged = links(4, 18, down={(gpu, n) for gpu in range(4) for n in range(12, 18)})
    assert {o for _, o in told(links_up(bridged, cards, None))} == {"pass"}
    bare = links(4, 18, down={(gpu, n) for gpu in range(4) for n in range(18)})
    assert {o for _, o in told(links_up(bare, cards, None))} == {"not-applicable"}
    loose = links(4, 18, down={(gpu, n) for gpu in range(4) for n in range(12, 18)} | {(1, 0)})
    assert ("gpu 1", "fail") in told(links_up(loose, cards, None))


def test_what_is_said_in_place_of_links():
    def said(note, **more):
        states = [NvlinkState(n, note=note, **more) for n in range(8)]
        return {o for _, o in told(links_up([], node(), states))}

    assert said("Unable to retrieve NVLink information as all links are inActive") == {"fail"}
    assert said("Nvlink queries are not supported for Devices in MIG mode") == {"not-applicable"}
    assert said("GPU does not have or support Nvlink", supported=False) == {"fail"}
    assert said("NVLink: zorblax") == {"unknown"}


def test_link_counters():
    clean = [replace(k, replays=0, recoveries=0, crc_errors=0) for k in links(2)]
    assert told(link_errors(clean, None)) == [("gpu 0", "pass"), ("gpu 1", "pass")]
    bad = [replace(k, recoveries=3) if (k.index, k.link) == (1, 5) else k for k in clean]
    (_, verdict) = link_errors(bad, None)
    assert verdict.because == "link 5: 3 recovery errors"
    minor = [replace(k, crc_errors=9) if k.index == 1 else k for k in clean]
    (_, verdict) = link_errors(minor, None)
    assert str(verdict.severity) == "low"
    assert verdict.because.endswith("and 14 links more")
    newer = [NvlinkErrors(0, 1, (("link recovery failed events", 1), ("tx packets", 10**9)))]
    (verdict,) = link_errors([], newer)
    assert str(verdict.severity) == "high"
    traffic = [NvlinkErrors(0, 1, (("tx packets", 10**9),))]
    assert told(link_errors([], traffic)) == [("gpu 0", "unknown")]
    assert told(link_errors(links(1), None)) == [("gpu 0", "unknown")]
    assert told(link_errors(links(1, vendor="amd"), None)) == []


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [(["Pass", "Pass"], "pass"), (["Pass", "Fail"], "fail"), (["Pass", "Warn"], "fail"),
     (["Skip"], "unknown"), (["Pass", "Skip"], "pass"), (["Pass", "Zorblax"], "unknown"),
     (["Fail", "Zorblax"], "fail"), (["Healthy"], "pass"), (["Error"], "fail")],
)  # fmt: skip
def test_diagnostics(statuses, outcome):
    tests = [DeviceTest("dcgmi-diag", f"t{n}", "gpu 1", word) for n, word in enumerate(statuses)]
    assert told(diagnostics(tests)) == [("gpu 1", outcome)]


@pytest.mark.parametrize(
    ("more", "outcomes"),
    [({}, ["pass"]), ({"recovery_action": "Reset"}, ["fail"]),
     ({"recovery_action": "Sing"}, ["unknown"]), ({"recovery_action": ""}, []),
     ({"unrepairable_memory": True}, ["fail"]), ({"sram_threshold_exceeded": True}, ["fail"]),
     ({"channel_repair_pending": False}, ["unknown"]), ({"tpc_repair_pending": True}, ["fail"])],
)  # fmt: skip
def test_recovery_actions(more, outcomes):
    verdicts = recovery_action([H100], [replace(MORE, **more)])
    assert [str(v.outcome) for v in verdicts] == outcomes


def fleet(**nodes):
    return Fleet([Group((name,), tuple(facts)) for name, facts in nodes.items()])


def kinds(*nodes, product="HGX"):
    return Fleet([Group(nodes, (Machine(vendor="Maker", product=product),))])


def by_node(verdicts):
    return [(str(v.outcome), v.nodes) for v in verdicts]


def test_a_node_with_fewer_or_none():
    machines = kinds("a", "b", "c", "d")
    devices = fleet(a=node(), b=node(), c=node(), d=node(7))
    assert by_node(same_count(devices, machines)) == [("fail", ("d",))]
    assert by_node(same_count(fleet(a=node(), b=node(), c=[]), kinds("a", "b", "c"))) == [
        ("fail", ("c",))
    ]
    # a login node of an unnamed kind has none, and need not
    assert by_node(same_count(fleet(a=node(), b=node(), login=[]), None)) == [("pass", ("a", "b"))]
    lost = node(gpu3={"fault": "GPU is lost", "product": ""})
    assert by_node(same_count(fleet(a=node(), b=node(), c=lost), None)) == [("fail", ("c",))]


def test_drivers_and_firmware_over_nodes():
    old = [replace(d, driver="535.1", firmware="90.1") for d in node()]
    devices = fleet(a=node(), b=node(), c=node(4), d=old)  # c has fewer GPUs, not another driver
    assert by_node(same_driver(devices, None)) == [("fail", ("d",))]
    assert by_node(same_firmware(devices, None)) == [("fail", ("d",))]
    silent = [replace(d, driver="", firmware="") for d in node()]
    assert by_node(same_driver(fleet(a=node(), b=node(), c=silent), None)) == [("pass", ("a", "b"))]
