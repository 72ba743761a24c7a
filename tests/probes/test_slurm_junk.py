"""Whatever is left of an output of Slurm or of a benchmark: facts or a reason, never a bug."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.understand import understand
from assay.model.evidence import Capture, Evidence

MINE = re.compile(r"(slurm|benchmark)\.|system\.hostname")
PROBES = [probe for probe in catalogue().probes if MINE.match(probe.id)]
SAMPLES = {
    "scontrol-show-job": "JobId=1 JobName=a\n   JobState=RUNNING NumNodes=1-2\n   TRES=cpu=1\n",
    "sinfo": "PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\nmain* up infinite 2 idle n[1-2]\n"
    "n1 | gpu:8 | gpu:8(IDX:0-7) | 256 | 0/256/0/256 | idle | main\n",
    "squeue": "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n1 main a b PD 0:00 1 (x)\n"
    "N/A|#1|#45|#45|#bash|#RUNNING|#u|#cpu=2,node=1,gres/gpu=2|#n1\n",
    "sacct": "JobID|JobName|State|Elapsed|AllocTRES\n1|a|COMPLETED|1-00:00:00|gres/gpu=2\n",
    "sacctmgr-qos": "Name|Priority|GraceTime|Flags\nhigh|10|00:00:00|A\n",
    "sdiag": "sdiag output at x\nJobs submitted: 1\nMain schedule statistics\n\tLast cycle: 2\n"
    "Remote Procedure Call statistics by user\n\troot ( 0) count:1 ave_time:2 total_time:3\n",
    "slurm-json": '{"nodes": [{"name": "n", "state": ["IDLE"], "cpus": {"set": true, "infinite": '
    'false, "number": 1}}], "jobs": [{"job_id": 1, "job_state": "R", "exit_code": {"signal": {}}}, '
    '{"job_id": 2, "state": {"current": "X"}, "tres": {"allocated": [{"type": "a", "count": 1}]}}],'
    ' "statistics": {"req_time": 1, "rpcs_by_user": [{"user": "a"}]}, "sinfo": [{"node": {"state":'
    ' ["A"]}}], "partitions": [{"name": "p", "maximums": {"time": 1}}], "qos": [{"name": "q"}]}',
    "nccl-tests": "# nThread 1 nGpus 1\n# size count type redop root time algbw busbw #wrong time "
    "algbw busbw #wrong\n 8 2 float sum -1 1 2 3 0 4 5 6 0\n# Avg bus bandwidth : 3\n",
    "nccl-log": "a:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE\n"
    "a:1:2 [0] NCCL INFO Channel 0 : 0[0] -> 1[1] via NET/IB/0/GDRDMA\n",
    "nvbandwidth": "nvbandwidth Version: v0.8\nDevice 0: NVIDIA X (00000000:1b:00)\n"
    "Running a_ce.\nmemcpy bandwidth (GB/s)\n 0 1\n 0 1.0 N/A\nSUM a_ce 1.0\n",
    "gpu-burn": "GPU 0: X (UUID: GPU-a)\n1.0%  proc'd: 1 (2 Gflop/s)   errors: 0   temps: 3 C \n"
    "Tested 1 GPUs:\n\tGPU 0: OK\n",
    "gpu-stream": "STREAM Benchmark\nSTREAM_ADD_double_gpu_0_buffer_1_block_2 3.0 4.0\n",
    "gpcnet": "Network Tests v1.3\n| T |\n| Name | Min | Units |\n| A (8 B) | 1.0 | usec |\n",
    "rocm-bandwidth": "test atts units median mean\nH2D 1kB GB/sec 1.0 2.0\n"
    "Unidirectional copy peak bandwidth GB/s\nD/D 0 1\n0 N/A 2.0\n",
    "nccom-test": "nccom-test -r 2 allr\nsize(B) count(elems) type time(us)\n 8 2 fp32 3\n"
    " 8 Failure x\n",
    "fio": '{"fio version": "fio-3", "jobs": [{"jobname": "a", "error": 1, "job options": {},'
    ' "read": {"bw": 1, "iops": 2, "io_bytes": 3, "clat_ns": {"percentile": {"99.0": 4}}}}],'
    ' "disk_util": [{"name": "a", "util": 1}]}',
}


def readings():
    sound = host("hgx-h100").captures
    for probe in PROBES:
        for reading in probe.reads:
            text = SAMPLES.get(reading.name)
            capture = sound.get(reading.source)
            data = text.encode() if text is not None else capture.data if capture else b""
            yield pytest.param(probe, reading, data[:6000], id=f"{probe.id}-{reading.name}")


def survives(probe, reading, data):
    understood = understand(
        probe, Evidence("n", {reading.source: Capture(reading.source, data, exit_code=0)})
    )
    assert understood.error is None, f"{data!r}: {understood.error.traceback}"
    return understood


@pytest.mark.parametrize(("probe", "reading", "data"), list(readings()))
def test_whole_and_cut_anywhere(probe, reading, data):
    assert data, f"no sample of {reading.name}"
    assert survives(probe, reading, data).facts
    step = max(1, len(data) // 300)
    for end in range(0, len(data), step):
        survives(probe, reading, data[:end])
        survives(probe, reading, data[end:])


@pytest.mark.parametrize(("probe", "reading", "data"), list(readings()))
@settings(max_examples=25, deadline=None)
@given(
    place=st.floats(0, 1),
    junk=st.binary(max_size=12)
    | st.sampled_from([b"N/A", b"null", b"[]", b"{}", b"9" * 400, b"\n", b"1e999", b"-1", b"nan"]),
    length=st.integers(0, 8),
)
def test_random_edits(probe, reading, data, place, junk, length):
    at = int(place * len(data))
    survives(probe, reading, data[:at] + junk + data[at + length :])


@pytest.mark.parametrize(("probe", "reading", "data"), list(readings()))
@pytest.mark.parametrize(
    "junk", [b"", b"\x00\xff\xfe", b"Permission denied\n", b"[]", b"{}", b"9" * 5000]
)
def test_junk_gives_no_fact(probe, reading, data, junk):
    del data
    assert not survives(probe, reading, junk).facts
