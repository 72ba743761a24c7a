"""RoCE without congestion notification drops packets, and one drop resends a whole message."""

from collections.abc import Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.network import EthernetQos
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import ethernet_qos

ECN = "/sys/class/net/enp28s0np0/ecn/"


@check(
    "fabric.roce-congestion",
    asks="Is congestion notification on at both ends of the RoCE rails?",
    severity=Severity.HIGH,
    why="Under many-to-one traffic switches mark packets; an adapter that neither reports nor "
    "obeys the marks makes them drop or pause instead, and all-to-all collapses.",
    fix="Enable ECN for the RoCE priority on adapters (ecn/roce_np and roce_rp) and switches, "
    "with PFC as the last resort.",
    see=["https://datatracker.ietf.org/doc/html/rfc3168", "https://dl.acm.org/doi/10.1145/2785956.2787484"],
    reproduce="grep . /sys/class/net/*/ecn/roce_{np,rp}/enable/*; mlnx_qos -i INTERFACE",
    plants=[
        plant(
            Edit(ethernet_qos.ECN.source, path=f"{ECN}roce_rp/enable/3", new="0\n"),
            host="mi300x",
            name="the sender ignores the marks",
        )
    ],
)  # fmt: skip
def roce_congestion(ports: Sequence[RdmaPort], qos: Sequence[EthernetQos]) -> Iterator[Verdict]:
    """Look for a priority with notification and reaction on every RoCE rail."""
    known = {setting.interface: setting for setting in qos}
    for port in parts.rails(ports):
        if not port.roce or not parts.active(port):
            continue
        setting = known.get(port.netdev)
        if setting is None or setting.ecn_notify is None or setting.ecn_react is None:
            yield unknown(port.subject, "its driver does not show whether ECN and PFC are on")
        elif both := sorted({*setting.ecn_notify} & {*setting.ecn_react}):
            text = ", ".join(str(priority) for priority in both)
            yield passed(port.subject, f"ECN on at both ends for priority {text}")
        else:
            yield failed(
                port.subject,
                f"{port.netdev}: ECN notification on for priorities {_list(setting.ecn_notify)}, "
                f"reaction for {_list(setting.ecn_react)}; expected both for one",
            )


def _list(priorities: Sequence[int]) -> str:
    return ", ".join(str(priority) for priority in priorities) or "none"
