"""Download public feeds: the only place where advisories touch the network.

Conditional requests (ETag, Last-Modified), a deadline and a cap for every download, https only,
no redirect to anything else. What arrives is bytes; adapters in ``advisories/feeds`` read them.
"""

import hashlib
import io
import json
import lzma
import tarfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay import __version__
from assay.advisories.feeds.feed import BadFeed, Feed

CAP = 512 << 20  # bytes of one download; the largest feed (cvelistV5) has some 200 MB
MEMBER_CAP = 16 << 20  # bytes of one document inside an archive
DEADLINE = 60.0  # seconds without a byte
_HEADERS = {"User-Agent": f"gpu-assay/{__version__}", "Accept-Encoding": "identity"}


class FetchError(Exception):
    """A feed could not be downloaded: who, and why."""


@dataclass(frozen=True, slots=True)
class Download:
    """What one URL answered. ``fresh`` is False when the copy that we had is still current."""

    url: str
    data: bytes
    sha256: str
    when: str
    fresh: bool


@dataclass(frozen=True, slots=True)
class _Known:
    etag: str = ""
    modified: str = ""
    sha256: str = ""
    when: str = ""


class Cache:
    """Downloads by URL in a folder of the user's, with what conditional requests need."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, url: str, *, opener: "Opener | None" = None) -> Download:
        """*url*, from the network or from the copy if the server says that it is current."""
        known, old = self._known(url)
        request = urllib.request.Request(url, headers=dict(_HEADERS))  # noqa: S310 - see _Https
        if old is not None and known.etag:
            request.add_header("If-None-Match", known.etag)
        if old is not None and known.modified:
            request.add_header("If-Modified-Since", known.modified)
        try:
            with (opener or Opener()).open(request) as answer:
                data = _whole(answer, url)
                headers = answer.headers
        except urllib.error.HTTPError as error:
            if error.code == 304 and old is not None:
                return Download(url, old, known.sha256, known.when, fresh=False)
            raise FetchError(f"{url}: HTTP {error.code} {error.reason}") from error
        except (urllib.error.URLError, OSError, ValueError) as error:
            raise FetchError(f"{url}: {getattr(error, 'reason', error)}") from error
        digest = hashlib.sha256(data).hexdigest()
        when = datetime.now(UTC).isoformat(timespec="seconds")
        now = _Known(headers.get("ETag", ""), headers.get("Last-Modified", ""), digest, when)
        self._keep(url, now, data)
        return Download(url, data, digest, when, fresh=True)

    def _paths(self, url: str) -> tuple[Path, Path]:
        name = hashlib.sha256(url.encode()).hexdigest()[:24]
        return self._folder / f"{name}.json", self._folder / f"{name}.data"

    def _known(self, url: str) -> tuple[_Known, bytes | None]:
        about, body = self._paths(url)
        try:
            given: dict[str, Any] = json.loads(about.read_text("utf-8"))
            known, data = _Known(**given), body.read_bytes()
        except (OSError, ValueError, TypeError):
            return _Known(), None
        if hashlib.sha256(data).hexdigest() != known.sha256:
            return _Known(), None  # a damaged copy is no copy
        return known, data

    def _keep(self, url: str, known: _Known, data: bytes) -> None:
        about, body = self._paths(url)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path, content in ((body, data), (about, json.dumps(asdict(known)).encode())):
            temporary = path.with_suffix(path.suffix + ".new")
            temporary.write_bytes(content)
            temporary.replace(path)


class _Https(urllib.request.HTTPRedirectHandler):
    """Follow redirects to https only."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Refuse a redirect that leaves https."""
        if urlsplit(newurl).scheme != "https":
            raise urllib.error.URLError(f"redirected to {urlsplit(newurl).scheme}, refused")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Opener:
    """Opens https URLs. ``also`` admits another scheme (a test's own server)."""

    def __init__(self, *, also: frozenset[str] = frozenset()) -> None:
        self._schemes = {"https"} | also
        self._opener = urllib.request.build_opener(_Https())

    def open(self, request: urllib.request.Request) -> Any:
        """The answer to *request*."""
        if urlsplit(request.full_url).scheme not in self._schemes:
            raise ValueError("only https is fetched")
        return self._opener.open(request, timeout=DEADLINE)


def _whole(answer: Any, url: str) -> bytes:
    data: bytes = answer.read(CAP + 1)
    if len(data) > CAP:
        raise FetchError(f"{url}: more than {CAP >> 20} MiB")
    return data


def documents(feed: Feed, download: Download) -> Iterator[tuple[str, bytes]]:
    """The documents in a download: itself, or those members of an archive that the feed reads."""
    if feed.members is None:
        yield download.url, download.data
        return
    head = download.data[:6]
    try:
        if head[:2] == b"PK":
            yield from _zipped(feed, download.data)
        elif head[:2] == b"\x1f\x8b" or head == b"\xfd7zXZ\x00":
            yield from _tarred(feed, download.data)
        else:
            raise BadFeed(f"{feed.id}: {download.url} is no archive")
    except (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, EOFError, OSError) as error:
        raise BadFeed(f"{feed.id}: {download.url} is damaged: {error}") from error


def _zipped(feed: Feed, data: bytes) -> Iterator[tuple[str, bytes]]:
    assert feed.members is not None
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if feed.members.fullmatch(member.filename) and member.file_size <= MEMBER_CAP:
                yield member.filename, archive.read(member)


def _tarred(feed: Feed, data: bytes) -> Iterator[tuple[str, bytes]]:
    assert feed.members is not None
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as archive:
        for member in archive:
            if not member.isfile() or member.size > MEMBER_CAP:
                continue
            if feed.members.search(member.name):
                opened = archive.extractfile(member)
                if opened is not None:
                    yield member.name, opened.read()
