"""On the machine that runs the tests: no finding that the package itself disproves."""

import gzip
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.advisories import database, inventory
from assay.advisories.matching import match
from assay.engine.understand import understand
from assay.kit.probe import registry
from assay.model.advisory import Origin, State
from assay.model.evidence import Capture, Evidence
from assay.model.facts.system import Kernel, OperatingSystem
from assay.probes import packages

pytestmark = pytest.mark.real


def os_release():
    text = Path("/etc/os-release").read_text()
    found = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.MULTILINE))
    return OperatingSystem(
        found["ID"], found.get("VERSION_ID", ""), found.get("PRETTY_NAME", ""),
        codename=found.get("VERSION_CODENAME", ""),
    )  # fmt: skip


@pytest.fixture(scope="module")
def facts():
    if shutil.which("dpkg-query") is None:
        pytest.skip("no dpkg here")
    done = subprocess.run(packages.DPKG.argv, capture_output=True, check=True)
    evidence = Evidence("here", {packages.DPKG.source: Capture(
        packages.DPKG.source, done.stdout, exit_code=0)})  # fmt: skip
    known = understand(registry["software.dpkg"], evidence)
    assert not known.unread
    kernel = Kernel(platform.release(), platform.version(), platform.machine())
    return [*known.facts, os_release(), kernel]


def test_no_distribution_package_is_found_affected_by_its_number(facts):
    things = [t for t in inventory.everything(facts).installed if t.origin is Origin.DISTRO]
    assert things, "a Debian machine has packages that we know"
    unverified = 0
    for thing in things:
        answer = match(database.embedded(), thing)
        assert not answer.unread, (thing, answer.unread)
        assert not answer.affected, (thing, answer.affected[0].because)
        unverified += len(answer.of(State.UNKNOWN))
    assert unverified  # it is said, not hidden


def test_no_open_verdict_survives_the_packages_own_changelog(facts):
    """Every CVE that a changelog on this disk names as fixed comes out as proven or fixed."""
    from assay.model.facts.software import ChangelogFix, Package
    from assay.probes.changelogs import fixed

    proofs = []
    for package in {f.name for f in facts if isinstance(f, Package)}:
        path = Path(f"/usr/share/doc/{package}/changelog.Debian.gz")
        if path.is_file():
            text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
            proofs += [ChangelogFix(package, cve) for cve in fixed(text)]
    known = inventory.everything([*facts, *proofs])
    for thing in known.installed:
        if thing.origin is not Origin.DISTRO:
            continue
        for found in match(database.embedded(), thing, known.host).assessments:
            if known.host.proof(found.advisory.id, thing.package, thing.source):
                assert found.state not in (State.AFFECTED, State.UNKNOWN, State.UNASSESSED), found
