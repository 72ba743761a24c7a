"""A refresh makes the database richer, or is refused."""

from dataclasses import replace

import pytest

from assay.advisories import database, distro, kernels
from assay.advisories.database import Source
from assay.advisories.feeds import refresh
from assay.advisories.feeds.feed import BadFeed, Exploited
from assay.advisories.host import Host
from assay.advisories.matching import match
from assay.advisories.records import BadRecord
from assay.model.advisory import Advisory, Installed, Origin, Range, State

DB = database.embedded()
FEEDS = refresh.all_feeds()


def fetched(feed, *found):
    return refresh.Fetched(FEEDS[feed], found, "https://example.org", "2030-01-01", "ab" * 32)


def advisory(component, id, *ranges, source="govulndb"):
    return Advisory(component, id, "A hole", ranges, sources=(source,))


def merged(*parts):
    return refresh.merge(DB, parts, as_of="2030-01-01")


def test_a_new_record_turns_a_pass_into_a_fail():
    new = merged(fetched("govulndb", advisory("runc", "CVE-2030-1", Range(fixed="1.3.9"))))
    thing = Installed("runc", "1.3.6")
    assert not match(DB, thing).affected
    assert [a.advisory.id for a in match(new, thing).affected] == ["CVE-2030-1"]
    assert new.records == DB.records + 1
    assert new.as_of == "2030-01-01"
    assert next(s for s in new.sources if s.id == "govulndb").sha256 == "ab" * 32


def test_exploitation_is_marked_on_what_we_have():
    new = merged(fetched("cisa-kev", Exploited("CVE-2024-21626", "2030-01-01")))
    (record,) = new.find("CVE-2024-21626")
    assert record.exploited
    assert record.exploited_since == "2030-01-01"


def test_a_source_may_correct_its_ranges_but_not_to_less():
    (old,) = [a for a in DB.of("runc") if a.id == "CVE-2026-41579"]
    poorer = replace(old, ranges=(Range(fixed="1.3.6"),))
    new = merged(fetched("govulndb", poorer))
    assert new.find("CVE-2026-41579")[0].ranges == old.ranges
    better = replace(old, ranges=(*old.ranges[:2], Range("1.5.0-rc.1", "1.5.0-rc.4")))
    new = merged(fetched("govulndb", better))
    assert new.find("CVE-2026-41579")[0].ranges == better.ranges


def test_another_source_does_not_overrule_ranges():
    other = advisory("runc", "CVE-2026-41579", *[Range(fixed="0.0.1")] * 5, source="cvelistv5")
    new = merged(fetched("cvelistv5", other))
    assert match(new, Installed("runc", "1.2.8")).affected


def test_an_invalid_record_is_refused():
    with pytest.raises(BadRecord):
        merged(fetched("govulndb", advisory("runc", "CVE-2030-1", Range(fixed="latest"))))


def test_a_component_never_shrinks():
    small = database.build(list(DB.of("runc"))[:-1], as_of="2030-01-01", sources=[Source("x")])
    before = {"runc": DB.count("runc")}
    with pytest.raises(refresh.Refused, match="runc"):
        refresh.refuse_shrinking(before, small)


def test_a_feed_that_gives_nothing_is_refused():
    with pytest.raises(BadFeed, match="no record"):
        refresh.read(FEEDS["govulndb"], [])


def debian(cve, fixed):
    row = Range(fixed=fixed, branch="bookworm", inside=True)
    return Advisory("debian/runc", cve, "runc in Debian", (row,), sources=("debian-tracker",))


def test_a_distribution_record_decides_over_the_upstream_number():
    new = merged(
        fetched(
            "debian-tracker",
            debian("CVE-2024-21626", "1.1.5+ds1-1+deb12u1"),
            debian("CVE-2026-41579", "1.1.5+ds1-1+deb12u9"),
            debian("CVE-2025-31133", "0"),
        )
    )
    thing = Installed(
        "runc", "1.1.5+ds1-1+deb12u1", Origin.DISTRO, "dpkg runc", "debian:12",
        distro.codename("debian", "12"), "runc", "1.1.5+ds1-1+deb12u1", "runc",
    )  # fmt: skip
    found = {a.advisory.id: a for a in match(new, thing).assessments}
    assert found["CVE-2024-21626"].state is State.BACKPORTED
    assert found["CVE-2026-41579"].state is State.AFFECTED
    assert found["CVE-2026-41579"].fix == "1.1.5+ds1-1+deb12u9"
    assert found["CVE-2025-31133"].state is State.NOT_AFFECTED
    assert found["CVE-2025-52565"].state is State.UNKNOWN  # no record of it


def test_a_red_hat_kernel_by_its_record():
    row = Range(fixed="0:5.14.0-570.12.1.el9", branch="9", inside=True)
    record = Advisory("redhat/kernel", "CVE-2026-46300", "kernel", (row,), sources=("redhat-vex",))
    new = merged(fetched("redhat-vex", record))
    for release, state in [
        ("5.14.0-570.9.1.el9_6.x86_64", State.AFFECTED),
        ("5.14.0-570.12.1.el9.x86_64", State.BACKPORTED),
        ("5.14.0-611.1.1.el9.x86_64", State.BACKPORTED),
    ]:
        kernel = kernels.installed(release, "", "rhel", "9.6")
        found = {a.advisory.id: a.state for a in match(new, kernel).assessments}
        assert found["CVE-2026-46300"] is state, release


def test_a_live_patch_with_its_record():
    row = Range(fixed="112.1", branch="noble/nvidia", inside=True)
    record = Advisory("ubuntu-livepatch", "CVE-2026-46300", "x", (row,), sources=("ubuntu-lsn",))
    new = merged(fetched("ubuntu-lsn", record))
    kernel = kernels.installed("6.8.0-1054-nvidia", "#57-Ubuntu SMP")
    for name, state in [
        ("lkp_Ubuntu_6_8_0_1054_57_nvidia_113", State.BACKPORTED),
        ("lkp_Ubuntu_6_8_0_1054_57_nvidia_111", State.AFFECTED),
        ("something_else", State.AFFECTED),
    ]:
        answer = match(new, kernel, Host(livepatches=(name,)))
        found = {a.advisory.id: a for a in answer.assessments}
        assert found["CVE-2026-46300"].state is state, name
