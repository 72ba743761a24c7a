"""Which nodes a verb is about: options that `audit` and `plan` share."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from assay.engine.catalogue import Catalogue
    from assay.engine.target import Target
    from assay.kit.reading import Reading, Service

F = TypeVar("F", bound=Callable[..., Any])

SECONDS = 20.0  # for one machine, or a few
SECONDS_A_NODE = 0.1  # a login costs some 80 ms of processor here


@dataclass(frozen=True, slots=True)
class Where:
    """Nodes as the user named them; none of it means this machine."""

    ssh: tuple[str, ...] = ()
    hosts: Path | None = None
    inventory: Path | None = None
    group: str = ""
    slurm: bool = False
    partition: str = ""
    account: str = ""
    qos: str = ""
    reservation: str = ""
    gpus: int = 0

    @property
    def given(self) -> bool:
        """True when nodes were named."""
        return bool(self.ssh or self.hosts or self.inventory or self.slurm or self.group)

    def deadline(self, target: "Target") -> float:
        """Seconds for all of it when the user names none: they grow with the nodes."""
        return SECONDS + SECONDS_A_NODE * len(getattr(target, "nodes", ()))


HERE = Where()
OPTIONS = (
    click.option(
        "--ssh",
        multiple=True,
        metavar="NODES",
        help="Audit these over ssh: names, user@host:port, ranges as in gpu-[001-032].",
    ),
    click.option(
        "--hosts",
        type=click.Path(path_type=Path),
        help="Audit the hosts of this file over ssh, one a line.",
    ),
    click.option(
        "--inventory",
        type=click.Path(path_type=Path),
        help="Audit the hosts of this Ansible inventory (INI, or ansible-inventory --list).",
    ),
    click.option("--group", default="", help="Only this group of the inventory."),
    click.option("--slurm", is_flag=True, help="Audit every node of this Slurm cluster: one job."),
    click.option("--partition", default="", help="The job's partition."),
    click.option("--account", default="", help="The job's account."),
    click.option("--qos", default="", help="The job's quality of service."),
    click.option("--reservation", default="", help="The job's reservation."),
    click.option(
        "--gpus",
        default=0,
        metavar="N",
        help="GPUs that the job takes on each node; without, isolated devices are not looked at.",
    ),
)


def where_options(function: F) -> F:
    """Give a verb the options that name nodes, handed over as one ``where``."""

    @wraps(function)
    def gathered(*args: Any, **given: Any) -> Any:
        where = Where(**{field.name: given.pop(field.name) for field in fields(Where)})
        return function(*args, where=where, **given)

    found: Any = gathered
    for option in reversed(OPTIONS):
        found = option(found)
    return cast(F, found)


def readings_of(
    known: "Catalogue", recording: Path | None, where: Where, *, on_request: bool
) -> "tuple[Reading, ...]":
    """What is read there; whatever was recorded is looked at."""
    if recording is not None:
        return known.readings(on_request=True, saved=True)
    asked = services(where)
    return tuple(
        reading
        for reading in known.readings(on_request=on_request)
        if reading.service is None or reading.service in asked
    )


def services(where: Where) -> "set[Service]":
    """The services that are asked. Slurm is only asked where it is configured: without a
    configuration its programs look for a controller in the DNS."""
    import os

    from assay.kit.reading import Service
    from assay.targets.slurm_controller import configuration

    asked = set()
    if where.slurm or (not where.given and configuration(os.environ)):
        asked.add(Service.SLURM)
    return asked


def nodes_of(where: Where) -> "Target":
    """The target that *where* names; what makes no sense is a usage error."""
    if where.group and not where.inventory:
        raise click.UsageError("--group names a group of an --inventory")
    if where.slurm:
        if where.ssh or where.hosts or where.inventory:
            raise click.UsageError("--slurm asks every node of the cluster: name no others")
        return _slurm(where)
    import sys

    from assay.reports.nodeset import expand
    from assay.targets.hosts import Host, hosts, hosts_file
    from assay.targets.inventory import inventory
    from assay.targets.ssh import Ssh

    found: list[Host] = []
    try:
        found += hosts(name for given in where.ssh for name in expand(given))
        if where.hosts:
            found += hosts_file(where.hosts.read_text("utf-8", "replace"), expand)
        if where.inventory:
            known = inventory(
                where.inventory.read_text("utf-8", "replace"), where.group or "all", expand
            )
            found += known.hosts
            for ignored in known.ignored:
                print(f"assay: not heeded: {ignored}", file=sys.stderr)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if not found:
        raise click.UsageError("no node is named there")
    return Ssh(found)


def _slurm(where: Where) -> "Target":
    from assay.targets.slurm import Slurm
    from assay.targets.slurm_view import Terms

    try:
        terms = Terms(
            partition=where.partition,
            account=where.account,
            qos=where.qos,
            reservation=where.reservation,
            gpus=where.gpus,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return Slurm(terms)
