"""Timeouts that are too short turn a slow prolog or a slow file system into drained nodes."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF, setting, span
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG

LEAST = 30.0  # seconds; the default of 10 is less than a GPU prolog's checks take
TIMES = 5  # UnkillableStepTimeout against MessageTimeout, as slurm.conf's manual asks


@check(
    "slurm.timeouts",
    asks="Do Slurm's timeouts leave room for prologs and for ending stuck jobs?",
    severity=Severity.LOW,
    why="A prolog that outlasts MessageTimeout fails launches at scale; a short"
    " UnkillableStepTimeout drains nodes that only wait for a file system.",
    fix="Set MessageTimeout to 30 s or more (60 with a GPU prolog) and UnkillableStepTimeout to"
    " at least five times that.",
    see=[SLURM_CONF + "#OPT_MessageTimeout", SLURM_CONF + "#OPT_UnkillableStepTimeout"],
    reproduce="scontrol show config | grep -E 'MessageTimeout|UnkillableStepTimeout|^Prolog'",
    plants=[
        plant(Edit(CONFIG.source, old="MessageTimeout          = 60",
                   new="MessageTimeout          = 10"),
              name="messages time out before the prolog"),
        plant(Edit(CONFIG.source, old="UnkillableStepTimeout   = 300",
                   new="UnkillableStepTimeout   = 60"), name="steps are given up too soon"),
    ],
)  # fmt: skip
def timeouts(settings: Sequence[SlurmSetting]) -> Iterator[Verdict]:
    """MessageTimeout against the prolog, UnkillableStepTimeout against MessageTimeout."""
    if not settings:
        return
    message, step = span(settings, "MessageTimeout"), span(settings, "UnkillableStepTimeout")
    prolog = setting(settings, "Prolog")
    if message is None:
        yield unknown("MessageTimeout", "the controller did not say its MessageTimeout")
        return
    if message >= LEAST:
        yield passed("MessageTimeout", f"MessageTimeout is {message:.0f} s")
    elif prolog is None:
        yield unknown("MessageTimeout", f"MessageTimeout is {message:.0f} s, the Prolog is unknown")
    elif prolog:
        yield failed("MessageTimeout", f"MessageTimeout is {message:.0f} s with the prolog {prolog}"
                     f", at least {LEAST:.0f} s is wanted")  # fmt: skip
    if step is None:
        yield unknown("UnkillableStepTimeout", "the controller did not say it")
    elif step < TIMES * message:
        yield failed("UnkillableStepTimeout", f"UnkillableStepTimeout is {step:.0f} s, at least"
                     f" {TIMES} times MessageTimeout ({message:.0f} s) is wanted")  # fmt: skip
    else:
        yield passed("UnkillableStepTimeout", f"UnkillableStepTimeout is {step:.0f} s")
