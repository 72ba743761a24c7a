"""Tables of sinfo, squeue, sacct, sacctmgr and the text of sdiag, in the forms people paste."""

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.model.facts.slurm import (
    ControllerRpc,
    SlurmAccountingRow,
    SlurmJob,
    SlurmNode,
    SlurmNodeGroup,
    SlurmQos,
)
from assay.probes.slurm_words import gpus, minutes, seconds, state


def facts(text):
    found = parse(text.encode(), catalogue().probes)
    assert not found.unknown, found.unknown
    return [fact for result in found.results for fact in result.facts]


def test_default_sinfo():
    assert facts(
        "$ sinfo\n"
        "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
        "main*        up   infinite      2  drng* gpu-[003,005]\n"
        "main*        up   infinite      6    mix gpu-[001-002,004,006-008]\n"
        "cpu          up 1-00:00:00      0    n/a\n"
    ) == [
        SlurmNodeGroup("main", "DRAINING", 2, "gpu-[003,005]", ("DRAIN", "NOT_RESPONDING"), "up",
                       "infinite", default=True),
        SlurmNodeGroup("main", "MIXED", 6, "gpu-[001-002,004,006-008]", (), "up", "infinite",
                       default=True),
        SlurmNodeGroup("cpu", "", 0, "", ("N/A",), "up", "1-00:00:00", default=False),
    ]  # fmt: skip


def test_sinfo_without_its_header():
    (found,) = facts("main* up infinite 2 idle gpu-[001-002]\n")
    assert found == SlurmNodeGroup("main", "IDLE", 2, "gpu-[001-002]", (), "up", "infinite",
                                   default=True)  # fmt: skip


def test_sinfo_by_node_lists_a_node_once_with_all_its_partitions():
    found = facts(
        "Tue Mar 03 10:00:00 2026\n"
        "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE"
        " REASON\n"
        "gpu-001        1     main*        idle 224    2:56:2 206300        0      1     h100"
        " none\n"
        "gpu-001        1     debug        idle 224    2:56:2 206300        0      1     h100"
        " none\n"
        "gpu-002        1     main*    drained* 224    2:56:2 206300        0      1     h100"
        " Kill task failed\n"
    )
    assert found == [
        SlurmNode("gpu-001", "IDLE", (), cpus=224, memory_mib=206300, sockets=2,
                  cores_per_socket=56, threads_per_core=2, partitions=("main", "debug"),
                  features=("h100",)),
        SlurmNode("gpu-002", "DRAINED", ("DRAIN", "NOT_RESPONDING"), reason="Kill task failed",
                  cpus=224, memory_mib=206300, sockets=2, cores_per_socket=56,
                  threads_per_core=2, partitions=("main",), features=("h100",)),
    ]  # fmt: skip


def test_sinfo_reasons():
    found = facts(
        "REASON               USER      TIMESTAMP           NODELIST\n"
        "gpu fell off the bus root      2026-03-04T02:14:09 gpu-003\n"
    )
    assert found == [
        SlurmNode("gpu-003", "", (), reason="gpu fell off the bus", reason_by="root",
                  reason_at="2026-03-04T02:14:09"),
    ]  # fmt: skip


def test_formats_that_exporters_ask_for():
    assert [(n.name, n.words) for n in facts("gpu-1,idle\ngpu-2,down*\n")] == [
        ("gpu-1", "IDLE"), ("gpu-2", "DOWN+NOT_RESPONDING")]  # fmt: skip
    assert [(g.count, g.state) for g in facts("20,mixed\n2,drained*\n")] == [
        (20, "MIXED"), (2, "DRAINED")]  # fmt: skip
    assert [(n.name, n.gpus) for n in facts("cpu-1 (null)\ngpu-1 gpu:8(S:0-1)\n")] == [
        ("cpu-1", 0), ("gpu-1", 8)]  # fmt: skip
    (node,) = facts(
        "alloc |1540000   |gpu-7  |28.08   |main*         |470792    |96/0/0/96      |173"
        "   |1539792        |gpu:a100:8|gpu:a100:3\n"
    )
    assert (node.name, node.state, node.gpus, node.gpus_used, node.cpus) == (
        "gpu-7", "ALLOCATED", 8, 3, 96)  # fmt: skip
    assert (node.partitions, node.memory_mib) == (("main",), None)
    (node,) = facts("gpu-7   163840   193000   16/0/0/16   mixed\n")
    assert (node.memory_allocated_mib, node.memory_mib, node.cpus) == (163840, 193000, 16)


def test_queues_that_exporters_ask_for():
    assert [(j.id, j.state) for j in facts("15,RUNNING\n16,NODE_FAIL\n")] == [
        ("15", "RUNNING"), ("16", "NODE_FAIL")]  # fmt: skip
    unnamed = parse(b"(null)|slurm|RUNNING|14\n(null)|slurm|PENDING|1\n", catalogue().probes)
    assert unnamed.unknown == "squeue: no column of these rows holds job ids"


def test_squeue_table():
    found = facts(
        "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
        "       70_[8-9%1]      main pretrain      ada PD       0:00      2 (JobArrayTaskLimit)\n"
        "                77     main pretrain      ada  R 1-02:03:04      2 gpu-[001-002]\n"
    )
    assert found == [
        SlurmJob("70_[8-9%1]", "PENDING", name="pretrain", user="ada", partition="main",
                 reason="JobArrayTaskLimit", nodes=2, run_time=0),
        SlurmJob("77", "RUNNING", name="pretrain", user="ada", partition="main", nodes=2,
                 node_list="gpu-[001-002]", run_time=93784),
    ]  # fmt: skip


def test_squeue_with_bars():
    (found,) = facts("JOBID|PARTITION|NAME|USER|STATE|TIME|NODES|NODELIST(REASON)\n"
                     "9|main|a b|ada|COMPLETING|4:59|1|gpu-001\n")  # fmt: skip
    assert (found.id, found.name, found.state, found.run_time) == ("9", "a b", "COMPLETING", 299)


def test_an_empty_queue_is_no_error_of_ours():
    found = parse(b"JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n", catalogue().probes)
    assert found.source == "squeue"
    assert not any(result.error for result in found.results)


@pytest.mark.parametrize("end", ["", "|"])
def test_parsable_sacct(end):
    head = "JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode|Elapsed|NodeList|AllocTRES"
    row = (
        "12_3|train|main|ml|448|CANCELLED by 1001|0:15|1-00:00:01|gpu-[001-002]|cpu=448,gres/gpu=16"
    )
    (found,) = facts(f"{head}{end}\n{row}{end}\n")
    assert found == SlurmAccountingRow(
        "12_3", "CANCELLED", name="train", account="ml", partition="main",
        node_list="gpu-[001-002]", cpus=448, gpus=16, elapsed=86401, exit_code="0:15",
        tres="cpu=448,gres/gpu=16",
    )  # fmt: skip


def test_sacct_table_cuts_columns_where_its_ruler_does():
    found = facts(
        "$ sacct -j 12\n"
        "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n"
        "------------ ---------- ---------- ---------- ---------- ---------- -------- \n"
        "12             my train       main         ml        448  COMPLETED      0:0 \n"
        "12.batch          batch                    ml        224 OUT_OF_ME+     0:125 \n"
    )
    assert [(f.id, f.name, f.partition, f.state) for f in found] == [
        ("12", "my train", "main", "COMPLETED"),
        ("12.batch", "batch", "", "OUT_OF_ME"),
    ]


def test_qos():
    (found,) = facts(
        "Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|MaxTRESPU|MaxWall|\n"
        "high|100|00:05:00|low,spot|requeue|DenyOnLimit,OverPartQOS|2.000000|gres/gpu=64|1-00:00:00|\n"
    )
    assert found == SlurmQos(
        "high", 100, ("DenyOnLimit", "OverPartQOS"), ("low", "spot"), "requeue", 2.0, 300.0,
        (("MaxTRESPU", "gres/gpu=64"), ("MaxWall", "1-00:00:00")),
    )  # fmt: skip


def test_sdiag_of_new_versions():
    statistics, *rpcs = facts(
        "*******************************************************\n"
        "sdiag output at Wed Mar 04 10:00:00 2026 (1772618400)\n"
        "Data since      Wed Mar 04 00:00:00 2026 (1772582400)\n"
        "*******************************************************\n"
        "Server thread count:  3\nRPC queue enabled:    0\nAgent queue size:     1\n"
        "Agent count:          2\nAgent thread count:   6\nDBD Agent queue size: 0\n\n"
        "Jobs submitted: 10\nJobs started:   9\nJobs completed: 8\nJobs canceled:  1\n"
        "Jobs failed:    0\n\nJob states ts:  Wed Mar 04 09:59:40 2026 (1772618380)\n"
        "Jobs pending:   4\nJobs running:   5\n\n"
        "Main schedule statistics (microseconds):\n\tLast cycle:   12\n\tMax cycle:    345\n"
        "\tTotal cycles: 6\n\tMean cycle:   78\n\tMean depth cycle:  9\n"
        "\tCycles per minute: 1\n\tLast queue length: 4\n\n"
        "Main scheduler exit:\n\tEnd of job queue: 6\n\n"
        "Backfilling stats (WARNING: data obtained in the middle of backfilling execution.)\n"
        "\tTotal backfilled jobs (since last slurm start): 3\n\tTotal cycles: 2\n"
        "\tLast cycle: 1000\n\tMax cycle:  2000\n\n"
        "Remote Procedure Call statistics by message type\n"
        "\tREQUEST_NODE_INFO                       ( 2007) count:66     ave_time:211"
        "    total_time:13960\n"
        "Remote Procedure Call statistics by user\n"
        "\troot            (       0) count:66     ave_time:211    total_time:13960\n\n"
        "Pending RPC statistics\n\tNo pending RPCs\n"
    )
    assert (statistics.agent_threads, statistics.pending, statistics.running) == (6, 4, 5)
    assert (statistics.cycle_max, statistics.cycles, statistics.backfill_cycles) == (345, 6, 2)
    assert (statistics.backfill_last, statistics.backfill_max) == (1000, 2000)
    assert statistics.at == "Wed Mar 04 10:00:00 2026"
    assert rpcs == [
        ControllerRpc("type", "REQUEST_NODE_INFO", 2007, 66, 211, 13960),
        ControllerRpc("user", "root", 0, 66, 211, 13960),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu:8", 8),
        ("gpu", 1),
        ("gpu:h100:8(S:0-1)", 8),
        ("gpu:h100:4(S:0),gpu:h100:4(S:1)", 8),
        ("gpu:1g.10gb:7,gpu:a100:1", 8),
        ("mps:200,nic:8", 0),
        ("(null)", 0),
        ("gpu:ampere:0(IDX:N/A)", 0),
        ("cpu=4,gres/gpu=16,gres/gpu:h100=16", 16),
        ("cpu=4,gres/gpu:h100=16", 16),
        ("cpu=4,gres/gpumem=80G", 0),
        (None, None),
    ],
)
def test_gpus_in_gres_and_tres(text, expected):
    assert gpus(text) == expected


def test_durations_and_states():
    assert [seconds(t) for t in ("2-03:41:40", "4:59", "30 sec", "5 min", "1-12", "INFINITE", "x")]\
        == [186100, 299, 30, 300, 129600, float("inf"), None]  # fmt: skip
    assert [minutes(t) for t in ("60", "1:00:00", "UNLIMITED", "NONE")] == [
        60,
        60,
        float("inf"),
        None,
    ]
    assert state("mix-") == ("MIXED", ("PLANNED",))
    assert state("DOWN*+DRAIN") == ("DOWN", ("NOT_RESPONDING", "DRAIN"))
    assert state("drained$") == ("DRAINED", ("DRAIN", "MAINTENANCE"))
    assert state("WARPED") == ("WARPED", ())


@pytest.mark.parametrize("tool", ["sinfo", "squeue", "sacct"])
def test_an_error_is_no_table(tool):
    found = parse(
        f"{tool}: error: Unable to contact slurm controller\n".encode(), catalogue().probes
    )
    assert "Unable to contact" in found.unknown
