"""Which nodes a verb is about: options that `audit` and `plan` share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from assay.engine.target import Target

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

    @property
    def given(self) -> bool:
        """True when nodes were named."""
        return bool(self.ssh or self.hosts or self.inventory)

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
)


def where_options(function: F) -> F:
    """Give a verb the options that name nodes, handed over as one ``where``."""

    @wraps(function)
    def gathered(
        *args: Any,
        ssh: tuple[str, ...],
        hosts: Path | None,
        inventory: Path | None,
        group: str,
        **kwargs: Any,
    ) -> Any:
        return function(*args, where=Where(ssh, hosts, inventory, group), **kwargs)

    found: Any = gathered
    for option in reversed(OPTIONS):
        found = option(found)
    return cast(F, found)


def nodes_of(where: Where) -> "Target":
    """The target that *where* names; what makes no sense is a usage error."""
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
