"""Take passwords, tokens and keys out of what was read.

Part of the program that is sent to nodes: Python 3.6, standard library only. Every rule looks for
a literal that must be there before it tries a pattern, and no pattern can backtrack far: the input
may be hostile.
"""

import re

GONE = b"REDACTED"

_PEM = re.compile(rb"(-----BEGIN [A-Z0-9 ]{2,40}-----).*?(-----END [A-Z0-9 ]{2,40}-----|\Z)", re.S)
_USERINFO = re.compile(rb"(://[^\s/:@\x00\"']{0,64}:)[^\s/@\x00\"']{1,256}(?=@)")
_BEARER = re.compile(rb"(earer[ \t]+)[A-Za-z0-9._~+/=-]{16,}")
_CRYPT = re.compile(rb"\$(?:1|2[abxy]|5|6|7|y|gy|argon2id?)\$[./A-Za-z0-9$=,+]{20,}")
# What keys of well-known services look like; the literal comes first, by it they are found.
_KEYS = tuple(
    (literal, re.compile(rb"(?<![A-Za-z0-9])" + pattern))
    for literal, pattern in (
        (b"eyJ", rb"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),  # JWT
        (b"LS0tLS1CRUdJTi", rb"LS0tLS1CRUdJTi[A-Za-z0-9+/=]+"),  # base64 of -----BEGIN
        (b"AKIA", rb"AKIA[0-9A-Z]{16}(?![0-9A-Z])"),  # AWS
        (b"ASIA", rb"ASIA[0-9A-Z]{16}(?![0-9A-Z])"),
        (b"AIza", rb"AIza[0-9A-Za-z_-]{35}"),  # Google
        (b"ya29.", rb"ya29\.[0-9A-Za-z_-]{20,}"),
        (b"hf_", rb"hf_[A-Za-z0-9]{20,}"),  # Hugging Face
        (b"nvapi-", rb"nvapi-[A-Za-z0-9_-]{20,}"),  # NVIDIA NGC
        (b"ghp_", rb"ghp_[A-Za-z0-9]{20,}"),  # GitHub
        (b"gho_", rb"gho_[A-Za-z0-9]{20,}"),
        (b"ghs_", rb"gh[su]_[A-Za-z0-9]{20,}"),
        (b"ghu_", rb"ghu_[A-Za-z0-9]{20,}"),
        (b"ghr_", rb"ghr_[A-Za-z0-9]{20,}"),
        (b"github_pat_", rb"github_pat_[A-Za-z0-9_]{20,}"),
        (b"glpat-", rb"glpat-[A-Za-z0-9_-]{20,}"),  # GitLab
        (b"xox", rb"xox[abeoprs]-[A-Za-z0-9-]{10,}"),  # Slack
        (b"xapp-", rb"xapp-[A-Za-z0-9-]{10,}"),
        (b"sk-", rb"sk-[A-Za-z0-9_-]{20,}"),  # OpenAI, Anthropic
        (b"sk_live_", rb"sk_live_[A-Za-z0-9]{16,}"),  # Stripe
        (b"dckr_pat_", rb"dckr_pat_[A-Za-z0-9_-]{20,}"),  # Docker
        (b"tskey-", rb"tskey-[A-Za-z0-9-]{16,}"),  # Tailscale
        (b"AGE-SECRET-KEY-", rb"AGE-SECRET-KEY-[A-Z0-9]{20,}"),
    )
)
# Names whose values are secrets, in lower case; a rest of the name may follow.
_NAMES = (
    b"token", b"secret", b"passw", b"passphrase", b"credential", b"authorization", b"pass", b"psk",
    b"apikey", b"api_key", b"api-key", b"accesskey", b"access_key", b"access-key", b"privatekey",
    b"private_key", b"private-key", b"auth_key", b"auth-key", b"authkey", b"account_key",
    b"accountkey", b"encryption_key", b"signing_key", b"shared_key", b"sharedkey",
    b"client-key-data",
)  # fmt: skip
_LONG = 512  # bytes of a value that are looked at; of a longer secret the rest of the line goes
_VALUE = (
    rb"(\\\"[^\"\n]{0,512}\"?|\"(?:[^\"\\\n]|\\.){0,512}\"?|'[^'\n]{0,512}'?"
    rb"|(?:bearer|basic|token|digest|negotiate)[ \t]{1,8}[^\s\x00\"',]{1,512}|[^\s\x00]{1,512})"
)
_ASSIGNED = re.compile(
    rb"([a-z0-9_.\-\]]{0,48})(\\?[\"']?[ \t]{0,64}(?:=>|:=|[=:])[ \t]{0,64})" + _VALUE
)
_ELEMENT = re.compile(rb"([a-z0-9_.\-]{0,48})(>)([^<\n]{1,1024})</")
_OPTION = re.compile(rb"([a-z0-9_\-]{0,48})([ \t\x00]{1,8})(?!-)" + _VALUE)
_BEFORE_OPTION = re.compile(rb"(?:^|[\s\x00\"'=])--?[a-z0-9_\-]{0,48}\Z")
_BEFORE_KEY = re.compile(rb"[ \t]*(?:- )?(?:export )?[\"']?[a-z0-9_.\-]{0,64}\Z")
# What is no secret under any name: answers to "is there one?", and architectures of packages.
_HARMLESS = frozenset(
    b"true false yes no none null nil on off enabled disabled enable disable unset default (null)"
    b" n/a [n/a] optional required redacted 0 1 - * ... prohibit-password without-password"
    b" amd64 arm64 i386 all noarch x86_64 aarch64".split()
)
# `secretName: x`, `tokenExpirationSeconds: 1`, `password-file=/x`: about secrets, not secret
_ABOUT = re.compile(
    rb"(?:name|names|namespace|ref|refs|kind|type|mode|policy|ttl|seconds|expiration|lifetime"
    rb"|methods?|files?|path|dir|stdin|auth|authentication|izers?|count|length|minlen|age|days"
    rb"|\.service|\.socket|\.target)\Z"
)
_FILE_NAME = re.compile(
    rb"[\"']?/(?:etc|var|usr|opt|run|root|home|srv|lib|dev|proc|sys|mnt|data|cm)/[^\s\"']*[\"']?\Z"
)
_NSSWITCH = re.compile(rb"(?:files|compat|sss|systemd|db|ldap|winbind|nis|cache|extrausers)\b")


def replaced(data: bytes, edits: "list[tuple[int, int, bytes]]") -> bytes:
    """*data* with every (start, end) of *edits* replaced; where two overlap the first one wins."""
    if not edits:
        return data
    out, at = [], 0
    for start, end, new in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start >= at:
            out += [data[at:start], new]
        at = max(at, end)  # one that reaches further: nothing of it may stay
    out.append(data[at:])
    return b"".join(out)


def endings(data: bytes, literal: bytes) -> "list[int]":
    """Where *literal* ends in *data*, every time."""
    found, at = [], data.find(literal)
    while at >= 0:
        found.append(at + len(literal))
        at = data.find(literal, at + len(literal))
    return found


def without_secrets(data: bytes) -> bytes:
    """*data* with every value that looks like a secret replaced by a word."""
    if b"-----BEGIN" in data:
        data = _PEM.sub(rb"\1" + GONE + rb"\2", data)
    if b"://" in data and b"@" in data:
        data = _USERINFO.sub(rb"\1" + GONE, data)
    if b"earer" in data:
        data = _BEARER.sub(rb"\1" + GONE, data)
    if b"$" in data:
        data = _CRYPT.sub(GONE, data)
    for literal, pattern in _KEYS:
        if literal in data:
            data = pattern.sub(GONE, data)
    low = data.lower()
    edits, covered = [], 0
    for end, name in sorted((at, word) for word in _NAMES for at in endings(low, word)):
        start, stop = _secret(low, name, end) if end > covered else (0, 0)
        if start < stop:
            edits.append((start, stop, GONE))
            covered = max(covered, stop)
    return replaced(data, edits)


def _secret(low: bytes, name: bytes, end: int) -> "tuple[int, int]":
    """Where the secret is that the *name* ending at *end* announces; nothing if it is none."""
    begin = end - len(name)
    match = _ASSIGNED.match(low, end) or _ELEMENT.match(low, end)
    if match is None and _BEFORE_OPTION.search(low[max(0, begin - 64) : begin]):
        match = _OPTION.match(low, end)
    if match is None:
        return 0, 0
    rest, sign, value = match.groups()
    if not _telling(name, rest, sign, value, low[max(0, begin - 2) : begin]):
        return 0, 0
    start, stop = match.span(3)
    newline = low.find(b"\n", start)
    rest_of_line = low[start : newline if newline >= 0 else len(low)].rstrip()
    line = low.rfind(b"\n", max(0, begin - 128), begin) + 1
    leads = _BEFORE_KEY.match(low[line:begin]) and (line or begin < 128)
    quote = next((quote for quote in (b'\\"', b'"', b"'") if value.startswith(quote)), b"")
    if len(value) >= _LONG:
        stop = start + len(rest_of_line)
    elif quote:
        closed = value.endswith(quote) and len(value) > len(quote)
        start, stop = start + len(quote), stop - len(quote) * closed
    elif leads and (sign.strip() == b":" or sign[:1] in b" \t"):
        # `key: a value with blanks` takes the line, but "passwd: files sss" is of nsswitch.conf
        named = name + rest == b"passwd" and _NSSWITCH.match(value)
        stop = start if named else start + len(rest_of_line)
    else:
        stop -= len(value) - len(value.rstrip(b"\"',;)}]"))
    return start, stop


def _telling(name: bytes, rest: bytes, sign: bytes, value: bytes, before: bytes) -> bool:
    """Does this name with this value look like a secret at all?"""
    bare = value.strip(b"\"'\\,;")
    if not bare or bare in _HARMLESS or value[:1] in (b"[", b"{", b"("):
        return False
    if bare.startswith(GONE.lower()) or _ABOUT.search(rest) or _FILE_NAME.match(value):
        return False
    if name == b"pass":  # StoragePass=x, DB_PASS=x; not bypass=on, nor "PASS: 3 of 3"
        return rest == b"" and b"=" in sign and before[-1:] != b"y" and not bare.isdigit()
    if name + rest == b"passwd" and before == b"no":
        return False  # sudo's NOPASSWD: COMMANDS
    if name in (b"authorization", b"psk"):
        return rest == b""
    # numbers of tokens are counts
    return not (name == b"token" and bare.replace(b".", b"").isdigit())
