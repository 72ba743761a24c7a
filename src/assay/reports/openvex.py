"""What advisories mean for installed things, as an OpenVEX document."""

from collections.abc import Iterable
from typing import Any

from assay import __version__
from assay.advisories.matching import Answer
from assay.advisories.purl import of_installed
from assay.model.advisory import Assessment, State

CONTEXT = "https://openvex.dev/ns/v0.2.0"
# Our states -> OpenVEX. Whatever could not be told is under investigation, never "not affected".
STATUS = {
    State.AFFECTED: "affected",
    State.FIXED: "fixed",
    State.BACKPORTED: "fixed",
    State.NOT_AFFECTED: "not_affected",
    State.UNASSESSED: "under_investigation",
    State.UNKNOWN: "under_investigation",
}


def document(answers: Iterable[Answer], *, id: str, stamp: str) -> dict[str, Any]:
    """One document over all *answers*; *stamp* is an RFC 3339 time, *id* an IRI of yours."""
    return {
        "@context": CONTEXT,
        "@id": id,
        "author": f"Assay {__version__}",
        "timestamp": stamp,
        "version": 1,
        "tooling": f"assay/{__version__}",
        "statements": [
            _statement(found) for answer in answers for found in answer.assessments
        ],
    }  # fmt: skip


def _statement(found: Assessment) -> dict[str, Any]:
    status = STATUS[found.state]
    advisory = found.advisory
    statement: dict[str, Any] = {
        "vulnerability": {"name": advisory.id, "aliases": list(advisory.aliases)},
        "products": [{"@id": str(of_installed(found.installed))}],
        "status": status,
        "status_notes": f"{found.state}: {found.because}",
    }
    if status == "not_affected":
        statement["justification"] = "vulnerable_code_not_present"
        statement["impact_statement"] = found.because
    if status == "affected":
        statement["action_statement"] = (
            f"upgrade to {found.fix}" if found.fix else "no fixed version is known"
        )
    return statement
