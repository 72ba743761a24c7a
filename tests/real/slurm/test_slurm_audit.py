"""An audit of a real Slurm cluster: who is asked, who is not and why, and what it costs."""

import socket
import threading
import time

import pytest

from assay.kit.reading import Service, command
from assay.model.evidence import Status
from assay.model.report import NodeState
from assay.targets.slurm import Slurm
from assay.targets.slurm_view import Terms

pytestmark = pytest.mark.real


@pytest.mark.parametrize("nodes", [1, 2, 8])
def test_every_node_answers_at_the_price_of_one_job(slurm, audit, nodes):
    lab = slurm(nodes)
    told = audit(lab)
    assert told.nodes(NodeState.READ) == set(lab.names)
    assert {row.scheduler for row in told.rows.values()} == {"idle"}
    for name in lab.names:
        answers = told.captures[name]
        assert answers["echo hello"].data == b"hello\n"
        assert answers["no-such-tool-here"].status is Status.ABSENT
        assert len(answers["sh -c 'head -c 300000 /dev/urandom | base64'"].data) > 400000
    assert lab.submissions() == 1
    assert lab.jobs() == []
    calls = told.target.calls
    assert (calls["salloc"], calls["srun"], calls["scancel"]) == (1, 1, 1)
    assert sum(calls.values()) <= 8
    assert "salloc 1" in told.target.summary()[0]


def test_two_leaf_switches_are_one_job(slurm, audit):
    lab = slurm(12)
    told = audit(lab)
    assert told.nodes(NodeState.READ) == set(lab.names)
    assert lab.submissions() == 1


def test_drained_and_down_nodes_are_rows_with_their_reasons(slurm, audit):
    lab = slurm(8)
    lab.ask("scontrol", "update", "nodename=node003", "state=drain", "reason=GPU 3 lost, RMA [7]")
    lab.ask("scontrol", "update", "nodename=node006", "state=down", "reason=no power")
    told = audit(lab)
    assert told.nodes(NodeState.READ) == set(lab.names) - {"node003", "node006"}
    drained, down = told.rows["node003"], told.rows["node006"]
    assert drained.reason.startswith("drained: GPU 3 lost, RMA [7] (root, 20")
    assert drained.scheduler == "idle+drain"
    assert down.reason.startswith("down: no power (root, 20")
    assert down.scheduler == "down"
    assert "node003" not in told.captures
    assert lab.submissions() == 1


def test_a_busy_node_is_not_waited_for_and_a_half_free_one_is_asked(slurm, audit):
    lab = slurm(8)
    lab.occupy("node002")
    lab.occupy("node005", cpus=16)
    told = audit(lab)
    assert told.nodes(NodeState.READ) == set(lab.names) - {"node002"}
    assert told.rows["node002"].reason == "busy: 64 of 64 CPUs are allocated"
    assert told.rows["node002"].scheduler == "allocated"
    assert told.rows["node005"].scheduler == "mixed"
    assert told.seconds < 8


def test_all_nodes_busy_is_a_report_and_no_job(slurm, audit):
    lab = slurm(8)
    lab.occupy("node[001-008]")
    told = audit(lab)
    assert told.nodes(NodeState.UNREAD) == set(lab.names)
    assert {row.reason for row in told.rows.values()} == {"busy: 64 of 64 CPUs are allocated"}
    assert told.seconds < 3
    assert lab.submissions() == 0


def test_nodes_that_get_busy_after_the_look_end_the_wait(slurm, audit, monkeypatch):
    """The controller's word is old: the job waits, but not longer than it may, and goes."""
    lab = slurm(4)
    lab.occupy("node[001-004]")
    monkeypatch.setattr("assay.targets.slurm_nodes.Node.full", lambda *_, **__: "")
    told = audit(lab, Terms(immediate=2))
    assert told.nodes(NodeState.UNREAD) == set(lab.names)
    assert "Unable to allocate resources" in told.rows["node001"].reason
    assert told.seconds < 5
    assert [job.split()[1] for job in lab.jobs()] == ["other-0"]


def test_a_second_pass_asks_nodes_that_have_become_free(slurm, audit):
    lab = slurm(4)
    busy = lab.occupy("node002")
    end = time.monotonic() + 3

    def later():
        time.sleep(max(0.0, end - time.monotonic()))
        lab.ask("scancel", busy)

    thread = threading.Thread(target=later)
    thread.start()
    told = audit(lab, Terms(passes=2))
    thread.join()
    assert told.nodes(NodeState.READ) == set(lab.names)
    assert told.target.calls["salloc"] == 2
    assert told.at["node002"] > 2 > told.at["node001"]
    assert lab.jobs() == []


def test_an_unknown_partition_or_account_is_a_reason(slurm, audit):
    lab = slurm(2)
    told = audit(lab, Terms(partition="nosuch"))
    assert told.rows["node001"].reason == "not in partition nosuch (it is in batch, half)"
    told = audit(lab, Terms(qos="nosuch"))
    assert {row.state for row in told.rows.values()} <= {NodeState.READ, NodeState.UNREAD}


def test_a_partition_of_some_nodes(slurm, audit):
    lab = slurm(4)
    told = audit(lab, Terms(partition="half"))
    assert told.nodes(NodeState.READ) == {"node001", "node002"}
    assert told.rows["node004"].reason == (
        "not in partition half, which was asked (it is in batch)"
    )


def test_named_nodes_only(slurm, audit):
    lab = slurm(4)
    told = audit(lab, Terms(nodes="node[002-003],node099"))
    assert told.nodes(NodeState.READ) == {"node002", "node003"}
    assert told.rows["node099"].reason == "the controller knows no such node"
    assert len(told.rows) == 3


def test_memory_is_asked_for_where_it_is_accounted(slurm, audit):
    lab = slurm(2, select="CR_Core_Memory")
    lab.occupy("node001", cpus=1, memory="511800M")
    told = audit(lab)
    assert told.nodes(NodeState.READ) == {"node002"}
    assert told.rows["node001"].reason == "busy: 511800 of 512000 MiB of memory are allocated"


def test_options_of_other_jobs_in_the_environment_do_not_reach_ours(slurm, audit):
    lab = slurm(2)
    foreign = {
        "SALLOC_PARTITION": "nosuch",
        "SLURM_PARTITION": "nosuch",
        "SLURM_NTASKS_PER_NODE": "7",
        "SLURM_NNODES": "1",
        "SBATCH_RESERVATION": "nosuch",
        "SLURM_LABELIO": "0",
        "SLURM_STDOUTMODE": "/nonexistent/%t",
        "SLURM_EXCLUSIVE": "1",
    }
    told = audit(lab, environment={**lab.environment, **foreign})
    assert told.nodes(NodeState.READ) == set(lab.names)


def test_cluster_readings_are_made_once_on_this_machine(slurm, audit):
    lab = slurm(2)
    once = command("echo", "the cluster", service=Service.SLURM)
    told = audit(lab, readings=[command("echo", "hello"), once])
    head = socket.gethostname()
    assert told.rows[head].state is NodeState.READ
    assert set(told.captures[head]) == {"echo 'the cluster'"}
    assert set(told.captures["node001"]) == {"echo hello"}


def test_inside_an_allocation_one_step_and_no_job(slurm, audit):
    lab = slurm(4)
    job = lab.occupy("node[002-003]")
    told = audit(lab, environment={**lab.environment, "SLURM_JOB_ID": job})
    assert told.nodes(NodeState.READ) == {"node002", "node003"}
    assert set(told.rows) == {"node002", "node003"}
    assert (told.target.calls["salloc"], told.target.calls["scancel"]) == (0, 0)
    assert lab.submissions() == 0
    assert len(lab.jobs()) == 1  # the allocation is still there
    assert "assay" not in lab.ask("squeue", "-h", "-s", "-o", "%i %j")


def test_gpus_on_request(slurm, audit):
    lab = slurm(2)
    gpus = command("sh", "-c", "tr '\\0' '\\n' </proc/$PPID/environ | grep -c GPU", name="gpus")
    assert audit(lab, readings=[gpus]).captures["node001"][gpus.source].exit_code == 1
    told = audit(lab, Terms(gpus=8), readings=[gpus])
    assert told.captures["node001"][gpus.source].exit_code == 0
    assert audit(lab, Terms(gpus=9)).rows["node002"].reason == "has 8 GPUs, 9 were asked for"


def test_where_devices_are_isolated_a_gpu_tool_is_not_asked_without_a_gpu(slurm, audit):
    lab = slurm(2, isolated=True)
    opens = command("cat", f"{lab.run}/dev/nvidia0")
    tool = command("nvidia-smi", "-L")
    told = audit(lab, readings=[tool, opens]).captures["node001"]
    assert "Operation not permitted" in told[opens.source].stderr
    assert told["nvidia-smi -L"].status is Status.DENIED
    assert "given no GPU" in told["nvidia-smi -L"].reason
    assert any("nvidia-smi" in line for line in Slurm(Terms(), lab.environment).describe())
    lab.quiet()
    told = audit(lab, Terms(gpus=8), readings=[tool, opens]).captures["node001"]
    assert "No such device" in told[opens.source].stderr  # opened: there is no driver behind it
    assert told["nvidia-smi -L"].status is not Status.DENIED


def test_describe_begins_nothing(slurm):
    lab = slurm(4)
    lab.ask("scontrol", "update", "nodename=node003", "state=drain", "reason=RMA")
    lines = Slurm(Terms(), lab.environment).describe()
    text = "\n".join(lines)
    assert "on a Slurm cluster of 4 nodes" in text
    assert "3 nodes will be asked (3 idle): node[001-002,004]" in text
    assert "not asked: node003: drained: RMA" in text
    assert "one job: salloc" in text
    assert lab.submissions() == 0
