"""What benchmarks print: values, units and circumstances."""

import json

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.benchmark import BenchmarkFigure, NcclTransport
from assay.model.facts.device import DeviceTest


def facts(text, source=""):
    found = parse(text.encode(), catalogue().probes)
    assert not found.unknown, found.unknown
    assert not source or found.source == source
    return [fact for result in found.results for fact in result.facts]


def figures(text, metric="", **at):
    return [
        (f.value, f.unit)
        for f in facts(text)
        if isinstance(f, BenchmarkFigure)
        and metric in ("", f.metric)
        and all((k, v) in f.at for k, v in at.items())
    ]


ALL_REDUCE = """\
$ mpirun -np 2 ./build/all_reduce_perf -b 8G -e 16G -f 2
# nThread 1 nGpus 1 minBytes 8589934592 maxBytes 17179869184 step: 2(factor) validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 311 on gpu-001 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 312 on gpu-002 device  1 [0000:43:00] NVIDIA H100 80GB HBM3
#
#                                                       out-of-place                 in-place
#       size         count   type redop root  time  algbw  busbw #wrong  time  algbw  busbw #wrong
#        (B)    (elements)                    (us) (GB/s) (GB/s)         (us) (GB/s) (GB/s)
gpu-001:311:399 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA
  8589934592    2147483648  float   sum   -1 32613 263.39 493.85      0 32580 263.66 494.36    N/A
 17179869184    4294967296  float   sum   -1 64613 265.89 498.55      3   N/A    N/A    N/A    N/A
# Out of bounds values : 3 FAILED
# Avg bus bandwidth    : 495.587
"""


def test_all_reduce():
    assert figures(ALL_REDUCE, "busbw", bytes="8589934592") == [(493.85, "GB/s"), (494.36, "GB/s")]
    assert figures(ALL_REDUCE, "time", place="in-place") == [(32580, "us")]
    assert figures(ALL_REDUCE, "wrong") == [(0, ""), (3, "")]
    assert figures(ALL_REDUCE, "average busbw", collective="all_reduce", ranks="2", hosts="2") == [
        (495.587, "GB/s")
    ]
    assert figures(ALL_REDUCE, "out of bounds") == [(3, "")]
    assert figures(ALL_REDUCE, "algbw", root="-1", op="sum", place="out-of-place") == [
        (263.39, "GB/s"), (265.89, "GB/s")]  # fmt: skip
    paths = [fact for fact in facts(ALL_REDUCE) if isinstance(fact, NcclTransport)]
    assert [path.transport for path in paths] == ["ib_gdr"]


def test_prefixes_of_launchers_and_windows_line_ends():
    tagged = "".join(f"[1,0]<stdout>:{line}\r\n" for line in ALL_REDUCE.splitlines())
    assert figures(tagged, "busbw") == figures(ALL_REDUCE, "busbw")
    labelled = "".join(f"0: {line}\n" for line in ALL_REDUCE.splitlines())
    assert figures(labelled, "busbw") == figures(ALL_REDUCE, "busbw")


def test_rows_without_operation_and_root():
    text = """\
# nThread 1 nGpus 8 minBytes 1 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 validation: 0
#       size         count   type redop   time  algbw  busbw  error   time  algbw  busbw  error
        1024            32  float         88.17   0.01   0.02    N/A  88.98   0.03   0.04    N/A
"""
    assert figures(text, place="out-of-place") == [(88.17, "us"), (0.01, "GB/s"), (0.02, "GB/s")]
    assert figures(text, place="in-place") == [(88.98, "us"), (0.03, "GB/s"), (0.04, "GB/s")]
    assert figures(text, "time", op="sum") == []


def test_two_collectives_in_one_file():
    second = ALL_REDUCE.replace("all_reduce", "all_gather").replace("493.85", "400.00")
    assert figures(ALL_REDUCE + second, "busbw", collective="all_gather",
                   bytes="8589934592")[0] == (400, "GB/s")  # fmt: skip
    assert len(figures(ALL_REDUCE + second, "average busbw")) == 2


def test_a_failed_launch_has_a_reason():
    text = ("# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor)\n"
            "gpu-001: Test NCCL failure all_reduce.cu:44 'unhandled system error'\n")  # fmt: skip
    assert "unhandled system error" in parse(text.encode(), catalogue().probes).unknown


def test_report_of_nccl_tests():
    report = {"devices": [{"hostname": "a"}, {"hostname": "a"}], "results": [
        {"size": 1024, "count": 256, "type": "float", "redop": "sum", "root": -1,
         "out_of_place": {"time": 20.5, "alg_bw": 1.5, "bus_bw": 2.5, "nwrong": 0}}],
        "average_bus_bandwidth": {"bandwidth": 2.5}, "out_of_bounds": {"count": 0}}  # fmt: skip
    text = json.dumps(report, indent=1)
    assert figures(text, "busbw", bytes="1024", ranks="2", hosts="1") == [(2.5, "GB/s")]
    assert figures(text, "average busbw") == [(2.5, "GB/s")]


NVBANDWIDTH = """\
nvbandwidth Version: v0.8
Built from Git version: v0.8

Device 0: NVIDIA H100 80GB HBM3 (00000000:1b:00)
Device 1: NVIDIA H100 80GB HBM3 (00000000:43:00)

Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     55.35     54.99

SUM host_to_device_memcpy_ce 110.34

Running device_to_device_memcpy_read_ce.
memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0       N/A    394.41
 1    394.68       N/A

SUM device_to_device_memcpy_read_ce 789.09

Running host_device_latency_sm.
memory latency SM CPU(row) <-> GPU(column) (ns)
           0         1
 0    772.58    770.01

SUM host_device_latency_sm 1542.59
"""


def test_nvbandwidth():
    found = facts(NVBANDWIDTH)
    assert found[:2] == [
        Accelerator("nvidia", 0, "NVIDIA H100 80GB HBM3", bdf="0000:1b:00.0"),
        Accelerator("nvidia", 1, "NVIDIA H100 80GB HBM3", bdf="0000:43:00.0"),
    ]
    peer = "device_to_device_memcpy_read_ce"
    assert figures(NVBANDWIDTH, peer, row="1", column="0") == [(394.68, "GB/s")]
    assert figures(NVBANDWIDTH, peer, row="0", column="0") == []
    assert figures(NVBANDWIDTH, peer, aggregate="sum") == [(789.09, "GB/s")]
    assert figures(NVBANDWIDTH, "host_device_latency_sm", column="1") == [(770.01, "ns")]


def test_report_of_nvbandwidth():
    text = json.dumps({"nvbandwidth": {"GPU Device list": [
        "0: NVIDIA H100 80GB HBM3 (00000000:1b:00)"], "testcases": [
        {"name": "host_to_device_memcpy_ce", "status": "Passed", "sum": 110.34,
         "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
         "bandwidth_matrix": [["55.35", "N/A"]]},
        {"name": "multinode_x", "status": "Waived"}]}}, indent=1)  # fmt: skip
    assert figures(text, "host_to_device_memcpy_ce") == [(55.35, "GB/s"), (110.34, "GB/s")]
    assert DeviceTest("nvbandwidth", "multinode_x", "", "Waived") in facts(text)


def test_gpu_burn_ends_with_its_verdicts():
    text = ("GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aa)\n"
            "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-bb)\n"
            "50.0%  proc'd: 10 (7150 Gflop/s) - 0 (0 Gflop/s)   errors: 0 - 0"
            "   temps: 38 C - -- C \r"
            "100.0%  proc'd: 30 (16942 Gflop/s) - 20 (17177 Gflop/s)   errors: 0 - 7 (WARNING!)"
            "   temps: 62 C - -- C \nKilling processes.. done\n\nTested 2 GPUs:\n\tGPU 0: OK\n"
            "\tGPU 1: FAULTY\n")  # fmt: skip
    found = facts(text, "gpu-burn")
    assert [(f.index, f.uuid) for f in found if isinstance(f, Accelerator)] == [
        (0, "GPU-aa"), (1, "GPU-bb")]  # fmt: skip
    assert figures(text, "compute") == [(16942, "Gflop/s"), (17177, "Gflop/s")]
    assert figures(text, "errors") == [(0, ""), (7, "")]
    assert figures(text, "temperature") == [(62, "C")]
    assert DeviceTest("gpu-burn", "burn", "gpu 1", "FAULTY") in found


def test_streams():
    text = ("STREAM Benchmark\nBuffer size(bytes): 4294967296\n\n"
            'Device 3: "NVIDIA H200"  132 SMs(9.0)  Memory: 3201MHz x 6144-bit = 4916 GB/s PEAK\n'
            "STREAM_TRIAD_double_gpu_3_buffer_4294967296_block_512    4310.25 87.67\n")  # fmt: skip
    assert figures(text, "bandwidth", gpu="3", kernel="triad", block="512") == [(4310.25, "GB/s")]
    assert figures(text, "share of peak") == [(87.67, "%")]
    assert figures(text, "peak") == [(4916, "GB/s")]
    babel = ("BabelStream\nVersion: 5.0\nImplementation: HIP\nPrecision: double\n"
             "Using HIP device AMD Instinct MI300X\nFunction    MBytes/sec  Min (sec)   Max\n"
             "Triad       4012345.678 0.00020     0.00021\n")  # fmt: skip
    assert figures(babel, "bandwidth", kernel="triad", implementation="HIP") == [
        (4012345.678, "MB/s")
    ]


def test_gpcnet():
    bar = "+----+----+----+----+\n"
    text = ("NetworkLoad Tests v1.3\n" + bar + "|  Isolated Network Tests  |\n" + bar +
            "| Name | Min | Max | Avg | Avg(Worst) | 99% | 99.9% | Units |\n" + bar +
            "| RR Two-sided Lat (8 B) | 1.2 | 9.5 | 2.1 | 2.2 | 3.3 | 4.4 | usec |\n" + bar +
            "| Network Tests running with Congestion Tests - Key Results |\n" + bar +
            "| Name | Congestion Impact Factor |\n" + bar + "| | Avg | 99% |\n" + bar +
            "| RR Two-sided Lat (8 B) | 1.5X | 2.0X |\n" + bar)  # fmt: skip
    lat = "RR Two-sided Lat"
    assert figures(text, lat, statistic="p99", section="Isolated Network Tests") == [(3.3, "usec")]
    assert figures(text, lat, statistic="avg", bytes="8") == [(2.1, "usec"), (1.5, "x")]


def test_rocm_bandwidth():
    table = ("Device:Device 74a1 Mem=192.0GB #CUs=304 Freq=2100Mhz  MallocMode=pinned\n"
             "       test        atts        units        median  mean    stddev  min     max\n"
             "   H2D_Bandwidth_pinned    1kB    GB/sec    0.0414  0.0411  0.0017  0.0189  0.0434\n"
             "         H2D_Timepinned +064By        ms    0.0245  0.0253  0.0240  0.0232  0.7821\n"
             )  # fmt: skip
    assert figures(table, "H2D_Bandwidth_pinned", bytes="1024", statistic="max") == [
        (0.0434, "GB/s")
    ]
    assert figures(table, "H2D_Timepinned", bytes="64", statistic="median") == [(0.0245, "ms")]
    pairs = ("          RocmBandwidthTest Version: 2.6.0\n\n          Device: 0,  AMD EPYC\n"
             "          Inter-Device Access\n\n          D/D       0         1\n\n"
             "          0         1         1\n\n"
             "          Unidirectional copy peak bandwidth GB/s\n\n"
             "          D/D       0           1\n\n          0         N/A         55.364\n\n"
             "          1         55.147      2112.419\n\n"
             "          Bidirectional copy peak bandwidth GB/s\n\n"
             "          D/D       0           1\n\n"
             "          0         N/A         98.489\n")  # fmt: skip
    assert figures(pairs) == [
        (55.364, "GB/s"),
        (55.147, "GB/s"),
        (2112.419, "GB/s"),
        (98.489, "GB/s"),
    ]
    assert figures(pairs, **{"from": "1", "to": "0"}) == [(55.147, "GB/s")]
    transfer = ("Unidirectional copy peak bandwidth GB/s [Local read / Remote write]"
                " (GPU-Executor: GFX)\n"
                " SRC+EXE\\DST    CPU 00       GPU 00    GPU 01\n"
                "  GPU 01  ->     55.59        57.41   2152.51\n")  # fmt: skip
    assert figures(transfer, to="GPU 01") == [(2152.51, "GB/s")]


def test_nccom():
    text = ("$ nccom-test -r 32 allg -b 1mb -e 1mb\n"
            "    size(B)    count(elems)    type    time:avg(us)    algbw(GB/s)    busbw(GB/s)\n"
            "    1048576          262144    fp32          312.4           3.36           3.25\n"
            "Avg bus bandwidth:    3.2511GB/s\n")  # fmt: skip
    assert figures(text, collective="all_gather", ranks="32") == [
        (312.4, "us"), (3.36, "GB/s"), (3.25, "GB/s"), (3.2511, "GB/s")]  # fmt: skip
    failed = text.replace(
        "262144    fp32          312.4           3.36           3.25", "Failure running"
    )
    assert [f.status for f in facts(failed) if isinstance(f, DeviceTest)] == ["Failed"]


def test_fio_of_version_3_and_2():
    job = {"jobname": "seq", "error": 0, "job options": {"rw": "read", "bs": "1M"}, "read": {
        "io_bytes": 1 << 30, "bw_bytes": 2000000000, "bw": 1953125, "iops": 1907.3, "total_ios": 9,
        "clat_ns": {"min": 1, "mean": 500000.5, "max": 3, "percentile": {"99.000000": 800000}}},
        "write": {"io_bytes": 0, "bw_bytes": 0, "iops": 0, "total_ios": 0}}  # fmt: skip
    text = json.dumps({"fio version": "fio-3.36", "global options": {"direct": "1"}, "jobs": [job]},
                      indent=1)  # fmt: skip
    assert figures(text, "bandwidth", direct="1", bs="1M", job="seq") == [(2e9, "B/s")]
    assert figures(text, "completion latency", statistic="p99") == [(800000, "ns")]
    assert figures(text, direction="write") == []
    old = {"jobname": "j", "error": 5, "read": {"bw": 1000, "iops": 250, "io_bytes": 4096,
           "clat": {"percentile": {"99.500000": 20}}}}  # fmt: skip
    text = "fio: this is a warning\n" + json.dumps(
        {"fio version": "fio-2.16", "jobs": [old]}, indent=1
    )
    assert figures(text, "bandwidth") == [(1024000, "B/s")]
    assert figures(text, "completion latency", statistic="p99.5") == [(20000, "ns")]
    assert DeviceTest("fio", "j", "", "Error 5") in facts(text)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("sample", "metric", "at", "expected"),
    [
        ("nvidia-nccl_tests-1", "busbw", {"bytes": "8589934592", "op": "sum"},
         [(235.26, "GB/s"), (235.03, "GB/s")]),
        ("nvidia-nccl_tests-1", "average busbw", {"ranks": "8"}, [(68.4048, "GB/s")]),
        ("nvidia-nccl_tests-2", "time", {"bytes": "4294967296"}, [(16860, "us"), (16678, "us")]),
        ("nvidia-nvbandwidth-1", "host_to_device_memcpy_ce", {"row": "1", "column": "2"},
         [(312.11, "GB/s")]),
        ("nvidia-nvbandwidth-1", "host_device_latency_sm", {}, [(772.58, "ns"), (772.58, "ns")]),
        ("nvidia-gpu_burn-1", "compute", {"gpu": "4"}, [(16890, "Gflop/s")]),
        ("nvidia-gpu_burn-1", "temperature", {"gpu": "7"}, [(61, "C")]),
        ("nvidia-gpu_stream-1", "bandwidth",
         {"kernel": "add", "gpu": "1", "block": "512"}, [(7310.80, "GB/s")]),
        ("nvidia-gpcnet-1", "Alltoall", {"statistic": "avg-worst",
                                         "section": "Isolated Congestion Tests"},
         [(10000, "MiB/s/rank")]),
        ("amd-rocm_bandwidth-1", "H2D_Bandwidth_pinned",
         {"bytes": str(262144 * 1024), "statistic": "median"}, [(25.328, "GB/s")]),
        ("amd-rocm_bandwidth-1", "H2D_Timepinned",
         {"bytes": str(524288 * 1024), "statistic": "max"}, [(22.0794, "ms")]),
        ("aws-nccom_test-2", "time", {"collective": "all_reduce"}, [(768, "us")]),
        ("linux-fio_json-1", "bandwidth", {"direction": "write"}, [(348450387, "B/s")]),
        ("linux-fio_json-1", "latency", {"direction": "read", "statistic": "p99.9"},
         [(3620864, "ns")]),
    ],
)  # fmt: skip
def test_corpus_figures(samples, sample, metric, at, expected):
    assert figures((samples / f"{sample}.txt").read_text(), metric, **at) == expected


@pytest.mark.corpus
def test_corpus_counts(samples):
    counts = {
        "nvidia-nccl_tests-1": 206, "nvidia-nccl_tests-2": 206, "nvidia-nvbandwidth-1": 36,
        "nvidia-gpu_burn-1": 24, "nvidia-gpu_stream-1": 66, "nvidia-gpcnet-1": 138,
        "amd-rocm_bandwidth-1": 230, "aws-nccom_test-2": 4, "linux-fio_json-1": 59,
    }  # fmt: skip
    for name, count in counts.items():
        assert len(figures((samples / f"{name}.txt").read_text())) == count, name
    (failed,) = facts((samples / "aws-nccom_test-4.txt").read_text())
    assert (failed.status, failed.test) == ("Failed", "all_reduce")
