"""Read XML that a node printed, with nothing but elements: no entities, no external anything."""

import re
from xml.etree import ElementTree

from assay.kit.seen import Unread

_ENTITY = re.compile(r"<!ENTITY", re.IGNORECASE)


def document(text: str, what: str) -> ElementTree.Element:
    """The root element of *text*; anything that is not plain whole XML is Unread."""
    if _ENTITY.search(text):
        raise Unread(f"{what} declares XML entities; refused")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise Unread(f"{what} is not whole XML: {error}") from error
