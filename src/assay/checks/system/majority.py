"""Nodes of one kind should be alike: what do most of them say, and which ones differ?"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.model.fact import Fleet
from assay.model.facts.dmi import Machine
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown

UNNAMED = "unnamed machine"


def products(machines: Fleet[Machine]) -> dict[str, str]:
    """Node -> the product that it is, as far as its firmware names one."""
    return {
        node: f"{group.facts[0].vendor} {group.facts[0].product}".strip() or UNNAMED
        for group in machines
        if group.facts
        for node in group.nodes
    }


def compared(said: Mapping[str, str], kinds: Mapping[str, str], what: str) -> Iterator[Verdict]:
    """One verdict for each kind of node: all alike, or those that differ from the rest.

    Without a majority nobody can say who is wrong, so all of them are named.
    """
    by_kind: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    named = {node for node, kind in kinds.items() if kind != UNNAMED}
    strays = tuple(said.keys() - named) if named else ()  # nobody knows whom they are like
    if strays:
        why = f"which product this is was not told, so its like are not known; {what}"
        for node in sorted(strays):
            yield replace(unknown(UNNAMED, f"{why} is {said[node]}"), nodes=(node,))
    for node, value in said.items():
        if node in strays:
            continue
        by_kind[kinds.get(node, UNNAMED)][value].append(node)
    for kind, groups in sorted(by_kind.items()):
        ranked = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
        total = sum(len(nodes) for nodes in groups.values())
        most, majority = ranked[0]
        if total == 1:
            alone = not_applicable(kind, "only one node of this kind")
            yield replace(alone, nodes=tuple(majority))
        elif len(ranked) == 1:
            alike = passed(kind, f"{what} is {most} on all {total}")
            yield replace(alike, nodes=tuple(majority))
        elif 2 * len(majority) > total:
            for value, nodes in ranked[1:]:
                why = f"{what} is {value}, {len(majority)} of {total} nodes have {most}"
                yield replace(failed(kind, why), nodes=tuple(nodes))
        else:
            split = ", ".join(f"{value} on {len(nodes)}" for value, nodes in ranked)
            everyone = tuple(node for _, nodes in ranked for node in nodes)
            yield replace(failed(kind, f"{what} differs: {split}"), nodes=everyone)
