"""Nodes that differ from the rest of their cluster."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from assay.model.finding import HOST, Verdict
from assay.model.outcome import Outcome


def odd_nodes(said: Mapping[str, str], what: str) -> Iterator[Verdict]:
    """Fail the nodes of *said* that do not say what most of them say; "" says nothing.

    Without a majority nobody is odd: then every group fails, since they cannot all be right.
    """
    nodes: dict[str, list[str]] = defaultdict(list)
    for node, text in said.items():
        if text:
            nodes[text].append(node)
    total = sum(len(names) for names in nodes.values())
    if total < 2:
        return  # one node has nobody to compare with
    usual = max(nodes, key=lambda text: (len(nodes[text]), text))
    most = len(nodes[usual])
    majority = most * 2 > total
    for text, names in nodes.items():
        outcome = Outcome.PASS if majority and text == usual else Outcome.FAIL
        if outcome is Outcome.PASS:
            because = f"{what}: {text}, on {most} of {total} nodes"
        elif majority:
            because = f"{what}: {text}; {most} of {total} nodes have {usual}"
        else:
            because = f"{what}: {text}, on {len(names)} of {total} nodes; there is no majority"
        yield Verdict(outcome, HOST, because, nodes=tuple(names))
