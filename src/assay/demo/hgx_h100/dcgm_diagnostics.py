"""The last ``dcgmi diag -r 1`` of the node, as somebody saved it: every test passed."""

from collections.abc import Iterator

from assay.demo.hgx_h100.host_linux import NVIDIA as DRIVER
from assay.demo.hosts import answer
from assay.model.evidence import Capture
from assay.probes import nvidia_dcgm_diag

VERSION = "4.5.3"
TESTS = (
    "Denylist", "NVML Library", "CUDA Main Library", "Permissions and OS Blocks",
    "Persistence Mode", "Environment Variables", "Page Retirement/Row Remap",
    "Graphics Processes", "Inforom",
)  # fmt: skip
_RULE = "+---------------------------+------------------------------------------------+\n"


def captures() -> Iterator[Capture]:
    """Never read from nodes: a diagnostic loads the GPUs."""
    yield answer(nvidia_dcgm_diag.DIAG, _table())


def _row(name: str, result: str) -> str:
    return f"| {name:<25} | {result:<46} |\n"


def _part(title: str) -> str:
    return f"|-----  {title}  ".ljust(28, "-") + "+" + "-" * 48 + "|\n"


def _table() -> str:
    return "".join(
        (
            "Successfully ran diagnostic for group.\n",
            _RULE,
            _row("Diagnostic", "Result"),
            _RULE.replace("-", "="),
            _part("Metadata"),
            _row("DCGM Version", VERSION),
            _row("Driver Version Detected", DRIVER),
            _row("GPU Device IDs Detected", ", ".join(["2330"] * 8)),
            _part("Deployment"),
            *(_row(test, "Pass") for test in TESTS),
            _RULE,
        )
    )
