"""Live patches of the running kernel."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import command, files
from assay.kit.seen import Seen, Unread
from assay.model.facts.system import Livepatch
from assay.probes.kernel_values import by_folder, plain_lines

ROOT = "/sys/kernel/livepatch/"
PATCHES = files(ROOT + "*/enabled", name="livepatch")
CANONICAL = command(
    "canonical-livepatch", "status", on_request=True,
    looks_like=r"^[ \t]{0,64}(?:patch ?[sS]tate|kernel state|fully-patched):[^\n]*$",
)  # fmt: skip
KPATCH = command(
    "kpatch", "list", on_request=True, looks_like=r"^(?:Loaded|Installed) patch modules:$"
)
_APPLIED = re.compile(r"applied|all applicable livepatch modules (?:applied|inserted)")
_LINE = re.compile(r"\s*(?:- )?([A-Za-z][\w -]*):\s*(.*)")
_LOADED = re.compile(r"(\S+)(?: \[(enabled|disabled)\])?")


@probe("system.livepatch", reads=[PATCHES])
def livepatch(seen: Seen) -> Iterator[Livepatch]:
    """Live patches that the kernel has loaded."""
    for name, values in sorted(by_folder(seen.files(PATCHES), ROOT).items()):
        if values.get("enabled") in ("0", "1"):
            yield Livepatch(name, values["enabled"] == "1")


@probe("system.livepatch-services", reads=[CANONICAL, KPATCH])
def services(seen: Seen) -> Iterator[Livepatch]:
    """Live patches in the words of the services that bring them, when asked for."""
    if seen.capture(CANONICAL) is not None and not seen.absent(CANONICAL):
        yield _canonical(seen.text(CANONICAL))
    if seen.capture(KPATCH) is not None and not seen.absent(KPATCH):
        yield from _kpatch(seen.text(KPATCH))


def _canonical(text: str) -> Livepatch:
    said: dict[str, str] = {}
    for line in plain_lines(text):
        if found := _LINE.fullmatch(line):
            said.setdefault(found.group(1).lower().replace(" ", ""), found.group(2).strip(" ✓✗"))
    state = said.get("patchstate")
    if state is None:
        raise Unread("`canonical-livepatch status` tells no patch state")
    version = said.get("patchversion", said.get("version", "")).strip('"')
    return Livepatch(f"canonical-livepatch {version}".strip(), _APPLIED.match(state) is not None)


def _kpatch(text: str) -> Iterator[Livepatch]:
    section = ""
    for line in plain_lines(text):
        if line.endswith("patch modules:"):
            section = line.split()[0]
        elif section == "Loaded" and (found := _LOADED.fullmatch(line.strip())):
            yield Livepatch(found.group(1), found.group(2) != "disabled")
