"""An inventory as a CycloneDX 1.6 SBOM, with what advisories mean for it as VEX in the same file.

Needs the extra ``sbom`` (cyclonedx-python-lib).
"""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from cyclonedx.model import Property, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.bom_ref import BomRef
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.impact_analysis import (
    ImpactAnalysisJustification,
    ImpactAnalysisResponse,
    ImpactAnalysisState,
)
from cyclonedx.model.vulnerability import (
    BomTarget,
    Vulnerability,
    VulnerabilityAdvisory,
    VulnerabilityAnalysis,
    VulnerabilityRating,
    VulnerabilityScoreSource,
    VulnerabilitySeverity,
    VulnerabilitySource,
)
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion

from assay import __version__
from assay.advisories.components import component
from assay.advisories.matching import Answer
from assay.advisories.purl import of_installed
from assay.model.advisory import Assessment, Installed, Origin, State

# Our states -> CycloneDX. Whatever could not be told is in triage, never "not affected".
STATES = {
    State.AFFECTED: ImpactAnalysisState.EXPLOITABLE,
    State.FIXED: ImpactAnalysisState.RESOLVED,
    State.BACKPORTED: ImpactAnalysisState.RESOLVED_WITH_PEDIGREE,
    State.NOT_AFFECTED: ImpactAnalysisState.NOT_AFFECTED,
    State.UNASSESSED: ImpactAnalysisState.IN_TRIAGE,
    State.UNKNOWN: ImpactAnalysisState.IN_TRIAGE,
}


def text(answers: Iterable[Answer], *, name: str, stamp: datetime, vex: bool = True) -> str:
    """The document as JSON. *name* is what was inventoried."""
    bom = Bom()
    root = Component(name=name, type=ComponentType.DEVICE, bom_ref=f"root:{name}")
    bom.metadata = BomMetaData(
        timestamp=stamp,
        component=root,
        properties=[Property(name="assay:version", value=__version__)],
    )
    parts: list[Component] = []
    for answer in answers:
        part = _component(answer.installed)
        bom.components.add(part)
        parts.append(part)
        if vex:
            for found in answer.assessments:
                bom.vulnerabilities.add(_vulnerability(found, part.bom_ref))
    bom.register_dependency(root, parts)
    outputter = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6)
    return outputter.output_as_string(indent=2)


def _component(thing: Installed) -> Component:
    purl = of_installed(thing)
    firmware = thing.origin is Origin.FIRMWARE
    properties = [Property(name="assay:origin", value=str(thing.origin))]
    if thing.where:
        properties.append(Property(name="assay:where", value=thing.where))
    return Component(
        name=component(thing.component).name,
        version=thing.source_version or thing.version,
        type=ComponentType.FIRMWARE if firmware else ComponentType.APPLICATION,
        purl=purl,
        bom_ref=f"{purl}#{thing.where}",
        properties=properties,
    )


def _vulnerability(found: Assessment, target: BomRef) -> Vulnerability:
    advisory = found.advisory
    rating = VulnerabilityRating(
        score=None if advisory.cvss is None else _decimal(advisory.cvss),
        severity=VulnerabilitySeverity(str(advisory.severity)) if advisory.severity else None,
        vector=advisory.vector or None,
        method=VulnerabilityScoreSource.get_from_vector(advisory.vector)
        if advisory.vector
        else None,
    )
    rated = advisory.cvss is not None or advisory.severity is not None
    missing = ImpactAnalysisJustification.CODE_NOT_PRESENT
    return Vulnerability(
        bom_ref=f"{advisory.id}:{target.value}",
        id=advisory.id,
        source=VulnerabilitySource(name=", ".join(advisory.sources), url=XsUri(advisory.url)),
        ratings=[rating] if rated else [],
        description=advisory.title,
        recommendation=f"upgrade to {found.fix}" if found.fix else None,
        advisories=[VulnerabilityAdvisory(url=XsUri(link)) for link in advisory.references],
        analysis=VulnerabilityAnalysis(
            state=STATES[found.state],
            justification=missing if found.state is State.NOT_AFFECTED else None,
            responses=[ImpactAnalysisResponse.UPDATE] if found.fix else None,
            detail=f"{found.state}: {found.because}",
        ),
        affects=[BomTarget(ref=str(target.value))],
    )


def _decimal(score: float) -> Decimal:
    return Decimal(str(score))
