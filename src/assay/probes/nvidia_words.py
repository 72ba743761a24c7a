"""The words of NVIDIA's tools: errors in place of values, yes and no, active reasons."""

import re
from collections.abc import Iterable, Iterator

from assay.model.facts.accelerator import VendorToolError
from assay.probes.pasted import bdf

VENDOR = "nvidia"
TOOL = "nvidia-smi"

# What NVML prints in place of a value when the GPU, not the question, is at fault.
FAULTS = {
    "err!": "ERR!",
    "gpu is lost": "GPU is lost",
    "unknown error": "Unknown Error",
    "gpu requires reset": "GPU requires reset",
    "reset required": "GPU requires reset",
    "timeout": "Timeout",
}
# ... and when it has no value to give.
_SILENT = {
    "", "n/a", "none", "-", "not supported", "unknown",
    "requested functionality has been deprecated",
    "insufficient permissions", "not available", "function not found", "not found",
    "in use by another client", "redacted",
}  # fmt: skip
_DEVICE = re.compile(r"((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", re.IGNORECASE)
_NUMBER = re.compile(r"GPU ?(\d{1,3}):")
_VERSION = re.compile(r"\d+(?:\.\d+)+")
# The first kind whose words are in the line; a missing driver comes before missing devices.
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(words, re.IGNORECASE))
    for kind, words in (
        ("driver-library-mismatch", r"driver/library version mismatch"),
        (
            "driver-not-loaded",
            r"couldn't communicate with the nvidia driver|nvml: driver not loaded"
            r"|nvidia driver is not loaded|driver is not running",
        ),
        (
            "no-library",
            r"couldn't find (?:the )?lib\w+|libnvidia-ml\S*[^\n]{0,40}"
            r"(?:not found|cannot open|no such)|nvml shared library (?:couldn't|could not|was not)"
            r"|nvml: (?:NVML )?(?:shared )?library not found",
        ),
        (
            "device-lost",
            r"unable to determine the device handle|gpu is lost|fallen off the bus"
            r"|gpu access lost|unable to (?:get|query)[^\n]{0,40}handle",
        ),
        (
            "no-permission",
            r"insufficient permissions|gpu access blocked by the operating system"
            r"|nvml: (?:no permission|operation not permitted)|permission denied",
        ),
        (
            "no-devices",
            r"no devices were found|no devices found|no supported devices|no gpus? found",
        ),
        (
            "other",
            r"failed to initialize nvml|infoROM is corrupted|power cables?[^\n]{0,60}not"
            r"|nvidia-smi has failed|^error: |gpu requires reset|unable to (?:get|find|query)"
            r"|interrupt issue|nvidia-smi: (?:command )?not found",
        ),
    )
)
NO_DEVICES = 6  # exit code of "No devices were found"
MOST = 64  # distinct complaints kept of one answer
# Return codes of nvidia-smi's manual that say what is wrong by themselves.
_EXITS = {4: "no-permission", 9: "driver-not-loaded", 12: "no-library", 15: "device-lost"}


def errors(text: str, exit_code: int | None = None, tool: str = TOOL) -> Iterator[VendorToolError]:
    """Every line of *text* in which the tool complains; each once.

    An exit code that means a fault gives one even when no line is known.
    """
    found: dict[tuple[str, str], VendorToolError] = {}
    for line in (part.strip() for part in text.splitlines()):
        kind = next((kind for kind, words in _KINDS if words.search(line)), "")
        if kind and len(found) < MOST:
            device = _DEVICE.search(line)
            where = bdf(device.group(1)) if device else ""
            found.setdefault(
                (kind, where),
                VendorToolError(VENDOR, tool, kind, line[:300], exit_code or None, where),
            )
    if not found and exit_code in _EXITS:
        message = next((part.strip() for part in text.splitlines() if part.strip()), "")
        yield VendorToolError(
            VENDOR, tool, _EXITS[exit_code], message[:300] or f"exited with {exit_code}", exit_code
        )
    yield from found.values()


def no_devices(text: str) -> bool:
    """True when the tool looked and there is no GPU: that is an answer."""
    return [error.kind for error in errors(text)] == ["no-devices"]


def lost_number(message: str) -> int | None:
    """The number of the GPU that *message* is about ("... handle for GPU1: 0000:34:00.0: ...")."""
    found = _NUMBER.search(message)
    return int(found.group(1)) if found else None


def version(word: object) -> str:
    """The version that *word* begins with; driver 610 appends a note on its deprecation."""
    found = _VERSION.match(word.strip()) if isinstance(word, str) else None
    return found.group() if found else ""


def cut_out(text: str, start: str, end: str) -> tuple[list[str], str]:
    """Every part of *text* from *start* to *end*, both included, and what is left without them."""
    inside, outside, at = [], [], 0
    while (first := text.find(start, at)) >= 0:
        last = text.find(end, first)
        if last < 0:
            break
        outside.append(text[at:first])
        at = last + len(end)
        inside.append(text[first:at])
    return inside, "".join([*outside, text[at:]])


def bare(word: object) -> str:
    """*word* without blanks and the brackets in which NVML's refusals come."""
    text = word.strip() if isinstance(word, str) else ""
    return text[1:-1].strip() if text.startswith("[") and text.endswith("]") else text


def fault(word: object) -> str:
    """The fault that *word* stands for, in its usual spelling; "" when it is none."""
    return FAULTS.get(bare(word).lower(), "")


def said(word: object) -> str:
    """A text value; "" for refusals, faults and whatever means that there is none."""
    text = bare(word)
    return "" if text.lower() in _SILENT or text.lower() in FAULTS else text


def choice(word: object, yes: str, no: str) -> bool | None:
    """True for *yes*, False for *no*; an unlisted word is None."""
    text = bare(word).lower()
    return True if text == yes else False if text == no else None


def yes(word: object) -> bool | None:
    """Yes or No; some queries print 1 or 0."""
    found = choice(word, "yes", "no")
    return choice(word, "1", "0") if found is None else found


def enabled(word: object) -> bool | None:
    """Enabled or Disabled, On or Off."""
    found = choice(word, "enabled", "disabled")
    return choice(word, "on", "off") if found is None else found


def partition(word: object) -> str:
    """MIG mode in the house words."""
    return {True: "enabled", False: "disabled", None: ""}[enabled(word)]


def active(reasons: Iterable[tuple[str, object]]) -> tuple[str, ...] | None:
    """Names of clock-event reasons that are active, idling left out.

    None when no reason was told, and when none is active but some word is not understood.
    """
    names: list[str] = []
    told, strange = False, False
    for name, word in reasons:
        state = choice(word, "active", "not active")
        if state is None:
            strange = strange or bool(said(word)) or bool(fault(word))
        else:
            told = True
            if state and name not in ("gpu_idle", "idle", "none"):
                names.append(name)
    return tuple(names) if names or (told and not strange) else None
