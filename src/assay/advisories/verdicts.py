"""From answers to verdicts: one sentence for each thing, with its age when the data is stale."""

from collections.abc import Iterable, Iterator

from assay.advisories import advice, session
from assay.advisories.components import component
from assay.advisories.host import Host
from assay.advisories.matching import Answer, match
from assay.advisories.session import Session
from assay.model.advisory import Assessment, Installed, State, Upgrade
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity

MOST_NAMED = 4  # advisories named in a sentence; all of them are in `assay cve version --json`


def judge(things: Iterable[Installed], host: Host) -> Iterator[Verdict]:
    """A verdict for each of *things* that the database knows."""
    now = session.current()
    for thing in things:
        known = now.database.count(thing.component)
        if known or thing.component == "linux-kernel":
            yield verdict(now, match(now.database, thing, host), host)


def verdict(now: Session, answer: Answer, host: Host) -> Verdict:
    """What all advisories of one thing together mean."""
    subject = advice.name_of(answer.installed)
    if answer.unread:
        return unknown(subject, f"{answer.unread}; {now.age}")
    planned = advice.upgrade(now.database, answer, host)
    if planned is not None:
        return failed(subject, because(now, planned, answer), severity=_severity(planned, now))
    version = advice.shown_version(answer.installed)
    open_ones = answer.open
    if open_ones and not _kernel_cleared(answer):
        return unknown(subject, f"{version}: {_why_open(open_ones)}; {now.age}")
    if open_ones:
        words = f"{version} has the fixes that its builder's records here name"
        words += f" ({advice.verdict_words(answer)}); {len(open_ones)} more CVEs of upstream"
        words += f" cannot be judged without its builder's feed; {now.age}"
    else:
        words = f"{version}: {advice.cleared_words(answer)}; {now.age}"
    if now.stale or not (answer.clear or open_ones):
        return unknown(subject, words)
    return passed(subject, words)


def _kernel_cleared(answer: Answer) -> bool:
    """A distribution's kernel that has the fixes of all records of its own flavour.

    The upstream CVEs of which the distribution's record is not here are counted in the sentence.
    """
    own = [a for a in answer.assessments if a.advisory.component != "linux-kernel"]
    judged = [a for a in own if a.state in (State.FIXED, State.BACKPORTED)]
    return answer.installed.component == "linux-kernel" and bool(judged)


def _why_open(found: tuple[Assessment, ...]) -> str:
    """The commonest reason, how many have it, and the gravest of them by name."""
    reasons: dict[str, list[Assessment]] = {}
    for one in found:
        reasons.setdefault(_general(one.because), []).append(one)
    reason, ones = max(reasons.items(), key=lambda item: len(item[1]))
    state = "unassessed" if ones[0].state is State.UNASSESSED else "not told"
    words = f"{len(found)} advisories {state}: {reason} ({_named(ones)})"
    exploited = [a.advisory.id for a in found if a.advisory.exploited]
    return words + (f"; known exploited among them: {', '.join(exploited)}" if exploited else "")


def _general(because: str) -> str:
    return because.partition(";")[0]


def _named(found: Iterable[Assessment]) -> str:
    ids = [a.advisory.id for a in found]
    more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
    return ", ".join(ids[:MOST_NAMED]) + more


def _severity(planned: Upgrade, now: Session) -> Severity | None:
    """The worst of them; low while all of them are in their days of grace."""
    if not advice.overdue(planned.clears + planned.remain, now.today):
        return Severity.LOW
    return Severity.CRITICAL if planned.exploited else planned.severity


def because(now: Session, planned: Upgrade, answer: Answer) -> str:
    """The upgrade in one sentence: from, to, what it clears, since when, where to read more."""
    thing = planned.installed
    name = component(thing.component).name
    every = answer.affected
    worst = every[0].advisory
    words = [f"upgrade {name} from {advice.shown_version(thing)} to {planned.to}: clears"]
    if not planned.to:
        words = [f"{name} {advice.shown_version(thing)}: no version clears all of"]
    number = len(planned.clears) or len(every)
    words.append(f"{number} CVEs, of which {planned.exploited} known exploited")
    grade = planned.severity
    words.append(f"(worst {grade}):" if grade else "(no source grades them):")
    words.append(_headline(every[0], now))
    if len(every) > 1:
        words.append(f"also {_named(every[1:])};")
    if planned.to and planned.remain:
        words.append(f"{len(planned.remain)} stay, no release fixes them;")
    if open_ones := answer.open:
        words.append(f"{len(open_ones)} more {_general(open_ones[0].because)};")
    link = component(thing.component).upgrade
    words.append(f"see {worst.url}" + (f" and {link}" if link else ""))
    return " ".join(words) + f"; {now.age}"


def _headline(found: Assessment, now: Session) -> str:
    """The gravest advisory, when its fix shipped, and how much grace is left."""
    advisory = found.advisory
    title = f"{advisory.id} ({advisory.nickname or advisory.title}), {found.because}"
    if not advisory.published:
        return f"{title};"
    days = advice.grace_days(advisory)
    last = advice.due(advisory)
    left = f"{days} days of grace ended {last}" if last and last < now.today else f"grace to {last}"
    return f"{title}, shipped {advisory.published}, {left};"


def of_group(things: Iterable[Installed], group: str) -> list[Installed]:
    """Those of *things* whose component belongs to *group* ("runtime", "driver"...)."""
    return [thing for thing in things if component(thing.component).group == group]
