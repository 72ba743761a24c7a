"""SBOM, VEX and OSV: valid documents that never call the unknown "not affected"."""

import json
from datetime import UTC, datetime

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from assay.advisories import database
from assay.advisories.matching import match
from assay.model.advisory import Installed, Origin, State
from assay.reports import cyclonedx, openvex, osv

DB = database.embedded()
THINGS = (
    Installed("runc", "1.1.5", Origin.BINARY, "/usr/local/bin/runc"),
    Installed(
        "runc", "1.1.5+ds1-1+deb12u1", Origin.DISTRO, "dpkg runc", "debian:12", "bookworm",
        "runc", "1.1.5+ds1-1+deb12u1", "runc",
    ),
    Installed("nvidia-driver", "570.211.01", Origin.MODULE, "kernel module"),
    Installed("connectx-firmware", "28.39.3560", Origin.FIRMWARE, "ConnectX-7"),
)  # fmt: skip
ANSWERS = [match(DB, thing) for thing in THINGS]
STAMP = datetime(2026, 9, 1, tzinfo=UTC)


def test_cyclonedx_is_valid_and_carries_our_states():
    text = cyclonedx.text(ANSWERS, name="gpu-001", stamp=STAMP)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    found = json.loads(text)
    assert found["specVersion"] == "1.6"
    assert len(found["components"]) == len(THINGS)
    states = {}
    for row in found["vulnerabilities"]:
        states.setdefault(row["id"], set()).add(row["analysis"]["state"])
    assert states["CVE-2026-41579"] == {"exploitable", "in_triage"}  # upstream, and Debian's
    assert states["CVE-2026-24193"] == {"in_triage"}  # a branch past its end of life
    unrated = next(r for r in found["vulnerabilities"] if r["id"] == "CVE-2026-41579")
    assert "ratings" not in unrated


def test_openvex():
    found = openvex.document(ANSWERS, id="urn:x", stamp=STAMP.isoformat())
    assert found["@context"].startswith("https://openvex.dev/ns")
    for row in found["statements"]:
        assert row["status"] in {"affected", "fixed", "not_affected", "under_investigation"}
        assert ("justification" in row) == (row["status"] == "not_affected")
        assert ("action_statement" in row) == (row["status"] == "affected")
    words = " ".join(row["status_notes"] for row in found["statements"])
    assert "unassessed" in words


def test_the_unknown_is_never_called_clear():
    for state in (State.UNKNOWN, State.UNASSESSED):
        assert openvex.STATUS[state] == "under_investigation"
        assert cyclonedx.STATES[state].value == "in_triage"
    assert set(openvex.STATUS) == set(cyclonedx.STATES) == set(State)


def test_osv_of_the_whole_database():
    found = list(osv.documents(DB))
    assert len(found) == DB.records
    assert len({row["id"] for row in found}) == DB.records
    (row,) = [r for r in found if r["id"] == "ASSAY-CVE-2026-41579-runc"]
    assert row["aliases"][0] == "CVE-2026-41579"
    assert row["affected"][0]["ranges"][0]["events"] == [{"introduced": "0"}, {"fixed": "1.3.6"}]
    assert "severity" not in row
    kernel = next(r for r in found if r["id"] == "ASSAY-CVE-2026-46300-ubuntu-kernel")
    assert kernel["affected"][0]["database_specific"]["branch"] == "noble/linux"
