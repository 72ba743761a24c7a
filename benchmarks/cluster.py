"""What does an audit of a Slurm cluster cost the head node, and how long does it take?

    .venv/bin/python benchmarks/cluster.py               2, 8 and 32 nodes, ours alone
    .venv/bin/python benchmarks/cluster.py --peer        and the peer, if it is installed
    .venv/bin/python benchmarks/cluster.py --install     install the peer into its own venv first

The cluster is real (see tests/real/slurm/lab.py), with all its slurmd on this one machine; so the
wall time of ours has the agents of all nodes in it. CPU seconds are of the audit's own process and
of what it waited for (salloc, srun, scontrol, scancel): what a head node pays. The peer (PyPI
`clustermax`) runs its read-only security profile, which asks every node, too. To keep it from the
network, give all of this one of its own:

    unshare --net sh -c 'ip link set lo up; ip address add 198.18.0.1/32 dev lo
      .venv/bin/python benchmarks/cluster.py --peer'
"""

import argparse
import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

PEER = "clustermax==0.3.1.dev2026102765"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "assay" / "peer-venv"
ROOT = Path(__file__).resolve().parents[1]
MOST = 400  # seconds for one run of the peer

OURS = """
import sys
from assay.engine.audit import audit, start
from assay.engine.catalogue import catalogue
from assay.engine.target import Options
from assay.targets.slurm import Slurm
known, options, target = catalogue(), Options(deadline=60), Slurm()
report = audit(target, known, known.readings(), options, start(target.name, options))
read = sum(row.state == "read" and row.scheduler != "" for row in report.nodes)
print(read, target.calls["salloc"], sum(target.calls.values()), file=sys.stderr)
"""


@dataclass(frozen=True)
class Cost:
    wall: float  # seconds
    cpu: float  # seconds of the process and all that it waited for
    said: str


def lab_module() -> ModuleType:
    where = ROOT / "tests" / "real" / "slurm" / "lab.py"
    spec = importlib.util.spec_from_file_location("slurm_lab", where)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["slurm_lab"] = module
    spec.loader.exec_module(module)
    return module


def measure(command: Sequence[str], environment: dict[str, str], folder: str) -> Cost:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run(
        command,
        check=False,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=MOST,
    )
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, done.stderr.decode("utf-8", "replace").strip())


def peer(install: bool) -> list[str]:
    executable = CACHE / "bin" / "cmax"
    if not executable.exists() and install:
        print(f"installing {PEER} into {CACHE}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(CACHE)], check=True)
        pip = [str(CACHE / "bin" / "python"), "-m", "pip", "install", "--quiet", PEER]
        subprocess.run(pip, check=True)
    if not executable.exists():
        sys.exit("the peer is not installed: benchmarks/cluster.py --install")
    return [str(executable), "audit", "security", "--yes"]


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--peer", action="store_true", help="run the peer as well")
    options.add_argument("--install", action="store_true", help="and install it if need be")
    options.add_argument("--nodes", type=int, nargs="+", default=[2, 8, 32])
    options.add_argument("-n", "--runs", type=int, default=3)
    given = options.parse_args()
    lab = lab_module()
    if why := lab.missing():
        sys.exit(f"no lab: {why}")
    sides = {"assay": [sys.executable, "-c", OURS]}
    if given.peer or given.install:
        sides["peer security"] = peer(given.install)
    print(
        f"{'nodes':>5}  {'':14} {'wall s':>8} {'CPU s':>8} {'jobs':>6}  questions to the controller"
    )
    for nodes in given.nodes:
        middle: dict[str, Cost] = {}
        for name, command in sides.items():
            costs, jobs = [], 0
            with lab.Lab(nodes) as cluster, tempfile.TemporaryDirectory() as scratch:
                environment = {**cluster.environment, "HOME": scratch}
                for _ in range(given.runs if name == "assay" else 1):
                    before = cluster.submissions()
                    costs.append(measure(command, environment, scratch))
                    jobs = cluster.submissions() - before
                    cluster.quiet()
            wall, cpu = (statistics.median(getattr(c, at) for c in costs) for at in ("wall", "cpu"))
            middle[name] = Cost(wall, cpu, costs[-1].said)
            said = middle[name].said.split() if name == "assay" else []
            if said and said[0] != str(nodes):
                sys.exit(f"not all of {nodes} nodes were read: {middle[name].said[-2000:]}")
            calls = said[2] if said else "?"
            print(f"{nodes:5}  {name:14} {wall:8.2f} {cpu:8.2f} {jobs:6}  {calls}")
        if "peer security" in middle:
            ours, theirs = middle["assay"], middle["peer security"]
            ratio = f"{ours.wall / theirs.wall:.2f} wall, {ours.cpu / theirs.cpu:.2f} CPU"
            print(f"{'':5}  assay / peer security: {ratio}")


if __name__ == "__main__":
    main()
