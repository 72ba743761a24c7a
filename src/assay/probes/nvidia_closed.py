"""The fields of nvidia-smi that hold one of a few words, and the words that nobody lists."""

from collections.abc import Iterator, Mapping

from assay.probes.nvidia_fields import FIELDS, REASONS
from assay.probes.nvidia_words import choice, enabled, fault, said, yes

_YES_OR_NO = (
    "remap_pending", "remap_failed", "retire_pending", "sram_threshold", "channel_repair",
    "tpc_repair", "unrepairable", "reset_required", "drain_and_reset",
)  # fmt: skip
_ON_OR_OFF = ("persistence", "ecc", "ecc_pending", "mig", "mig_pending", "c2c")


def strange(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Closed fields among the *values* of a GPU that hold a word that is not listed, and it."""
    for names, read in ((_YES_OR_NO, yes), (_ON_OR_OFF, enabled)):
        for name in names:
            for path in FIELDS[name]:
                word = values.get(path, "")
                if read(word) is None and not _silent(word):
                    yield path, word
    for paths in REASONS.values():
        for path in paths[:-1]:
            word = values.get(path, "")
            if choice(word, "active", "not active") is None and not _silent(word):
                yield path, word


def _silent(word: str) -> bool:
    """True for refusals, which are no value, and faults, which are told as such."""
    return not said(word) or bool(fault(word))
