"""What matching costs: one host, and 12,500 hosts of 40 kinds; against univers in the same run.

    python benchmarks/advisories.py [--json]

Wall time on this machine's clock, best of five where it is short; peak memory of this process.
The baseline is univers' own comparison (GolangVersion) over the same advisory rows of one host's
Go components, without our parsing once and comparing keys.
"""

import json
import resource
import sys
import time
from collections.abc import Callable

from assay.advisories import database, distro, kernels
from assay.advisories.host import NOTHING
from assay.advisories.inventory import Inventory
from assay.advisories.matching import match
from assay.advisories.records import scheme_of
from assay.advisories.session import judging
from assay.engine import advise
from assay.model.advisory import Installed, Origin

HOSTS, KINDS = 12_500, 40
LIMITS = {"load_ms": 50.0, "one_host_ms": 50.0, "fleet_s": 2.0, "peak_mib": 300.0}
KERNELS = ("6.8.0-1054-nvidia", "6.8.0-1060-nvidia", "6.8.0-124-generic", "6.6.50", "6.12.91",
           "5.15.150", "6.8.0-1003-gke", "5.14.0-427.13.1.el9_4.x86_64")  # fmt: skip


def inventory(kind: int) -> Inventory:
    """One kind of node: kernels, drivers and releases vary."""
    driver = ("580.95.05", "580.159.03", "570.211.01", "535.309.01", "595.71.05")[kind % 5]
    packages = [
        ("runc", "1.1.5+ds1-1+deb12u1"), ("openssh", "1:9.2p1-2+deb12u3"), ("glibc", "2.36-9"),
        ("sudo", "1.9.13p3-1"), ("systemd", "252.39-1"), ("util-linux", "2.38.1-5"),
    ]  # fmt: skip
    things = [kernels.installed(KERNELS[kind % len(KERNELS)])]
    things += [
        Installed(name, version, Origin.DISTRO, f"dpkg {name}", "debian:12",
                  distro.codename("debian", "12"), name, version, name)
        for name, version in packages
    ]  # fmt: skip
    things += [
        Installed(name, version, Origin.BINARY, name)
        for name, version in [
            ("nvidia-driver", driver), ("containerd", f"1.7.{kind}"), ("docker-engine", "27.5.1"),
            ("kubernetes", f"1.{28 + kind % 8}.2"), ("nvidia-container-toolkit", "1.17.7"),
            ("cuda-toolkit", "12.6.2"), ("slurm", "24.05.3"), ("dcgm", "3.3.9"), ("runc", "1.2.8"),
            ("connectx-firmware", "28.39.3560"), ("vllm", "0.8.5"), ("etcd", "3.5.12"),
        ]
    ]  # fmt: skip
    return Inventory(tuple(things), NOTHING)


def best(work: Callable[[], object], times: int = 5) -> float:
    """The shortest of several runs, in seconds."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def univers_rows(db: database.Database, things: tuple[Installed, ...]) -> int:
    """The baseline: every bound of every Go advisory of one host, compared by univers."""
    from univers.versions import GolangVersion

    affected = 0
    for thing in things:
        if scheme_of(thing.component) != "go" or thing.distro:
            continue
        for record in db.of(thing.component):
            for row in record.ranges:
                have = GolangVersion(thing.version)
                begun = not row.introduced or have >= GolangVersion(row.introduced)
                affected += bool(begun and row.fixed and have < GolangVersion(row.fixed))
    return affected


def main() -> int:
    """Measure, print, and say whether the limits hold."""
    db = database.embedded()
    data = db.dump()
    load = best(lambda: database.load(data).of("linux-kernel"))  # the largest table by far
    one = inventory(3)
    go = tuple(t for t in one.installed if scheme_of(t.component) == "go" and not t.distro)
    host = best(lambda: [match(db, thing) for thing in one.installed])
    ours = best(lambda: [match(db, thing) for thing in go])
    theirs = best(lambda: univers_rows(db, go))
    kinds = [inventory(kind) for kind in range(KINDS)]
    hosts = {f"node-{n:05}": kinds[n % KINDS] for n in range(HOSTS)}
    with judging(db) as now:
        start = time.perf_counter()
        found = advise.fleet(now, hosts)
        concerned = advise.reach(now, "CVE-2026-46300", hosts)
        fleet = time.perf_counter() - start
    assert len(found) == HOSTS
    assert concerned.nodes == HOSTS
    figures = {
        "load_ms": load * 1000,
        "one_host_ms": host * 1000,
        "fleet_s": fleet,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "go_components_ms": ours * 1000,
        "univers_ms": theirs * 1000,
        "ratio_univers_to_ours": theirs / ours,
        "database_bytes": len(db.dump()),
    }
    broken = [name for name, limit in LIMITS.items() if figures[name] >= limit]
    if "--json" in sys.argv:
        print(json.dumps({"figures": figures, "limits": LIMITS, "broken": broken}))
    else:
        for name, value in figures.items():
            limit = f"  (limit {LIMITS[name]:g})" if name in LIMITS else ""
            print(f"{name:24} {value:10.2f}{limit}")
        print(f"{HOSTS} hosts of {KINDS} kinds; univers takes {theirs / ours:.1f} times as long")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
