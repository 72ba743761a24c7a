"""Algorithms that somebody turned on again by hand."""

import re
from collections.abc import Iterator, Sequence

from assay.checks.security.sshd_effective import SEE, subject
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import SshdOption
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.sshd import CONFIG

LISTS = {
    "ciphers": "Ciphers", "macs": "MACs", "kexalgorithms": "KexAlgorithms",
    "hostkeyalgorithms": "HostKeyAlgorithms",
    "pubkeyacceptedalgorithms": "PubkeyAcceptedAlgorithms",
}  # fmt: skip
# Removed from OpenSSH, or off by default in it, for being breakable.
WEAK = re.compile(
    r"(?:3des-cbc|blowfish-cbc|cast128-cbc|arcfour\d*|hmac-md5[\w.@-]*|hmac-sha1-96[\w.@-]*|"
    r"diffie-hellman-group(?:1|-exchange)-sha1|ssh-dss[\w.@-]*|none)"
)


@check(
    "security.sshd-algorithms",
    asks="Are broken SSH algorithms left off?",
    severity=Severity.MEDIUM,
    why="OpenSSH turned these algorithms off because sessions under them can be read or forged.",
    fix="Remove the line, so that OpenSSH's own list or the system's crypto policy holds.",
    see=["https://www.openssh.com/legacy.html", SEE],
    reproduce="sudo sshd -T | grep -iE '^(ciphers|macs|kexalgorithms)'",
    plants=[
        plant(
            Edit(
                CONFIG.source,
                path="/etc/ssh/sshd_config",
                old="UsePAM yes",
                new="UsePAM yes\nCiphers +3des-cbc\n",
            )
        )
    ],
)
def sshd_algorithms(options: Sequence[SshdOption]) -> Iterator[Verdict]:
    """Lists of algorithms that the configuration names."""
    if not options:
        return
    weak = False
    for option in options:
        if option.keyword not in LISTS or option.value.startswith("-"):
            continue  # a minus takes algorithms away
        names = option.value.lstrip("+^").lower().split(",")
        found = [name for name in names if WEAK.fullmatch(name.strip())]
        if found:
            weak = True
            because = f"{LISTS[option.keyword]} has {', '.join(found)}, which are broken"
            yield failed(subject(option.match), because)
    if not weak:
        yield passed(subject(""), "the configuration turns on no algorithm that OpenSSH dropped")
