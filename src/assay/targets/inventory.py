"""Hosts of an Ansible inventory: its INI form, or the JSON of ``ansible-inventory --list``. No I/O.

Of the variables only those that say how to reach a host are read. Plays, vaults, templates and
extra ssh arguments are not: what was left out is said in ``ignored``.
"""

import json
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.targets.hosts import MOST_HOSTS, Host, distinct

_SECTION = re.compile(r"\[([^\[\]:]+)(?::(children|vars))?\]")
_RANGE = re.compile(r"\[([0-9]+|[A-Za-z]):([0-9]+|[A-Za-z])(?::([1-9][0-9]*))?\]")
_ARGUMENTS = ("ansible_ssh_common_args", "ansible_ssh_extra_args", "ansible_ssh_args")
_ALL = "all"
_DEEPEST = 32  # groups inside groups

_Vars = dict[str, str]


@dataclass(frozen=True, slots=True)
class Inventory:
    """The hosts of an inventory, and what of it was not heeded, in sentences."""

    hosts: tuple[Host, ...]
    ignored: tuple[str, ...] = ()


@dataclass(slots=True)
class _Group:
    hosts: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    vars: _Vars = field(default_factory=dict)


class _Groups:
    """Everything that an inventory says, in whichever form it says it."""

    def __init__(self) -> None:
        self.groups: dict[str, _Group] = defaultdict(_Group)
        self.hosts: dict[str, _Vars] = {}

    def add(self, group: str, name: str, given: _Vars) -> None:
        self.hosts.setdefault(name, {}).update(given)
        self.groups[group].hosts.append(name)
        if len(self.hosts) > MOST_HOSTS:
            raise ValueError(f"more than {MOST_HOSTS:,} hosts")

    def of(self, only: str) -> list[str]:
        """The hosts of the group *only*, in the order of the file."""
        if only == _ALL:
            return list(self.hosts)
        if only in self.hosts:
            return [only]
        if only not in self.groups:
            known = ", ".join(sorted(g for g in self.groups if g != "ungrouped")[:12])
            raise ValueError(f"no group or host {only!r}; the groups are: {known or 'none'}")
        return list(dict.fromkeys(self._below(only, 0)))

    def _below(self, group: str, depth: int) -> Iterator[str]:
        if depth > _DEEPEST:
            raise ValueError(f"the group {group!r} holds itself, or is more than {_DEEPEST} deep")
        yield from self.groups[group].hosts
        for child in list(self.groups[group].children):
            yield from self._below(child, depth + 1)

    def vars(self) -> dict[str, _Vars]:
        """What holds for each host: of its groups the outermost first, its own last."""
        found: dict[str, _Vars] = {
            name: dict(self.groups[_ALL].vars) if _ALL in self.groups else {} for name in self.hosts
        }
        depth: dict[str, int] = {}
        children = {child for group in self.groups.values() for child in group.children}
        for top in list(self.groups):
            if top not in children:
                self._depths(top, 0, depth)
        for group in sorted(depth, key=lambda g: (depth[g], g)):
            if group != _ALL and self.groups[group].vars:
                for name in set(self._below(group, 0)):
                    found[name].update(self.groups[group].vars)
        for name, own in self.hosts.items():
            found[name].update(own)
        return found

    def _depths(self, group: str, at: int, depth: dict[str, int]) -> None:
        if at > _DEEPEST:
            raise ValueError(f"the group {group!r} holds itself, or is more than {_DEEPEST} deep")
        if depth.get(group, -1) < at:
            depth[group] = at
            for child in list(self.groups[group].children):
                self._depths(child, at + 1, depth)


def inventory(
    text: str, only: str = _ALL, expand: "Callable[[str], list[str]] | None" = None
) -> Inventory:
    """The hosts of the group (or the host) *only*; ValueError says what is wrong with *text*.

    With *expand*, names may also be ranges as schedulers write them: ``gpu-[001-032]``.
    """
    head = text.removeprefix("\ufeff").lstrip()
    if head.startswith("{"):
        groups = _json(head)
    elif head.startswith("---") or re.match(r"(#.*\n|\s)*[\w.-]+:[ \t]*(\n|$)", text):
        raise ValueError(
            "an inventory in YAML: make JSON of it with `ansible-inventory -i FILE --list`"
        )
    else:
        groups = _ini(text.removeprefix("\ufeff"), expand)
    known = groups.vars()
    ignored: dict[str, list[str]] = defaultdict(list)
    found = [one for name in groups.of(only) for one in _host(name, known[name], ignored)]
    return Inventory(tuple(distinct(found)), tuple(_told(ignored)))


def _host(name: str, known: Mapping[str, str], ignored: dict[str, list[str]]) -> Iterator[Host]:
    """The host *name*, unless it is one that is not reached by ssh."""
    connection = known.get("ansible_connection", "ssh")
    if connection not in ("ssh", "smart", "paramiko", "ansible.builtin.ssh"):
        ignored[f"not reached by ssh (ansible_connection={connection}), so left out"].append(name)
        return
    for argument in _ARGUMENTS:
        if known.get(argument):
            ignored[f"{argument} is not heeded: put it in your ssh configuration"].append(name)
    given = {
        short: known.get(f"ansible_{short}") or known.get(f"ansible_ssh_{short}") or ""
        for short in ("host", "user", "port")
    }
    for short, value in given.items():
        if "{{" in value:
            raise ValueError(f"{name}: ansible_{short} is a template ({value}): not understood")
    if given["port"] and not given["port"].isdecimal():
        raise ValueError(f"{name}: {given['port']!r} is no port")
    address, port = given["host"] or name, int(given["port"] or 0)
    if not given["host"] and (split := re.fullmatch(r"([^:\[\]]+):([0-9]{1,5})", name)):
        name = address = split[1]
        port = port or int(split[2])
    key = known.get("ansible_ssh_private_key_file") or known.get("ansible_private_key_file") or ""
    yield Host(name, address.strip("[]"), given["user"], port, "" if "{{" in key else key)


def _told(ignored: Mapping[str, list[str]]) -> Iterator[str]:
    for what, names in ignored.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield f"{', '.join(names[:3])}{more}: {what}"


def _ini(text: str, expand: "Callable[[str], list[str]] | None") -> _Groups:
    groups = _Groups()
    group, part = "ungrouped", ""
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = _words(line)
            if not words:
                continue
            if section := _SECTION.fullmatch(line.partition("#")[0].strip()):
                group, part = section[1].strip(), section[2] or ""
                _ = groups.groups[group]
            elif part == "children":
                groups.groups[group].children.append(words[0])
            elif part == "vars":
                groups.groups[group].vars.update(_pair(line))
            else:
                given = dict(word.split("=", 1) for word in words[1:] if "=" in word)
                for name in _names(words[0], expand):
                    groups.add(group, name, given)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return groups


def _words(line: str) -> list[str]:
    if line.lstrip().startswith(("#", ";")):
        return []
    return shlex.split(line, comments=True)


def _pair(line: str) -> _Vars:
    name, equals, value = line.partition("=")
    if not equals:
        raise ValueError(f"no = in {line.strip()!r}")
    value = value.strip()
    if len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]:
        value = value[1:-1]
    return {name.strip(): value}


def _names(text: str, expand: "Callable[[str], list[str]] | None") -> Iterable[str]:
    """Ansible's own ranges, both ends counted: ``db-[01:16]``, ``db-[a:f]``, ``[1:9:2]``."""
    found = _RANGE.search(text)
    if found is None:
        return expand(text) if expand and "[" in text else [text]
    first, last, step = found[1], found[2], int(found[3] or 1)
    if first.isdecimal() != last.isdecimal():
        raise ValueError(f"{found[0]} is no range")
    if first.isdecimal():
        low, high = int(first), int(last)
        width = len(first) if first.startswith("0") else 0
        values = (str(number).zfill(width) for number in range(low, high + 1, step))
    else:
        low, high = ord(first), ord(last)
        values = (chr(number) for number in range(low, high + 1, step))
    if high < low or high - low >= MOST_HOSTS:
        raise ValueError(f"{found[0]} is no range")
    before, after = text[: found.start()], text[found.end() :]
    return (name for value in values for name in _names(f"{before}{value}{after}", expand))


def _json(text: str) -> _Groups:
    """What ``ansible-inventory --list`` prints: its groups, and in ``_meta`` all variables."""
    groups = _Groups()
    try:
        document: dict[str, Any] = json.loads(text)
        variables = document.get("_meta", {}).get("hostvars", {})
        for group, said in document.items():
            if group == "_meta":
                continue
            inner = said if isinstance(said, dict) else {"hosts": said}
            groups.groups[group].children.extend(map(str, inner.get("children", ())))
            groups.groups[group].vars.update(_texts(inner.get("vars", {})))
            for name in inner.get("hosts", ()):
                groups.add(group, str(name), _texts(variables.get(name, {})))
        for name, given in variables.items():
            groups.hosts.setdefault(str(name), _texts(given))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no inventory in JSON: {error}") from None
    return groups


def _texts(given: Mapping[str, object]) -> _Vars:
    return {str(key): str(value) for key, value in given.items() if key.startswith("ansible_")}
