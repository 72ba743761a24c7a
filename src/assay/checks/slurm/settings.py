"""Look up settings of Slurm's controller, for the checks of this area."""

from collections.abc import Sequence

from assay.model.facts.slurm import SlurmSetting
from assay.probes.slurm_words import seconds

SLURM_CONF = "https://slurm.schedmd.com/slurm.conf.html"
CGROUP_CONF = "https://slurm.schedmd.com/cgroup.conf.html"
GRES = "https://slurm.schedmd.com/gres.html"
SUBJECT = "slurm"


def setting(settings: Sequence[SlurmSetting], name: str, section: str = "") -> str | None:
    """The value of *name*, also where Slurm numbers it (Prolog[0]); None when it is not there."""
    wanted = name.lower()
    return next(
        (
            s.value
            for s in settings
            if s.name.lower() in (wanted, wanted + "[0]") and s.section == section
        ),
        None,
    )


def words(value: str) -> list[str]:
    """The items of a list with commas, in lower case."""
    return [item.strip().lower() for item in value.split(",") if item.strip()]


def named(value: str) -> str:
    """How a sentence quotes a value."""
    return value or "not set"


def span(settings: Sequence[SlurmSetting], name: str) -> float | None:
    """A duration in seconds; None when it is not there or no duration."""
    value = setting(settings, name)
    return seconds(value) if value else None


def counts_gpus(settings: Sequence[SlurmSetting]) -> bool | None:
    """True where Slurm hands out GPUs as GRES; None when it does not say."""
    types = setting(settings, "GresTypes")
    return None if types is None else "gpu" in words(types)
