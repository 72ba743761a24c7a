"""SBOMs of other tools: read, matched, refused when they are none."""

import json

import pytest

from assay.advisories import sbom, session
from assay.advisories.purl import of_installed, to_installed
from assay.engine import advise
from assay.model.advisory import Installed, Origin
from assay.model.outcome import Outcome

SYFT = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "metadata": {"component": {"type": "container", "name": "registry.example/app"}},
    "components": [
        {"type": "operating-system", "name": "debian", "version": "12"},
        {
            "type": "library", "name": "runc", "version": "1.1.5+ds1-1+deb12u1",
            "purl": "pkg:deb/debian/runc@1.1.5%2Bds1-1%2Bdeb12u1?arch=amd64&distro=debian-12",
            "properties": [{"name": "syft:package:type", "value": "deb"}],
        },
        {
            "type": "library", "name": "libc6", "version": "2.36-9+deb12u10",
            "purl": "pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?distro=debian-12&upstream=glibc",
        },
        {"type": "library", "name": "vllm", "version": "0.8.5", "purl": "pkg:pypi/vllm@0.8.5"},
        {"type": "library", "name": "left-pad", "purl": "pkg:npm/left-pad@1.0.0"},
        {
            "type": "application", "name": "containerd",
            "purl": "pkg:golang/github.com/containerd/containerd/v2@v2.0.3",
        },
        {"type": "library", "purl": "pkg:golang/github.com/docker/docker@v28.0.0%2Bincompatible"},
        {"type": "file", "name": "no purl"},
    ],
}  # fmt: skip
TRIVY = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "components": [
        {
            "type": "library", "name": "openssh-server", "version": "1:9.2p1-2+deb12u3",
            "purl": "pkg:deb/debian/openssh-server@9.2p1-2%2Bdeb12u3?distro=debian-12&epoch=1",
            "properties": [
                {"name": "aquasecurity:trivy:SrcName", "value": "openssh"},
                {"name": "aquasecurity:trivy:SrcVersion", "value": "9.2p1"},
                {"name": "aquasecurity:trivy:SrcRelease", "value": "2+deb12u3"},
                {"name": "aquasecurity:trivy:SrcEpoch", "value": "1"},
            ],
        }
    ],
}  # fmt: skip


def read(value):
    return sbom.read(json.dumps(value).encode())


def test_what_syft_lists():
    found = read(SYFT)
    things = {thing.component: thing for thing in found.installed}
    assert found.name == "registry.example/app"
    assert set(things) == {"runc", "glibc", "vllm", "left-pad", "containerd"}
    assert (things["runc"].distro, things["runc"].release) == ("debian:12", "bookworm")
    assert things["glibc"].source == "glibc"
    assert things["containerd"].version == "v2.0.3"
    assert found.others == 2  # the frozen module path of Docker tells nothing of an engine


def test_what_trivy_splits_is_put_together():
    (thing,) = read(TRIVY).installed
    assert (thing.component, thing.source_version) == ("openssh", "1:9.2p1-2+deb12u3")


def test_matching_an_sbom():
    with session.judging() as now:
        found = {told.component: told for told in advise.sbom(now, read(SYFT))}
    assert found["vllm"].outcome is Outcome.FAIL
    assert found["containerd"].outcome is Outcome.FAIL
    assert found["runc"].outcome is Outcome.UNKNOWN  # a distribution's build
    assert "left-pad" not in found


@pytest.mark.parametrize(
    "junk",
    [
        b"", b"[]", b"{}", b'{"bomFormat": "SPDX"}',
        b'{"bomFormat":"CycloneDX","specVersion":"2.0"}',
        b'{"bomFormat":"CycloneDX","specVersion":"1.6","components":3}',
        b'{"bomFormat":"CycloneDX","specVersion":"1.6","components":[3]}',
        b"\xff\xfe", b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_sbom_is_refused(junk):
    with pytest.raises(sbom.BadSbom):
        sbom.read(junk)


def test_odd_purls_are_nothing_or_something():
    for text in ("pkg:", "pkg:deb/x", "runc", "pkg:deb/debian/runc@?distro=x", "pkg:oci/vllm@1"):
        to_installed(text)


def test_purls_of_things():
    assert str(of_installed(Installed("runc", "1.3.6", Origin.BINARY))) == (
        "pkg:golang/github.com/opencontainers/runc@v1.3.6"
    )
    assert str(of_installed(Installed("nvidia-driver", "580.95.05", Origin.MODULE))) == (
        "pkg:generic/nvidia-driver@580.95.05"
    )
