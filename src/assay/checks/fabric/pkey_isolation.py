"""On InfiniBand the P_Key is the tenant's fence; the default key has none."""

from collections.abc import Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

PKEYS = "/sys/class/infiniband/mlx5_0/ports/1/pkeys/"
DEFAULT_FULL = "0xffff"  # full membership in partition 0x7fff, which every port starts in
DEFAULT_LIMITED = "0x7fff"  # may talk to full members only: the subnet manager needs it
FULL = 0x8000


@check(
    "fabric.pkey-isolation",
    asks="Is the node kept apart from other tenants by an InfiniBand partition of its own?",
    severity=Severity.CRITICAL,
    why="A full member of the default partition reaches every other full member of the subnet, "
    "whoever rents it. Only on a fabric that one tenant owns whole is that no danger.",
    fix="Give each tenant a partition (full members of 0x8xxx), make the default partition "
    "limited (0x7fff) for hosts in partitions.conf or UFM, and let the subnet manager resweep.",
    see=[
        "https://docs.nvidia.com/networking/display/ufmenterpriseumv6156/appendix+%E2%80%93+sm+partitions-conf+file+format",
        "CWE-653",
    ],
    reproduce="grep -Hv 0x0000 /sys/class/infiniband/*/ports/*/pkeys/*",
    plants=[
        plant(
            Edit(rdma_sysfs.PKEYS.source, path=PKEYS + "1", new="0xffff\n"),
            name="the default key beside the tenant's own",
        ),
        plant(
            Edit(rdma_sysfs.PKEYS.source, path=PKEYS + "0", new="0xffff\n"),
            Edit(rdma_sysfs.PKEYS.source, path=PKEYS + "1", new="0x0000\n"),
            name="nothing but the default key",
        ),
        plant(
            Edit(rdma_sysfs.PKEYS.source, path=PKEYS + "97", new="0xffff\n"),
            name="the default key deep in the table",
        ),
    ],
)
def pkey_isolation(ports: Sequence[RdmaPort]) -> Iterator[Verdict]:
    """Read the P_Key table of every InfiniBand port."""
    for port in ports:
        if port.link_layer != "InfiniBand":
            continue  # a RoCE port always holds 0xffff and its fence is the VLAN
        keys = port.pkeys
        if keys is None:
            yield unknown(port.subject, "its P_Key table could not be read whole")
        elif not keys:
            yield unknown(port.subject, "its P_Key table is empty: no subnet manager filled it")
        elif DEFAULT_FULL in keys:
            yield _open(port, keys)
        elif own := [key for key in keys if int(key, 16) & FULL]:
            limited = " and the default partition as a limited member" * (DEFAULT_LIMITED in keys)
            yield passed(port.subject, f"full member of {', '.join(own)}{limited}")
        else:
            yield unknown(
                port.subject, f"limited member of {', '.join(keys)} only: no partition of its own"
            )


def _open(port: RdmaPort, keys: Sequence[str]) -> Verdict:
    others = [key for key in keys if key != DEFAULT_FULL]
    beside = f" beside {', '.join(others)}" if others else " and of no other partition"
    text = (
        f"full member of the default partition ({DEFAULT_FULL}){beside}, expected limited (0x7fff)"
    )
    if not parts.active(port):
        # a port that no subnet manager reached holds the factory's table
        return unknown(port.subject, f"{text}; but the port is {port.state or 'not active'}")
    return failed(port.subject, text)
