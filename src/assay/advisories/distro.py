"""Who built this: a distribution (which backports), a vendor, or the project itself?

A distribution's build keeps the upstream number and carries fixes of later ones, so its number
alone never makes a finding.
"""

import re
from dataclasses import dataclass

from assay.advisories.versions import deb, rpm

# Code names by os-release id and version, for distributions that publish records by code name.
CODENAMES = {
    "ubuntu": {"18.04": "bionic", "20.04": "focal", "22.04": "jammy", "24.04": "noble",
               "24.10": "oracular", "25.04": "plucky", "25.10": "questing", "26.04": "resolute"},
    "debian": {"10": "buster", "11": "bullseye", "12": "bookworm", "13": "trixie",
               "14": "forky"},
}  # fmt: skip
# Marks that distributions leave in the versions of what they build.
_MARKS = (
    (re.compile(r"ubuntu\d"), "ubuntu", ""),
    (re.compile(r"[+~]deb(\d+)u\d"), "debian", "group"),
    (re.compile(r"~bpo(\d+)\+"), "debian", "group"),
    (re.compile(r"\.el(\d+)"), "redhat", "group"),
    (re.compile(r"\.fc(\d+)"), "fedora", "group"),
    (re.compile(r"\.amzn(\d+)"), "amzn", "group"),
    (re.compile(r"\+(?:ds|dfsg)|[.~]dfsg|~ds"), "debian", ""),
    (re.compile(r"-(?:150\d00|160\d00)\."), "sles", ""),
    (re.compile(r"-(?:eks|gke|aks|tke|ack)[-.]|-eks-"), "managed", ""),
)
# Those who publish their own builds in package form, by words of the maintainer or vendor field.
_VENDORS = re.compile(
    r"docker|nvidia|cudatools|mellanox|advanced micro devices|kubernetes|amd\b|schedmd|hashicorp|"
    r"grafana|rancher|cri-o|isv:kubernetes|cilium|sylabs|apptainer|minio",
    re.IGNORECASE,
)
_VENDOR_VERSIONS = re.compile(r"~(?:ubuntu|debian)\.\d+(?:\.\d+)?~[a-z]+")  # Docker's own packages
_RED_HATS = {"rhel", "redhat", "rocky", "almalinux", "centos", "ol", "fedora", "scientific"}


@dataclass(frozen=True, slots=True)
class Builder:
    """A distribution (``debian``, ``ubuntu``, ``redhat``...) with its version, if it says it."""

    id: str = ""
    version: str = ""

    @property
    def name(self) -> str:
        """``debian:12``, ``ubuntu``, or empty when no distribution built it."""
        return f"{self.id}:{self.version}" if self.version else self.id


def family(id: str) -> str:
    """One id for distributions that publish fixes together."""
    return "redhat" if id in _RED_HATS else id


def of_version(version: str) -> Builder:
    """Which distribution a version string gives away; none for an upstream number.

    >>> of_version("24.0.7-0ubuntu4.1").id, of_version("1.1.5+ds1-1+deb12u1").name
    ('ubuntu', 'debian:12')
    >>> of_version("1.3.6").name, of_version("5:27.5.1-1~ubuntu.22.04~jammy").name
    ('', '')
    """
    if _VENDOR_VERSIONS.search(version):
        return Builder()
    for pattern, id, captured in _MARKS:
        found = pattern.search(version)
        if found:
            return Builder(id, found.group(1) if captured else "")
    return Builder()


def is_vendor(text: str, version: str) -> bool:
    """True when a maintainer or vendor field, or the version, names the project or its vendor."""
    if "ubuntu" in text.lower() or "debian" in text.lower():
        return bool(_VENDOR_VERSIONS.search(version))
    return bool(_VENDORS.search(text) or _VENDOR_VERSIONS.search(version))


def codename(id: str, version: str) -> str:
    """``ubuntu`` ``24.04`` is noble; empty when not known."""
    return CODENAMES.get(id, {}).get(version, "")


def upstream(version: str, manager: str = "") -> str:
    """The upstream number inside a package version of either kind."""
    if manager == "rpm":
        return rpm.upstream(version)
    return deb.upstream(version)


def parse_distro(text: str) -> tuple[str, str]:
    """``ubuntu:24.04`` or ``debian-12`` as id and version; a code name works as the version."""
    id, _, version = text.strip().lower().replace("-", ":", 1).partition(":")
    for number, name in CODENAMES.get(id, {}).items():
        if version == name:
            version = number
    return id, version
