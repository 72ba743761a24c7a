"""A status word that nobody lists never passes, wherever a fault of the catalogue has its word."""

import re
from dataclasses import replace
from itertools import takewhile

import pytest

from assay.demo.hosts import hosts
from assay.engine.catalogue import catalogue
from assay.engine.plants import prove
from assay.model.outcome import Outcome


def words_of_plants():
    """(check, host, edit) for every fault that is one word: with a word that nobody lists."""
    for check in catalogue().checks:
        for one in check.plants:
            edit = one.edits[0] if len(one.edits) == 1 else None
            strange = edit and _strange(edit)
            if strange:
                yield pytest.param(
                    check, replace(one, edits=(strange,)),
                    id=f"{check.id} {one.name}".strip(),
                    marks=_harmless(check.id, one.name),
                )  # fmt: skip


def _strange(edit):
    """*edit* with a word of no meaning in place of the word that is the fault; None if no word."""
    if not edit.old:
        whole = edit.path and re.fullmatch(r"[A-Za-z][A-Za-z-]*\n?", edit.new)
        return replace(edit, new="zorblax\n") if whole else None
    head = _common(edit.old, edit.new)
    tail = _common(edit.old[len(head) :][::-1], edit.new[len(head) :][::-1])[::-1]
    head, tail = re.sub(r"\w+$", "", head), re.sub(r"^\w+", "", tail)
    word = edit.new[len(head) : len(edit.new) - len(tail)]
    if not re.fullmatch(r"[A-Za-z][A-Za-z_ -]{0,29}", word):
        return None
    return replace(edit, new=f"{head}zorblax{tail}")


def _common(one, other):
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(a for a, _ in pairs)


# What the word stands for is no status: with another one there nothing is known to be wrong.
HARMLESS = {
    "security.sshd-options": "a directive that sshd does not know is none",
    "security.sshd-passwords": "a directive that sshd does not know is none",
    "security.access-control": "there is no such module",
    "gpu.none-lost one value is an error": "a reading without a number is the matter of idle-power",
}


def _harmless(check, name):
    for known in (check, f"{check} {name}"):
        if known in HARMLESS:
            return [pytest.mark.skip(reason=HARMLESS[known])]
    return []


@pytest.mark.parametrize(("check", "strange"), list(words_of_plants()))
def test_an_unlisted_status_word_never_passes(check, strange):
    (proof,) = prove([replace(check, plants=(strange,))], catalogue().probes, hosts())
    assert proof.sound is Outcome.PASS
    assert proof.planted in (Outcome.UNKNOWN, Outcome.FAIL), proof.because
