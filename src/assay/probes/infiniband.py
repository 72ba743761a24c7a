"""What infiniband-diags say about the subnet: topology, links, counters, keys."""

from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.seen import Seen
from assay.model.facts.fabric import (
    FabricLink,
    FabricNode,
    FabricPort,
    FabricPortCounters,
    MulticastGroup,
    PartitionTable,
    SubnetManager,
    SwitchStatus,
)
from assay.probes import ib_counters, ib_queries, ib_topology, ibswinfo


@probe("fabric.topology", reads=[ib_topology.IBNETDISCOVER, ib_topology.IBNODES])
def topology(seen: Seen) -> Iterator[FabricNode | FabricLink]:
    """Switches, adapters and cables, from a saved ibnetdiscover or ibnodes."""
    if seen.capture(ib_topology.IBNETDISCOVER) is not None:
        yield from ib_topology.ibnetdiscover(seen)
    elif seen.capture(ib_topology.IBNODES) is not None:
        yield from ib_topology.ibnodes(seen)


@probe("fabric.links", reads=[ib_topology.IBLINKINFO])
def links(seen: Seen) -> Iterator[FabricLink]:
    """Both ends of every cable with their state, from a saved iblinkinfo."""
    if seen.capture(ib_topology.IBLINKINFO) is not None:
        yield from ib_topology.iblinkinfo(seen)


@probe("fabric.port-counters", reads=[ib_counters.PERFQUERY, ib_counters.IBQUERYERRORS])
def port_counters(seen: Seen) -> Iterator[FabricPortCounters]:
    """Counters read over the subnet, from a saved perfquery or ibqueryerrors."""
    if seen.capture(ib_counters.PERFQUERY) is not None:
        yield from ib_counters.perfquery(seen)
    elif seen.capture(ib_counters.IBQUERYERRORS) is not None:
        yield from ib_counters.ibqueryerrors(seen)


@probe("fabric.port-security", reads=[ib_queries.PORTINFO])
def port_security(seen: Seen) -> Iterator[FabricPort]:
    """State and keys of ports, from a saved smpquery portinfo or saquery PortInfoRecord."""
    if seen.capture(ib_queries.PORTINFO) is not None:
        yield from ib_queries.portinfo(seen)


@probe("fabric.partitions", reads=[ib_queries.PKEYS, ib_queries.PKTR, ib_queries.GROUPS])
def partitions(seen: Seen) -> Iterator[PartitionTable | MulticastGroup]:
    """P_Key tables and multicast groups, from a saved smpquery or saquery."""
    if seen.capture(ib_queries.PKEYS) is not None:
        yield from ib_queries.pkeys(seen)
    elif seen.capture(ib_queries.PKTR) is not None:
        yield from ib_queries.pkey_records(seen)
    elif seen.capture(ib_queries.GROUPS) is not None:
        yield from ib_queries.groups(seen)


@probe("fabric.nodes", reads=[ib_queries.NODES])
def nodes(seen: Seen) -> Iterator[FabricNode]:
    """Nodes of the subnet, from a saved saquery or smpquery nodeinfo."""
    if seen.capture(ib_queries.NODES) is not None:
        yield from ib_queries.nodes(seen)


@probe("fabric.subnet-managers", reads=[ib_queries.SMINFO])
def subnet_managers(seen: Seen) -> Iterator[SubnetManager]:
    """The subnet manager, from a saved sminfo."""
    if seen.capture(ib_queries.SMINFO) is not None:
        yield from ib_queries.sminfo(seen)


@probe("fabric.switches", reads=[ibswinfo.IBSWINFO])
def switches(seen: Seen) -> Iterator[SwitchStatus]:
    """Power, fans and temperature of unmanaged switches, from a saved ibswinfo."""
    if seen.capture(ibswinfo.IBSWINFO) is not None:
        yield from ibswinfo.parse(seen)
