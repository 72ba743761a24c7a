"""What a parser sees of a node: its evidence, with a note of every source it looked at."""

import re
from collections.abc import Iterator, Mapping

from assay.kit.pack import Entry, PackError, load
from assay.kit.reading import Reading
from assay.model.evidence import Capture, Evidence, Ref, Status

LINE = r"[^\x00-\x08\x0a-\x1f\x7f]*"  # one line of plain text, or nothing


class Unread(Exception):
    """The world's fault: something could not be read or makes no sense. Becomes UNKNOWN."""


class NotAsked(Unread):
    """A question for the whole cluster, which is not put to each of its nodes."""


class Seen:
    """The evidence of one node as its parsers see it.

    Asking for something that was not answered raises :class:`Unread` with the reason, so a parser
    is written for the good case and an unread source is UNKNOWN by itself.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._used: dict[str, Capture] = {}
        self._lost: dict[str, str] = {}

    @property
    def lost(self) -> str:
        """Files that were there and could not be read: what they hold is unknown."""
        if not self._lost:
            return ""
        first, why = next(iter(self._lost.items()))
        more = f" and {len(self._lost) - 1} more" if len(self._lost) > 1 else ""
        return f"`{first}`: {why}{more}"

    @property
    def unreadable(self) -> Mapping[str, str]:
        """The files that were there and could not be read so far, and why."""
        return dict(self._lost)

    def lose(self, path: str, why: str) -> None:
        """Note that *path* is there, and what it holds is not known."""
        self._lost[path] = why

    @property
    def used(self) -> tuple[Ref, ...]:
        """The captures looked at so far, in order."""
        node = self._evidence.node
        return tuple(Ref(node, c.source, c.sha256) for c in self._used.values())

    def capture(self, reading: Reading) -> Capture | None:
        """The raw capture, whatever its status; None when this run never tried the reading."""
        found = self._evidence.captures.get(reading.source)
        if found is not None:
            self._used[reading.source] = found
        return found

    def absent(self, reading: Reading) -> bool:
        """True when we looked and the command or path is not there."""
        found = self.capture(reading)
        return found is not None and found.status is Status.ABSENT

    def answered(self, reading: Reading, *, exits: tuple[int, ...] = (0,)) -> Capture:
        """The capture if it is a whole answer with an exit code in *exits*, else Unread."""
        found = self.capture(reading)
        if found is None:
            why = f"`{reading.label}` was not read in this run"
            raise NotAsked(why) if reading.per_cluster or self._evidence.head else Unread(why)
        if found.status is not Status.ANSWERED:
            why = found.reason or _first_line(found.stderr)
            raise Unread(f"`{reading.label}`: {found.status}" + (f" ({why})" if why else ""))
        if found.exit_code not in (None, *exits):
            head = _first_line(found.stderr) or _first_line(
                found.data[:4096].decode("utf-8", "replace")
            )
            raise Unread(f"`{reading.label}` exited with {found.exit_code}: {head}")
        return found

    def text(self, reading: Reading, *, exits: tuple[int, ...] = (0,)) -> str:
        """The answer as text; bytes that are not UTF-8 become U+FFFD. Binary is no text."""
        data = self.answered(reading, exits=exits).data
        if b"\0" in data:
            raise Unread(f"`{reading.label}` answered with binary data")
        return data.decode("utf-8", "replace")

    def entries(self, reading: Reading) -> Iterator[Entry]:
        """The entries of a pack (files, listings, links), also those that could not be read.

        Nothing matched is "read, and nothing there" (the collector says absent): no entries. An
        answer without any entry is none.
        """
        if self.absent(reading):
            return
        data = self.answered(reading).data
        if not data:
            raise Unread(f"`{reading.label}` answered with nothing")
        try:
            yield from load(data)
        except PackError as error:
            raise Unread(f"`{reading.label}`: {error}") from error

    def files(self, reading: Reading) -> Iterator[tuple[str, str]]:
        """Path and text of every file of a pack that was read, in path order.

        A file that was there but not readable for us makes the probe unread, beside whatever it
        still gives; one for which the kernel has no value (EINVAL under /sys) is just not there.
        """
        for entry in self.entries(reading):
            if entry.status != Status.ANSWERED:
                if entry.status != Status.FAILED:
                    self.lose(entry.path, entry.status)
            elif b"\0" in entry.data:
                self.lose(entry.path, "binary data")
            else:
                yield entry.path, entry.data.decode("utf-8", "replace")

    def values(
        self, reading: Reading, forms: Mapping[str, str] | None = None
    ) -> Iterator[tuple[str, str]]:
        """Path and stripped text of files that hold one value each, as the kernel shows them.

        *forms* has a regular expression for the whole value by the name of the file, or by
        "folder/" for all files of that folder; any other value is one line. What has not its form
        is lost like what was denied.
        """
        known = forms or {}
        for path, text in self.files(reading):
            value = text.strip()
            folder, name = f"/{path}".split("/")[-2:]
            if re.fullmatch(known.get(name) or known.get(f"{folder}/", LINE), value):
                yield path, value
            else:
                self.lose(path, f"says {value[:60]!r}")

    def file(self, reading: Reading) -> str | None:
        """The text of the first file of a pack; None when there is none; Unread when denied."""
        for entry in self.entries(reading):
            if entry.status != Status.ANSWERED:
                raise Unread(f"`{entry.path}`: {entry.status}")
            return entry.data.decode("utf-8", "replace")
        return None


def _first_line(text: str) -> str:
    return next((line.strip()[:200] for line in text.splitlines() if line.strip()), "")
