"""Faults that an audit must find, each planted on one node of a cluster of sound ones.

The numbers are those of a list of faults that a public audit tool was seen to miss. Everything is
judged by the whole catalogue, as `assay audit` does it. Fault 16 is in test_unlisted_words.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest

from assay.demo.hosts import host
from assay.engine.audit import assess, start
from assay.engine.catalogue import catalogue
from assay.engine.plants import apply
from assay.engine.target import Options
from assay.kit.pack import dump, load
from assay.kit.plant import Edit, plant
from assay.model.evidence import Capture, Status, digest
from assay.model.outcome import Outcome
from assay.model.report import NodeRow, NodeState
from assay.probes.device_exposure import DEVICES
from assay.probes.kernel_log import RING
from assay.probes.nvidia_dcgm_diag import DIAG
from assay.probes.nvidia_nvlink import STATUS
from assay.probes.nvidia_smi import XML
from assay.probes.slurm_nodes import NODES
from assay.targets.recorded import write

SICK = "worker-4"
SOUND = ("worker-1", "worker-2", "worker-3")
LAST_LINE = "[ 1000.000000] assay: end of the reference log\n"


def report(*nodes):
    """The whole catalogue over *nodes*."""
    rows = [NodeRow(one.node, NodeState.READ) for one in nodes]
    run = start("cluster", Options(deadline=1.0))
    found = assess(nodes, rows, catalogue(), run, seconds=1.0)
    assert not found.errors
    return found


def cluster(sick):
    """The report on three sound nodes and *sick*."""
    return report(*(replace(host("hgx-h100"), node=name) for name in SOUND), sick)


def planted(*edits):
    """The sound host with *edits*, as the sick node."""
    return replace(apply(plant(*edits), host("hgx-h100")), node=SICK)


def outcomes(found):
    return {judgement.check: judgement.outcome for judgement in found.judgements}


@cache
def before():
    """What the catalogue says of the cluster when nothing is planted."""
    return outcomes(cluster(replace(host("hgx-h100"), node=SICK)))


def failure(found, check, sick, source, *, subject=None):
    """The one failure of *check*: on the sick node alone, by the evidence from *source*."""
    assert before()[check] is not Outcome.FAIL
    mine = [f for f in found.findings(Outcome.FAIL) if f.check == check]
    assert [f.nodes for f in mine] == [(SICK,)], mine
    (one,) = mine
    assert subject in (None, one.subject)
    refs = {(ref.node, ref.source): ref.sha256 for ref in one.evidence}
    assert refs[SICK, source] == digest(sick.captures[source].data)
    return one


@pytest.mark.parametrize(
    "check",
    ["gpu.diagnostics", "health.gpu-faults", "gpu.tool-answers", "gpu.none-lost",
     "gpu.same-driver", "gpu.all-listed"],
)  # fmt: skip
def test_the_cluster_is_sound_when_nothing_is_planted(check):
    assert before()[check] is Outcome.PASS


def test_1_a_failing_dcgm_diagnostic():
    row = "| Page Retirement/Row Remap | {:<46} |"
    sick = planted(Edit(DIAG.source, row.format("Fail"), old=row.format("Pass")))
    found = failure(cluster(sick), "gpu.diagnostics", sick, DIAG.source, subject="host")
    assert found.because == "dcgmi-diag: Page Retirement/Row Remap Fail"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
        (48, "pid=4242, name=python3, An uncorrectable double bit error (DBE) has been detected "
             "on GPU in the framebuffer at partition 0, subpartition 1."),
    ],
    ids=["2-xid-79", "3-xid-48"],
)  # fmt: skip
def test_2_and_3_an_xid_in_the_kernel_log(code, words):
    line = f"[90001.123456] NVRM: Xid (PCI:0000:1b:00): {code}, {words}\n"
    sick = planted(Edit(RING.source, LAST_LINE + line, old=LAST_LINE))
    found = failure(cluster(sick), "health.gpu-faults", sick, RING.source)
    assert "1b:00" in found.subject
    assert f"Xid {code}" in found.because


def nodes_of_slurm(**changes):
    """The sick head node, on which Slurm says something else of some of its nodes."""
    lines = host("hgx-h100").captures[NODES.source].data.decode().splitlines()
    for name, (state, reason) in changes.items():
        named = f"NodeName={name.replace('_', '-')} "
        at = next(n for n, line in enumerate(lines) if line.startswith(named))
        lines[at] = re.sub(r"State=\S+", f"State={state}", lines[at]) + f"Reason={reason} "
    return planted(Edit(NODES.source, "\n".join(lines) + "\n"))


def test_4_nodes_that_are_drained_or_down_with_their_reasons():
    head = nodes_of_slurm(
        gpu_002=("IDLE+DRAIN", "GPU 3 fell off the bus [root@2026-11-30T02:14:09]"),
        gpu_004=("DOWN*", "Not responding [slurm@2026-11-30T04:40:00]"),
    )
    found = failure(cluster(head), "slurm.nodes-available", head, NODES.source)
    assert found.because.startswith("2 of 8 nodes are not available")
    for words in ("gpu-002", "GPU 3 fell off the bus", "gpu-004", "Not responding"):
        assert words in found.because


def test_7_fewer_gpus_than_slurm_hands_out():
    first = re.search(rb'<gpu id="[^"]*">', host("hgx-h100").captures[XML.source].data)
    sick = planted(
        Edit(XML.source, "<gone>", old=first.group().decode()),
        Edit(XML.source, "</gone>", old="</gpu>"),
        Edit(XML.source, "<attached_gpus>7<", old="<attached_gpus>8<"),
    )
    found = failure(cluster(sick), "slurm.gres-matches", sick, XML.source)
    assert "gpu:h100:8" in found.because
    assert "7 accelerators are listed" in found.because
    listed = failure(cluster(sick), "gpu.all-listed", sick, XML.source, subject="nvidia")
    assert listed.because == "7 listed by the tool, 8 on the PCI bus"


def test_7_no_tool_at_all_where_slurm_hands_out_gpus():
    sick = planted(Edit(XML.source, status=Status.ABSENT))
    found = failure(cluster(sick), "slurm.gres-matches", sick, XML.source)
    assert "no accelerators are listed" in found.because


def test_7_no_driver_where_slurm_hands_out_gpus():
    words = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
    sick = planted(Edit(XML.source, words, exit_code=9))
    found = cluster(sick)
    assert failure(found, "gpu.tool-answers", sick, XML.source, subject="host")
    unread = {f.nodes for f in found.findings(Outcome.UNKNOWN) if f.check == "slurm.gres-matches"}
    assert unread == {(SICK,)}


MISMATCH = (
    "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.95\n"
)


def test_5_a_version_mismatch_is_an_error_and_no_model_or_driver():
    sick = planted(Edit(XML.source, MISMATCH, exit_code=18))
    found = failure(cluster(sick), "gpu.tool-answers", sick, XML.source, subject="host")
    assert "Driver/library version mismatch (exit 18)" in found.because
    alone = report(sick)
    for judgement in alone.judgements:
        if "Failed to initialize" in judgement.example:
            pytest.fail(f"{judgement.check} takes the banner for a value: {judgement.example}")
    judged = outcomes(alone)
    assert judged["gpu.none-lost"] is Outcome.UNKNOWN
    assert judged["gpu.ecc-enabled"] is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("words", "subject"),
    [
        ("Unable to determine the device handle for GPU0000:3E:00.0: Unknown Error\n",
         "0000:3e:00.0"),
        ("Unable to determine the device handle for GPU3: 0000:5C:00.0: GPU is lost.  Reboot the "
         "system to recover this GPU\n", "0000:5c:00.0"),
    ],
    ids=["unknown-error", "lost"],
)  # fmt: skip
def test_6_one_gpu_without_a_handle(words, subject):
    sick = planted(Edit(XML.source, words, exit_code=255))
    found = failure(cluster(sick), "gpu.tool-answers", sick, XML.source, subject=subject)
    assert "Unable to determine the device handle" in found.because
    assert outcomes(report(sick))["gpu.all-listed"] is not Outcome.PASS


def without_ipmi():
    """The sound host on which no IPMI device, and no ipmitool, can be seen."""
    sound = host("hgx-h100")
    listed = [e for e in load(sound.captures[DEVICES.source].data) if "ipmi" not in e.path]
    fewer = Capture(DEVICES.source, dump(listed))
    return replace(sound, node=SICK, captures={**sound.captures, DEVICES.source: fewer})


@pytest.mark.parametrize("how", ["no device", Status.ABSENT, Status.DENIED, Status.TIMEOUT])
def test_11_a_bmc_that_cannot_be_seen_is_not_isolated(how):
    unseen = isinstance(how, Status)
    sick = planted(Edit(DEVICES.source, status=how)) if unseen else without_ipmi()
    assert outcomes(report(sick))["security.bmc-device"] is not Outcome.PASS


def test_12_one_node_on_an_old_driver():
    new = re.search(rb"<driver_version>([\d.]+)<", host("hgx-h100").captures[XML.source].data)
    old = "<driver_version>535.104.05<"
    sick = planted(Edit(XML.source, old, old=new.group().decode()))
    found = failure(cluster(sick), "gpu.same-driver", sick, XML.source)
    assert "535.104.05, 3 of 4 nodes have " + new.group(1).decode() in found.because


def test_16_an_unlisted_state_of_a_link_never_passes():
    sick = planted(Edit(STATUS.source, "Link 4: zorblax", old="Link 4: 26.562 GB/s"))
    assert outcomes(report(sick))["gpu.links-up"] is not Outcome.PASS


HOSTILE = {
    name: value
    for prefix in ("", "ASSAY_", "AUDIT_", "GPU_", "MIN_", "FLOOR_")
    for name, value in {
        f"{prefix}CUDA_FLOOR": "1.0", f"{prefix}MIN_CUDA_VERSION": "1.0",
        f"{prefix}DRIVER_FLOOR": "1", f"{prefix}MIN_DRIVER_VERSION": "1",
        f"{prefix}KERNEL_FLOOR": "1.0", f"{prefix}SEVERITY": "info", f"{prefix}SKIP": "gpu.*",
        f"{prefix}IGNORE": "*", f"{prefix}FAIL_ON": "never", f"{prefix}ONLY": "system.*",
    }.items()
} | {
    "CUDA_VERSION": "99.0", "CUDA_VISIBLE_DEVICES": "", "NVIDIA_VISIBLE_DEVICES": "void",
    "NVIDIA_DRIVER_CAPABILITIES": "all", "LD_LIBRARY_PATH": "/nowhere", "SLURM_JOB_GPUS": "0",
    "KUBERNETES_SERVICE_HOST": "198.18.0.1", "LANG": "tr_TR.UTF-8", "LC_ALL": "C",
    "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "77", "COLUMNS": "20", "container": "podman",
}  # fmt: skip


def test_17_environment_variables_never_change_a_verdict(tmp_path):
    recording = tmp_path / "recording"
    sick = planted(
        Edit(XML.source, "<remapped_row_failure>Yes<", old="<remapped_row_failure>No<"),
        Edit(XML.source, "<driver_version>535.104.05<", old="<driver_version>580.173.02<"),
    )
    sound = [replace(host("hgx-h100"), node=name) for name in SOUND]
    write([*sound, sick], recording, catalogue().readings())
    plain, hostile = (
        verdicts(recording, {**clean, "HOME": str(tmp_path), "PATH": os.environ["PATH"]})
        for clean in ({}, HOSTILE)
    )
    assert plain == hostile
    assert plain["gpu.row-remapping"]["outcome"] == "fail"


def verdicts(recording, env):
    """What `assay audit` concludes in the environment *env*."""
    command = [sys.executable, "-m", "assay", "audit", str(recording), "--no-bundle", "--json"]
    done = subprocess.run(command, env=env, capture_output=True, timeout=300, check=False)
    assert done.stdout, done.stderr.decode()
    return {judgement["check"]: judgement for judgement in json.loads(done.stdout)["judgements"]}
