"""What vendors' tools print when they cannot answer: never a value, always a fact of its own."""

import re

from assay.model.facts.accelerator import VendorToolError

# The first kind whose words are in the complaint; order matters (a missing driver also means
# that there are no devices).
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(words, re.IGNORECASE))
    for kind, words in (
        (
            "driver-library-mismatch",
            r"version mismatch|incompatible (?:driver|version)|not compatible with",
        ),
        (
            "driver-not-loaded",
            r"drivers? not (?:initialized|loaded)|not found in modules|dcmi module init\w* failed"
            r"|driver is not (?:loaded|running)|no neuron driver"
            r"|failed to (?:open|load).{0,20}driver"
            r"|/dev/(?:kfd|neuron\d*|davinci_manager)[^\n]{0,40}(?:no such|cannot|can't|not found)"
            r"|kfd[^\n]{0,20}(?:not exist|missing)|habanalabs[^\n]{0,30}not (?:loaded|found)",
        ),
        (
            "no-library",
            r"cannot open shared object|no module named|ModuleNotFoundError|ImportError"
            r"|lib(?:amd_smi|rocm_smi|tpu|hlml|dcmi|nrt)\S*[^\n]{0,40}(?:not found|missing|no such)"
            r"|incompatible environment",
        ),
        (
            "no-permission",
            r"permission denied|not permitted|required groups|operation not allowed|must be root"
            r"|insufficient permission|run as root",
        ),
        (
            "device-lost",
            r"device (?:is )?lost|fallen off|device is not accessible|device[^\n]{0,20}in reset",
        ),
        (
            "no-devices",
            r"no (?:\w+ ){0,3}(?:devices?|gpus?|chips?|cards?|aips?|npus?)\b[^\n]{0,20}"
            r"(?:found|detected|available|present|specified|$)"
            r"|unable to (?:get|detect)[^\n]{0,20}devices"
            r"|(?:can ?not|could not) find any|no \w+ devices?\b",
        ),
        (
            "other",
            r"traceback \(most recent|^\s*(?:\S+:)?\s*error\b|^ERROR|\bfailed\b|AMDSMI_STATUS_"
            r"|unrecognized arguments|invalid choice|\bexception\b|timed? ?out",
        ),
    )
)


def tool_error(
    vendor: str, tool: str, text: str, exit_code: int | None = None
) -> VendorToolError | None:
    """The error that *text* reports; None when it complains about nothing that we know."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for kind, pattern in _KINDS:
        for line in lines:
            if pattern.search(line):
                return VendorToolError(vendor, tool, kind, line[:300], exit_code or None)
    return None
