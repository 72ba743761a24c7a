"""Take out of what was read, before it leaves the node, what tells who and which machine it is.

Part of the program that is sent to nodes: Python 3.6, standard library only. Secrets always go.
Identities (hardware serials, MAC addresses, GUIDs, UUIDs, public addresses, people) become salted
hashes of the same form, unless the user wants them in the evidence.
"""

import re

from assay.collector.addresses import addresses, bare_guids
from assay.collector.credentials import endings, replaced, without_secrets
from assay.collector.hashes import Hashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_UUID_TAIL = re.compile(rb"-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Za-z])")
_UUID_HEAD = re.compile(rb"(?:^|[^0-9A-Za-z])[0-9A-Fa-f]{8}\Z")
# Constants, no identities: EFI variables and partition types, which parsers look for.
_KNOWN_UUIDS = frozenset(
    b"8be4df61-93ca-11d2-aa0d-00e098032b8c d719b2cb-3d3a-4596-a3bc-dad00e67656f"
    b" 605dab50-e046-4300-abb6-3dd810dd8b23 c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
    b" 0fc63daf-8483-4772-8e79-3d69d8477de4 4f68bce3-e8cd-4db1-96e7-fbcaf984b709"
    b" 0657fd6d-a4ab-43c4-84e5-0933c84b4f4f 21686148-6449-6e6f-744e-656564454649".split()
)
# Fields that hold serials: a literal to find them by, then what may follow in their names.
_SERIALS = tuple(
    (
        literal,
        re.compile(
            rest
            + rb"(?:\([^)\n]{0,24}\))?\\?[\"']?[ \t]*(?:[:=|]|(?<!/)>)[ \t]*\\?[\"']?"
            + rb"([^\s\"'<>|,;\\]{1,80}(?: [^\s\"'<>|,;\\]{1,80}){0,8})"
        ),
    )
    for literal, rest in (
        (b"serial", rb"(?P<exact>[ _-]?(?:number|num|nr|no\.?|short|#)|)"),
        (b"asset", rb"(?P<exact>[ _-]?tag)"),
        (b"service", rb"(?P<exact>[ _-]?tag)"),
        (b"unique", rb"(?P<exact>[ _-]?id)"),
        (b"wwn", rb"(?P<exact>[ _-]device id|)"),
        (b"wwid", rb"(?P<exact>)"),
        (b"nguid", rb"(?P<exact>)"),
        (b"eui64", rb"(?P<exact>)"),
        (b"machine", rb"(?P<exact>[ _-]?id)"),
        (b"[sn]", rb"(?P<exact>[^:\n]{1,24})"),
    )
)
# Files that hold nothing but one.
_SERIAL_FILES = frozenset(
    b"serial serial_number product_serial board_serial chassis_serial product_asset_tag"
    b" board_asset_tag chassis_asset_tag machine-id product_uuid unique_id wwid wwn nguid eui"
    b" uuid".split()
)
_LINE = re.compile(rb"[^\n\x00]+")
_MKEY = re.compile(rb"(?<=[Kk][Ee][Yy])([ \t:.=]+0x)(?!0+(?![0-9a-f]))([0-9a-f]{16})(?![0-9a-f])")
_BY_ID = re.compile(rb"(/by-id/[^/]*?_)([0-9A-Za-z]{6,}(?:_\d)?)((?:-part\d+|-lun-\d+)*)\Z")
_WWN = re.compile(rb"(?<=wwn-0x)[0-9a-f]{16,32}|(?<=nvme-eui\.)[0-9a-f]{16,32}")
_HOME = re.compile(rb"((?:/home|/users|/Users)/)(?!user-[0-9a-f]{8}\b)([A-Za-z0-9_][\w.@-]*)")
# Where every word that is a user's name is that user's name.
_ACCOUNTS = (b"/etc/passwd", b"/etc/group", b"/etc/sub", b"/etc/sudoers", b"getent ", b"id ")
_PASSWD_LINE = re.compile(rb"^([^:\n]+:[^:\n]*:(\d+):\d+:)[^:\n]*(?=:[^:\n]*:[^:\n]*$)", re.M)
# Accounts that images come with.
_NOBODY = frozenset(
    b"root ubuntu debian centos rocky alma almalinux fedora rhel redhat suse opensuse ec2-user"
    b" cloud-user cloud opc azureuser admin administrator user users vagrant core nvidia amd intel"
    b" slurm munge dgx lab test guest nobody operator service system daemon docker podman kube"
    b" kubernetes node linux gpu mpi shared public lost+found linuxbrew ansible deploy monitor"
    b" monitoring prometheus grafana".split()
)
# Names of people that are also words of tools: replaced only where a user is meant.
_COMMON = frozenset(
    b"data build mark grace hope will drew chase rich bill frank page link port state active name"
    b" host hopper ampere blackwell turing volta pascal kepler maxwell fermi tesla class type mode"
    b" info error warning debug model memory power driver kernel module device devices version"
    b" status normal default enabled disabled none true false null".split()
)
_GZIP = b"\x1f\x8b"  # /proc/config.gz
_NUMBERS = b"0123456789 \t\r\n-+"


class Redactor:
    """Makes what was read fit to leave the node. One object a run; calls may run in parallel.

    ``people`` are the names of human users and their home folders.
    """

    def __init__(self, salt: bytes, identifying: bool, people: "dict[bytes, bytes]") -> None:
        self._hashes = Hashes(salt)
        self._identifying = identifying
        self._people = [] if identifying else list(_patterns(people))
        names = sorted((n for n in people if n not in _NOBODY), key=len, reverse=True)
        word = rb"()(?<![\w.-])(" + b"|".join(map(re.escape, names)) + rb")(?![\w.-])"
        self._listed = re.compile(word) if names and not identifying else None
        self._joint = b"\n\x01" + self._hashes.of("joint", b"")[:24].encode() + b"\n"

    def __call__(self, data: bytes, where: bytes) -> bytes:
        """*data* as it may leave; *where* is the command line or the path that gave it."""
        if data.startswith(_GZIP) or not (data.translate(None, _NUMBERS) or _named_serial(where)):
            return data
        data = without_secrets(data)
        if b"0x" in data and b"ey" in data:  # the keys that protect an InfiniBand fabric
            data = _MKEY.sub(lambda m: m.group(1) + self._hashes.digits(m.group(2)), data)
        return data if self._identifying else self._without_identities(data, where)

    def pack(self, entries: "list[tuple[bytes, str, bytes]]") -> "list[tuple[bytes, str, bytes]]":
        """The entries of a pack: many small texts in one go, which is much cheaper."""
        cleaned = {}  # type: dict[bytes, bytes]
        for root in (b"/", b"/sys/"):
            group = []
            for path, _, data in entries:
                if self._special(path) or data.startswith(_GZIP):
                    cleaned[path] = self(data, path)
                elif path.startswith(b"/sys/") == (root == b"/sys/"):
                    group.append((path, data))
            joined = self(self._joint.join(data for _, data in group), root).split(self._joint)
            if len(joined) != len(group):  # a rule reached over the end of a file
                joined = [self(data, path) for path, data in group]
            cleaned.update((path, joined[n]) for n, (path, _) in enumerate(group))
        return [(self.path(path), status, cleaned[path]) for path, status, _ in entries]

    def _special(self, path: bytes) -> bool:
        """Is this a file whose name, and not only whose text, says what has to go or stay?"""
        told = path.startswith((b"/proc/net/", b"/sys/class/infiniband", *_ACCOUNTS))
        return not self._identifying and (told or b"version" in path or _named_serial(path))

    def path(self, path: bytes) -> bytes:
        """A path as it may leave: names of people, disks and pods go."""
        if self._identifying:
            return path
        if b"/by-id/" in path:
            path = _BY_ID.sub(
                lambda m: m.group(1) + self._hashes.serial(m.group(2)) + m.group(3), path
            )
            path = _WWN.sub(lambda m: self._hashes.digits(m.group()), path)
        if b"-" in path and not path.startswith(b"/sys/firmware/"):
            path = replaced(path, self._uuids(path))
        return self._without_people(path)

    def _without_identities(self, data: bytes, where: bytes) -> bytes:
        if _named_serial(where):
            return _LINE.sub(lambda m: self._hashes.identity(m.group()), data)
        edits = [] if where.endswith(b"boot_id") else self._uuids(data)
        data = replaced(data, edits + addresses(data, where, self._hashes))
        low = data.lower()
        edits = self._serials(data, low) + bare_guids(data, low, where, self._hashes)
        if b"--query-" in where:
            edits += self._columns(data, where)
        data = replaced(data, edits)
        if where.startswith(_ACCOUNTS):
            data = _PASSWD_LINE.sub(_without_gecos, data)
            data = self._listed.sub(self._person, data) if self._listed else data
        return self._without_people(data)

    def _uuids(self, data: bytes) -> "list[tuple[int, int, bytes]]":
        found = []
        for tail in _UUID_TAIL.finditer(data):
            start, end = tail.start() - 8, tail.end()
            if not _UUID_HEAD.search(data[max(0, start - 1) : start + 8]):
                continue
            old = data[start:end]
            if old.strip(b"0-") and old.lower() not in _KNOWN_UUIDS:
                found.append((start, end, self._hashes.uuid(old)))
        return found

    def _serials(self, data: bytes, low: bytes) -> "list[tuple[int, int, bytes]]":
        found = []
        for literal, rule in _SERIALS:
            for end in endings(low, literal):
                match = rule.match(low, end)
                if match is None:
                    continue
                start, stop = match.span(2)
                if not match.group("exact") and b" " in match.group(2):
                    continue  # "Serial: 8250/16550 driver, 32 ports"
                found.append((start, stop, self._hashes.identity(data[start:stop])))
        return found

    def _columns(self, data: bytes, where: bytes) -> "list[tuple[int, int, bytes]]":
        """Serials in the columns of `nvidia-smi --query-...=name,serial --format=csv`."""
        fields = where.partition(b"--query-")[2].partition(b"=")[2].split(b" ")[0].split(b",")
        wanted = [
            n for n, name in enumerate(fields) if name.endswith((b"serial", b"serial_number"))
        ]
        found, at = [], 0
        for line in data.split(b"\n") if wanted else ():
            cells = line.split(b",")
            for n in wanted if len(cells) == len(fields) else ():
                value = cells[n].strip()
                start = at + sum(len(cell) + 1 for cell in cells[:n]) + cells[n].index(value)
                found.append((start, start + len(value), self._hashes.identity(value)))
            at += len(line) + 1
        return found

    def _without_people(self, data: bytes) -> bytes:
        if self._identifying:
            return data
        if b"/home/" in data or b"/users/" in data or b"/Users/" in data:
            data = _HOME.sub(self._person, data)
        for name, pattern in self._people:
            if name in data:
                data = pattern.sub(self._person, data)
        return data

    def _person(self, match: "re.Match[bytes]") -> bytes:
        name = match.group(2)
        return match.group() if name in _NOBODY else match.group(1) + self._hashes.person(name)


def _named_serial(path: bytes) -> bool:
    return path[:1] == b"/" and path.rpartition(b"/")[2] in _SERIAL_FILES


def _without_gecos(match: "re.Match[bytes]") -> bytes:
    """A line of passwd without the person's own name."""
    return match.group(1) if 1000 <= int(match.group(2)) < 60000 else match.group()


def _patterns(people: "dict[bytes, bytes]") -> "Iterator[tuple[bytes, re.Pattern[bytes]]]":
    """How each person's name is found: as a word of its own, or only where a user is meant."""
    for name in sorted(people, key=len, reverse=True):
        if name in _NOBODY or not name:
            continue
        places = [
            rb"(?i:user(?:name)?|login|owner|uid=\d+|gid=\d+|group|by|for|acct)[ \t\"'=:(]{1,4}",
            rb"^(?=[^:\n]{1,64}:[^:\n]{0,256}:\d)",
            rb"(?<![\w.-])(?=[^@\s:]{1,64}@)",
        ]
        folder = people[name].rpartition(b"/")[0]
        if folder:
            places.append(re.escape(folder) + b"/")
        if len(name) > 3 and name.lower() not in _COMMON:
            places.append(rb"(?<![\w.-])")
        word = re.escape(name) + rb"(?![\w.-]{0,64}\w)"
        yield name, re.compile(rb"(" + rb"|".join(places) + rb")(" + word + rb")", re.M)
