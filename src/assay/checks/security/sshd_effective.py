"""What sshd does in the end: options of a Match block over global ones over OpenSSH's defaults."""

from collections.abc import Iterator, Sequence

from assay.model.facts.access import SshdOption

# sshd_config(5) of OpenSSH 7.0 and later.
DEFAULTS = {
    "permitrootlogin": "prohibit-password",
    "passwordauthentication": "yes",
    "kbdinteractiveauthentication": "yes",
    "usepam": "no",
    "permitemptypasswords": "no",
    "permituserenvironment": "no",
    "ignorerhosts": "yes",
    "strictmodes": "yes",
    "gatewayports": "no",
}
SEE = "https://man.openbsd.org/sshd_config"


def scopes(options: Sequence[SshdOption]) -> Iterator[str]:
    """Everybody first (an empty string), then the criteria of each Match block."""
    yield from dict.fromkeys(["", *(option.match for option in options)])


def value(options: Sequence[SshdOption], keyword: str, scope: str = "") -> str:
    """The value of *keyword* for whoever meets the criteria *scope*, in lower case."""
    for wanted in dict.fromkeys((scope, "")):
        for option in options:
            if option.keyword == keyword and option.match == wanted:
                return option.value.lower()
    return DEFAULTS[keyword]


def passwords(options: Sequence[SshdOption], scope: str = "") -> str:
    """The option that lets a user in by password, with its value; "" when none does."""
    direct = value(options, "passwordauthentication", scope)
    if direct != "no":
        return f"PasswordAuthentication is {direct}"
    asked = value(options, "kbdinteractiveauthentication", scope)
    if asked != "no" and value(options, "usepam", scope) != "no":
        return f"KbdInteractiveAuthentication is {asked} with UsePAM"
    return ""


def subject(scope: str) -> str:
    """How findings name a scope."""
    return f"sshd, Match {scope}" if scope else "sshd"
