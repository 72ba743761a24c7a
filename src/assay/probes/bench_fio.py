"""Results of fio in JSON: bandwidth, operations and latency of every job and direction."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.benchmark import BenchmarkFigure
from assay.model.facts.device import DeviceTest
from assay.probes.pasted import clean, documents, real, words

FIO = saved(
    "fio",
    looks_like=r"\"fio version\"\s*:\s*\"fio-[^\n]*(?:\n[^\n]*){0,12}"
    r"|\"(?:clat_ns|slat_ns|bw_bytes|io_kbytes)\"\s*:[^\n]*(?:\n[^\n]*){0,6}",
)
TOOL = "fio"

_OPTIONS = ("rw", "bs", "iodepth", "numjobs", "ioengine", "direct", "size", "filename", "directory")
_KIB = 1024  # fio's "bw" is KiB/s, "bw_bytes" is bytes/s
# latency objects: nanoseconds since fio 3, microseconds before
_LATENCIES = (
    ("slat", "submission latency"), ("clat", "completion latency"), ("lat", "latency"),
)  # fmt: skip


@probe("benchmark.fio", reads=[FIO])
def fio(seen: Seen) -> Iterator[BenchmarkFigure | DeviceTest]:
    """Bandwidth in bytes/s, operations a second and latency percentiles in nanoseconds."""
    if seen.capture(FIO) is None:
        return
    found = False
    for document in documents(clean(seen.text(FIO)), "fio's output"):
        root = _map(document)
        shared = _map(root.get("global options"))
        # a job of client and server mode is under client_stats
        for job in _list(root.get("jobs")) + _list(root.get("client_stats")):
            for fact in _job(_map(job), shared):
                found = True
                yield fact
        for disk in (_map(one) for one in _list(root.get("disk_util"))):
            at = (("disk", words(disk.get("name"))),)
            yield from _figure("disk utilization", disk.get("util"), "%", at)
    if not found:
        raise Unread("fio reported no job")


def _job(
    job: Mapping[str, Any], shared: Mapping[str, Any]
) -> Iterator[BenchmarkFigure | DeviceTest]:
    name = words(job.get("jobname"))
    options = {**shared, **_map(job.get("job options"))}
    about = [("job", name), ("host", words(job.get("hostname")))]
    about += [(key, words(options.get(key))) for key in _OPTIONS]
    error = real(job.get("error"))
    if error:
        yield DeviceTest(TOOL, name, "", f"Error {error:.0f}")
    for direction in ("read", "write", "trim"):
        stats = _map(job.get(direction))
        if real(stats.get("total_ios")) or real(stats.get("io_bytes")) or real(stats.get("iops")):
            yield from _direction(stats, (("direction", direction), *about))


def _direction(
    stats: Mapping[str, Any], at: tuple[tuple[str, str], ...]
) -> Iterator[BenchmarkFigure]:
    speed, kib = real(stats.get("bw_bytes")), real(stats.get("bw"))
    if speed is None and kib is not None:
        speed = kib * _KIB
    yield from _figure("bandwidth", speed, "B/s", at)
    yield from _figure("iops", stats.get("iops"), "1/s", at)
    yield from _figure("transferred", stats.get("io_bytes"), "B", at)
    for key, metric in _LATENCIES:
        for suffix, factor in (("_ns", 1.0), ("_us", 1e3), ("", 1e3)):
            found = _map(stats.get(key + suffix))
            if not found:
                continue
            for part in ("min", "mean", "max"):
                yield from _figure(metric, found.get(part), "ns", at, part, factor)
            for percent, value in _map(found.get("percentile")).items():
                if re.fullmatch(r"\d+(?:\.\d+)?", percent):
                    yield from _figure(metric, value, "ns", at, f"p{float(percent):g}", factor)
            break


def _figure(
    metric: str,
    value: object,
    unit: str,
    at: tuple[tuple[str, str], ...],
    statistic: str = "",
    factor: float = 1.0,
) -> Iterator[BenchmarkFigure]:
    amount = real(value)
    if amount is not None:
        where = (*at, ("statistic", statistic))
        kept = tuple((k, v) for k, v in where if v)
        yield BenchmarkFigure(TOOL, metric, amount * factor, unit, kept)


def _map(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
