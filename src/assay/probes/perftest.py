"""Point-to-point bandwidth: perftest (ib_write_bw and its family) and iperf3."""

import re
from collections.abc import Iterator, Mapping

from assay.kit.probe import probe
from assay.kit.quantity import integer, number
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.fabric import FabricBandwidth
from assay.model.facts.network import NetworkBandwidth
from assay.probes.pasted import clean, count, documents, real, words
from assay.probes.rdma_words import lines

PERFTEST = saved(
    "perftest",
    looks_like=r"^[ \t]*(?:RDMA_(?:Write|Read)|Send|Atomic|Raw\S*) [\w ]{0,60}"
    r"\b(?:BW|Lat\w*|Rate)\b[\w ]{0,60}Test.*$|^[ \t]*#bytes\s+#iterations\s+(?:BW|t_)\S*.*$",
)
IPERF3 = saved("iperf3", looks_like=r'^[ \t]*"version":\s*"iperf 3[^"]*".*$|"system_info":[^\n]*\n')

_TITLE = re.compile(
    r"^[ \t]*(RDMA_Write|RDMA_Read|Send|Atomic|Raw\S*)\b(.*?)\b(BW|Latency|Lat|Rate)\b(.*?)Test",
    re.MULTILINE,
)
_PAIRS = re.compile(
    r"(?<![\w.#-])([A-Za-z][\w.#-]*(?: [\w.#-]+){0,4})[ \t]{0,20}:[ \t]{0,20}(\S{1,200})"
)
# Printed when the buffers are in an accelerator's memory (--use_cuda, --use_rocm).
_GPU = re.compile(
    r"^[ \t]*initializing CUDA|allocated (?:GPU|ROCm) buffer|of GPU buffer"
    r"|^[ \t]*(?:Using|Picking) (?:ROCm|CUDA|GPU)[^\n]*device",
    re.MULTILINE | re.IGNORECASE,
)
# One unit of "MB/sec" is 2**20 bytes a second, one of "Gb/sec" is 10**9 bits (perftest sources).
_GBITS = {"MB/sec": 8 * 2**20 / 1e9, "Gb/sec": 1.0, "MiB/sec": 8 * 2**20 / 1e9}


@probe("fabric.bandwidth", reads=[PERFTEST])
def perftest(seen: Seen) -> Iterator[FabricBandwidth]:
    """Results of ib_write_bw, ib_read_bw, ib_send_bw and their latency tests."""
    if seen.capture(PERFTEST) is None:
        return
    test, about, columns = "", dict[str, str](), list[str]()
    found = set[FabricBandwidth]()
    text = clean(seen.text(PERFTEST))
    gpu = True if _GPU.search(text) else None
    for line in lines(text):
        if (title := _TITLE.match(line)) is not None:
            test, about, columns = _test(title), {}, []
        elif line.lstrip().startswith("#bytes"):
            columns = _columns(line)
        elif columns and re.match(r"\s*\d+\s+\d+\s", line):
            result = _result(test, about, columns, line.split(), gpu)
            # client and server of one run often stand in one file with equal lines
            if result is not None and result not in found:
                found.add(result)
                yield result
        else:
            about.update({k.strip().lower(): v for k, v in _PAIRS.findall(line)})
    if not found:
        raise Unread("perftest printed no result")


def _columns(line: str) -> list[str]:
    """Column names without the blanks inside them: "BW average[MB/sec]" is one name."""
    joined = re.sub(r"\s+percentile", "_percentile", line).replace("BW ", "BW_")
    return joined.replace("MsgRate Port", "MsgRate_Port").replace("tps average", "tps").split()


def _test(title: re.Match[str]) -> str:
    verb = title.group(1).lower().removeprefix("rdma_")
    kind = {"bw": "bw", "rate": "bw", "latency": "lat", "lat": "lat"}[title.group(3).lower()]
    both = "bidirectional" in (title.group(2) + title.group(4)).lower()
    return f"{verb}_{kind}" + (" bidirectional" if both else "")


def _result(
    test: str, about: Mapping[str, str], columns: list[str], cells: list[str], gpu: bool | None
) -> FabricBandwidth | None:
    said = dict(zip(columns, cells, strict=False))
    size, iterations = integer(said.get("#bytes")), integer(said.get("#iterations"))
    if size is None:
        return None
    average = next((name for name in columns if name.startswith("BW_average[")), "")
    unit = average.partition("[")[2].rstrip("]")
    value = number(said.get(average)) if average else None
    typical, mean = number(said.get("t_typical[usec]")), number(said.get("t_avg[usec]"))
    if value is None and typical is None and mean is None:
        return None
    factor = _GBITS.get(unit)
    peak = number(said.get(f"BW_peak[{unit}]"))
    return FabricBandwidth(
        test.removesuffix(" bidirectional"),
        about.get("device", ""),
        size,
        iterations,
        value=value,
        unit={"MB/sec": "MiB/s", "Gb/sec": "Gb/s"}.get(unit, unit),
        gbits=round(value * factor, 3) if value is not None and factor else None,
        peak=peak if peak else None,  # 0.00 is "not measured" in runs by duration
        typical_us=typical,
        average_us=mean,
        p99_us=number(said.get("99%_percentile[usec]")),
        link_type=about.get("link type", ""),
        mtu=integer(about.get("mtu", "").split("[")[0]),
        qps=integer(about.get("number of qps")),
        bidirectional="bidirectional" in test if test else None,
        gpu_direct=gpu,
    )


@probe("network.bandwidth", reads=[IPERF3])
def iperf3(seen: Seen) -> Iterator[NetworkBandwidth]:
    """Results of iperf3 -J."""
    if seen.capture(IPERF3) is None:
        return
    found = False
    for document in documents(clean(seen.text(IPERF3)), "iperf3"):
        if isinstance(document, dict) and (error := words(document.get("error"))):
            raise Unread(f"iperf3 failed: {error}")
        result = _iperf(document) if isinstance(document, dict) else None
        if result is not None:
            found = True
            yield result
    if not found:
        raise Unread("iperf3 printed no result")


def _part(value: object, *path: str) -> dict[str, object]:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _iperf(document: dict[str, object]) -> NetworkBandwidth | None:
    about = _part(document, "start", "test_start")
    end = _part(document, "end")
    # UDP has one "sum" (in newer versions also of the receiver), TCP has both ends
    total = _part(end, "sum_received") or _part(end, "sum")
    rate = real(total.get("bits_per_second"))
    if rate is None:
        return None
    reverse = count(about.get("reverse"))
    return NetworkBandwidth(
        "iperf3",
        words(about.get("protocol")).lower(),
        rate,
        seconds=real(total.get("seconds")),
        streams=count(about.get("num_streams")),
        retransmits=count(_part(end, "sum_sent").get("retransmits")),
        lost_percent=real(total.get("lost_percent")),
        reverse=None if reverse is None else bool(reverse),
    )
