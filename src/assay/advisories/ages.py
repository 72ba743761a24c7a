"""Verdicts about the end of life of one branch."""

from collections.abc import Sequence

from assay.advisories import session
from assay.advisories.currency import embedded, ended, ending
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity


def verdict(
    product: str, shown: str, branch: str, cycles: Sequence[str], *, subject: str = HOST
) -> Verdict:
    """Ended is a failure, ending within a quarter a low one, not listed is unknown."""
    known, today = embedded(), session.current().today
    cycle = known.find(product, *cycles)
    if cycle is None:
        why = f"{shown}: no end of life is known for {branch} (table of {known.as_of})"
        return unknown(subject, why)
    if ended(cycle, today):
        alive = ", ".join(c.cycle for c in known.living(product, today)[-3:])
        instead = f"; supported are {alive}" if alive else ""
        why = f"{shown}: {cycle.cycle} gets no fixes since {cycle.ends}{instead} ({cycle.source})"
        return failed(subject, why)
    if ending(cycle, today):
        why = f"{shown}: {cycle.cycle} gets fixes only until {cycle.ends} ({cycle.source})"
        return failed(subject, why, severity=Severity.LOW)
    until = f"until {cycle.ends}" if cycle.ends else f"as of {known.as_of}, no end is announced"
    return passed(subject, f"{shown}: {cycle.cycle} gets fixes {until}")
