"""What does `assay audit` cost on this machine, and what does the public peer's audit cost?

    .venv/bin/python benchmarks/audit.py            ours alone, against bare Python start-up
    .venv/bin/python benchmarks/audit.py --peer     and the peer, installed into its own venv

The peer (PyPI `clustermax`) runs its read-only security profile for standalone hosts, in a network
namespace without a network where the kernel allows it, with an empty home folder. Runs alternate
(ours, theirs, ours, ...), so that a slow moment of the machine hits both; medians are printed.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

PEER = "clustermax==0.3.1.dev2026102765"
SOURCE = Path(__file__).parents[1] / "src" / "assay"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "assay" / "peer-venv"


@dataclass(frozen=True)
class Cost:
    wall: float  # seconds
    cpu: float  # seconds of this process and all that it started


def measure(command: Sequence[str], environment: dict[str, str], folder: Path) -> Cost:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    subprocess.run(
        command,
        check=False,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=120,
    )
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu)


def peer_command() -> list[str]:
    executable = CACHE / "bin" / "cmax"
    if not executable.exists():
        print(f"installing {PEER} into {CACHE}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(CACHE)], check=True)
        pip = [str(CACHE / "bin" / "python"), "-m", "pip", "install", "--quiet", PEER]
        subprocess.run(pip, check=True)
    command = [str(executable), "audit", "security", "--standalone", "--yes"]
    unshare = shutil.which("unshare")
    isolated = [unshare, "--net", "--map-root-user"] if unshare else []
    if isolated and subprocess.run([*isolated, "true"], check=False).returncode == 0:
        return isolated + command
    return command


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--peer", action="store_true", help="install and run the peer as well")
    options.add_argument("-n", "--runs", type=int, default=7)
    given = options.parse_args()
    ours = [str(Path(sys.executable).with_name("assay")), "audit", "--quiet"]
    sides: dict[str, Callable[[], list[str]]] = {
        "bare python": lambda: [sys.executable, "-c", "pass"],
        "assay audit": lambda: ours,
    }
    if given.peer:
        peer = peer_command()
        sides["peer security"] = lambda: peer
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(SOURCE)], check=False)
        environment = {**os.environ, "HOME": scratch, "XDG_STATE_HOME": f"{scratch}/state"}
        for run in range(given.runs + 1):
            for name, command in sides.items():
                cost = measure(command(), environment, Path(scratch))
                if run:  # the first round only warms the caches
                    costs[name].append(cost)
    middle = {
        name: Cost(statistics.median(c.wall for c in some), statistics.median(c.cpu for c in some))
        for name, some in costs.items()
    }
    print(f"{'median of ' + str(given.runs):16} {'wall s':>8} {'CPU s':>8}")
    for name, cost in middle.items():
        print(f"{name:16} {cost.wall:8.3f} {cost.cpu:8.3f}")
    baseline = "peer security" if given.peer else "bare python"
    ratio = middle["assay audit"].cpu / middle[baseline].cpu
    print(f"CPU ratio, assay audit / {baseline}: {ratio:.2f}")


if __name__ == "__main__":
    main()
