"""A job of many ranks needs many sockets and files."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.limits import UNLIMITED, ResourceLimit
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.limits import LIMITS

ENOUGH = 65536  # systemd's own default hard limit is eight times that
ROW = "Max open files            "


@check(
    "system.open-files",
    asks="May a session open enough files and sockets?",
    severity=Severity.LOW,
    why="Data loaders and all-to-all connections of large jobs run into 'Too many open files'.",
    fix="Raise nofile in /etc/security/limits.d and LimitNOFILE of the services that start jobs.",
    see=["https://man7.org/linux/man-pages/man2/getrlimit.2.html"],
    reproduce="ulimit -Hn",
    plants=[
        plant(
            Edit(
                LIMITS.source,
                path="/proc/self/limits",
                old=ROW + "1048576              1048576",
                new=ROW + "1024                 4096   ",
            )
        ),
    ],
)
def open_files(limits: Sequence[ResourceLimit], devices: Sequence[PciDevice]) -> Iterator[Verdict]:
    """Read the hard limit: a process may raise its own soft limit up to it."""
    if not accelerators(devices):
        return
    limit = next((found for found in limits if found.name == "open files"), None)
    if limit is None:
        yield unknown(HOST, "the limit of open files was not read")
    elif limit.hard == UNLIMITED or limit.hard >= ENOUGH:
        hard = "unlimited" if limit.hard == UNLIMITED else f"{limit.hard}"
        yield passed(HOST, f"the hard limit of open files is {hard}")
    else:
        yield failed(HOST, f"the hard limit of open files is {limit.hard}, {ENOUGH} is wanted")
