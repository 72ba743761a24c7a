"""What is known about one host besides versions: fixes proven by changelogs, patches, features."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Host:
    """Everything that can turn "affected by the number" into something else.

    ``changelog`` holds (package, CVE) pairs that a package's own changelog names as fixed: absence
    proves nothing. ``livepatches`` are enabled live patches by name: they count only where a
    record says what they fix. ``features`` are settings that conditions ask about.
    """

    changelog: frozenset[tuple[str, str]] = frozenset()
    livepatches: tuple[str, ...] = ()
    features: Mapping[str, bool] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.changelog, self.livepatches, frozenset(self.features.items())))

    def proof(self, cve: str, *packages: str) -> str:
        """The package whose changelog names *cve*, or ``""``."""
        return next((p for p in packages if p and (p, cve) in self.changelog), "")


NOTHING = Host()
