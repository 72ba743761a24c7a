"""The running configuration of Slurm's controller: ``scontrol show config``."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import Service, command
from assay.kit.seen import Seen, Unread
from assay.model.facts.slurm import SlurmController, SlurmSetting
from assay.probes.pasted import clean, tried
from assay.probes.slurm_words import ERROR

CONFIG = command(
    "scontrol",
    "show",
    "config",
    name="slurm.config",
    deadline=20.0,
    service=Service.SLURM,
    looks_like=r"^Configuration data as of \S+\s*(?:\n[^\n]*){0,6}"
    r"|^(?:AccountingStorage\w+|SlurmctldHost\[\d\]|SlurmdSpoolDir) += [^\n]*(?:\n\w+ += [^\n]*)*"
    r"|^slurm_load_ctl_conf[^\n]*error[^\n]*",
)

_SETTING = re.compile(r"([A-Za-z]\w*(?:\[\d+\])?)\s*= ?(.*)")
_SECTION = re.compile(r"(.*?)(?: Support| Plugins?(?:'?s?)?)? Configuration:")
_CONTROLLER = re.compile(r"Slurmctld\((\w+)\) at (\S+) is (\w+)")
_STARTS = re.compile(r"Configuration data as of")


@probe("slurm.config", reads=[CONFIG])
def config(seen: Seen) -> Iterator[SlurmSetting | SlurmController]:
    """Settings of the running Slurm controller, and whether its daemons answer."""
    if tried(seen, CONFIG) is None:
        return
    text = clean(seen.text(CONFIG))
    section, found = "", False
    body, newline, last = text.rpartition("\n")
    for raw in [*body.split("\n"), last]:
        line = raw.strip()
        if controller := _CONTROLLER.fullmatch(line):
            yield SlurmController(*controller.groups())
        elif heading := _SECTION.fullmatch(line):
            section = heading.group(1).strip().lower().replace(" ", "_")
        elif _STARTS.match(line):
            section = ""
        # a last line without its end may be half a value
        elif (newline and raw is not last) and (pair := _SETTING.fullmatch(line)):
            found = True
            value = pair.group(2).strip()
            yield SlurmSetting(pair.group(1), "" if value.startswith("(null") else value, section)
    if not found:
        error = ERROR.search(text)
        raise Unread(error.group()[:300] if error else "scontrol printed no settings")
