"""Package URLs: how SBOMs name what we call a component, in both directions."""

from dataclasses import replace
from typing import Any

from packageurl import PackageURL

from assay.advisories import distro, kernels
from assay.advisories.components import canonical, component, of_package
from assay.advisories.feeds.govulndb import MODULES
from assay.model.advisory import Installed, Origin

_FROZEN = ("github.com/docker/docker", "github.com/moby/moby")  # module paths, not engines


def to_installed(  # noqa: PLR0911 - one return for each kind of package URL
    text: str, properties: dict[str, str] | None = None
) -> Installed | None:
    """The thing that a package URL names, or None when it is nothing that advisories know.

    ``properties`` are what syft and trivy write beside it: the source package and its version.
    """
    try:
        purl = PackageURL.from_string(text)
    except ValueError:
        return None
    if not purl.version:
        return None
    if purl.type in ("deb", "rpm"):
        return _package(purl, properties or {})
    if purl.type == "golang":
        module = f"{purl.namespace}/{purl.name}" if purl.namespace else purl.name
        module = module.partition("/v2")[0] if module.endswith("/v2") else module
        name = MODULES.get(module)
        if name is None or module in _FROZEN:
            return None
        return Installed(name, purl.version, Origin.BINARY, text)
    name = canonical(purl.name)
    if purl.type == "oci":
        return Installed(name, str(_qualifiers(purl).get("tag", "")), Origin.IMAGE, text)
    return Installed(name, purl.version, Origin.STATED, text)


def _qualifiers(purl: PackageURL) -> dict[str, Any]:
    return dict(purl.qualifiers)


def _package(purl: PackageURL, properties: dict[str, str]) -> Installed | None:
    qualifiers = _qualifiers(purl)
    id, number = distro.parse_distro(str(qualifiers.get("distro", "")).removesuffix(" "))
    id = id or (purl.namespace or "")
    upstream = str(qualifiers.get("upstream", ""))
    source, _, source_version = upstream.partition("@")
    source = properties.get("source") or source or purl.name
    epoch = str(qualifiers.get("epoch", ""))
    version = purl.version or ""
    if epoch and epoch != "0" and ":" not in version:
        version = f"{epoch}:{version}"
    source_version = properties.get("source_version") or source_version or version
    if source == "linux" or source.startswith("linux-image"):
        return _kernel(id, number, version)
    name = of_package(purl.name, source)
    if not name:
        return None
    vendor = distro.is_vendor(purl.namespace or "", version)
    return Installed(
        name,
        source_version,
        Origin.VENDOR if vendor else Origin.DISTRO,
        f"{'rpm' if purl.type == 'rpm' else 'dpkg'} {purl.name}",
        distro="" if vendor else (f"{id}:{number}" if number else id),
        release="" if vendor else distro.codename(id, number) or number.partition(".")[0],
        source=source,
        source_version=source_version,
        package=purl.name,
    )


def _kernel(id: str, number: str, version: str) -> Installed:
    """A kernel package: what is installed, which may not be what runs."""
    thing = kernels.installed("0.0.0", "", id, number, running=False)
    return replace(
        thing, version=distro.upstream(version), distro=f"{id}:{number}" if number else id,
        release=distro.codename(id, number), source="linux", source_version=version,
    )  # fmt: skip


def of_installed(thing: Installed) -> PackageURL:
    """The package URL of a thing: the distribution's where it built it, else a generic one."""
    if thing.origin in (Origin.DISTRO, Origin.VENDOR) and thing.package:
        kind = "rpm" if thing.where.startswith("rpm ") else "deb"
        id = thing.distro.partition(":")[0] or None
        qualifiers = {"distro": thing.distro.replace(":", "-")} if thing.distro else None
        version = thing.source_version or thing.version
        return PackageURL(kind, id, thing.package, version, qualifiers)
    known = component(thing.component)
    module = next((m for m, name in MODULES.items() if name == known.name), "")
    if module and known.scheme == "go":
        namespace, _, name = module.rpartition("/")
        return PackageURL("golang", namespace, name, f"v{thing.version.lstrip('v')}")
    return PackageURL("generic", None, known.name, thing.version)
