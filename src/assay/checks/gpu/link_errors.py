"""A scale-up link that retries, retrains or drops packets is on its way down."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import ScaleUpLink
from assay.model.facts.nvidia import NvlinkErrors
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_nvlink import ERRORS

# Counters of `nvidia-smi nvlink -e` by how bad one count is: links up to NVLink 4 first, then the
# names that NVLink 5 brought. Other names count traffic, clean codewords or corrected symbols.
GRAVE = ("link recovery failed events",)
BAD = ("recovery errors", "total link recovery events", "link recovery successful events",
       "malformed packet errors", "buffer overrun errors", "rx errors", "rx general errors",
       "local link integrity errors", "tx discards")  # fmt: skip
MINOR = ("replay errors", "crc errors", "crc flit errors", "crc data errors", "rx remote errors",
         "effective errors")  # fmt: skip
MOST_NAMED = 4  # links in one finding


@check(
    "gpu.link-errors",
    asks="Have the scale-up links (NVLink, xGMI) worked without errors since their counters began?",
    severity=Severity.MEDIUM,
    why="Replays and CRC errors cost bandwidth; a recovery stalls every job that uses the link, "
    "and a link that recovers often goes down one day.",
    fix="Compare with the kernel log (Xid 74); reset the GPUs of the node together, and replace "
    "the board or cable whose counters grow again.",
    see=["https://docs.nvidia.com/deploy/nvidia-smi/index.html",
         "https://docs.nvidia.com/deploy/xid-errors/index.html",
         "https://facebookresearch.github.io/gcm/docs/GCM_Health_Checks/health_checks/check-dcgmi/nvlink"],
    reproduce="nvidia-smi nvlink -e",
    plants=[
        plant(Edit(ERRORS.source, old="Link 3: Recovery Errors: 0",
                   new="Link 3: Recovery Errors: 7"), name="recoveries"),
        plant(Edit(ERRORS.source, old="Link 11: CRC Errors: 0", new="Link 11: CRC Errors: 51200"),
              name="CRC errors"),
    ],
)  # fmt: skip
def link_errors(
    links: Sequence[ScaleUpLink], counters: Sequence[NvlinkErrors] | None
) -> Iterator[Verdict]:
    """One verdict for each accelerator; a sound link counts no error at all."""
    told: dict[tuple[str, int], dict[int, dict[str, int]]] = defaultdict(dict)
    silent: set[tuple[str, int]] = set()
    for link in links:
        counts = {"replay errors": link.replays, "recovery errors": link.recoveries,
                  "crc errors": link.crc_errors}  # fmt: skip
        known = {name: count for name, count in counts.items() if count is not None}
        if known:
            told[link.vendor, link.index][link.link] = known
        else:
            silent.add((link.vendor, link.index))
    for one in counters or ():
        told["nvidia", one.index][one.link] = dict(one.counters)
    for device, by_link in sorted(told.items()):
        yield _judge(f"gpu {device[1]}", by_link)
    for vendor, index in sorted(silent - told.keys()):
        if vendor == "nvidia":
            yield unknown(f"gpu {index}", "nothing tells the error counters of its links")


def _judge(subject: str, by_link: dict[int, dict[str, int]]) -> Verdict:
    known = (*GRAVE, *BAD, *MINOR)
    errors = {link: {n: c for n, c in counts.items() if c and n in known}
              for link, counts in sorted(by_link.items())}  # fmt: skip
    erring = {link: counts for link, counts in errors.items() if counts}
    if not any(name in known for counts in by_link.values() for name in counts):
        return unknown(subject, "its links have no error counter that is known here")
    if not erring:
        return passed(subject, f"no errors on {len(by_link)} links")
    named = [
        f"link {link}: " + ", ".join(f"{count} {name}" for name, count in counts.items())
        for link, counts in erring.items()
    ]
    more = f" and {len(named) - MOST_NAMED} links more" if len(named) > MOST_NAMED else ""
    names = {name for counts in erring.values() for name in counts}
    severity = None
    if names.intersection(GRAVE):
        severity = Severity.HIGH
    elif not names.intersection(BAD):
        severity = Severity.LOW
    return failed(subject, "; ".join(named[:MOST_NAMED]) + more, severity=severity)
