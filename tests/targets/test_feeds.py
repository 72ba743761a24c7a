"""Downloads: conditional, capped, https only; a test server on this machine answers."""

import hashlib
import io
import tarfile
import threading
import urllib.request
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from assay.advisories.feeds.feed import BadFeed, Feed
from assay.advisories.feeds.refresh import all_feeds
from assay.targets import feeds
from assay.targets.feeds import Cache, Download, FetchError, Opener, documents

LOCAL = Opener(also=frozenset({"http"}))


class Server(BaseHTTPRequestHandler):
    body = b'{"a": 1}'
    etag = '"one"'
    seen: list = []  # noqa: RUF012 - one server at a time

    def do_GET(self):
        type(self).seen.append(dict(self.headers))
        if self.path == "/gone":
            self.send_error(404)
        elif self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "ftp://example.org/x")
            self.end_headers()
        elif self.headers.get("If-None-Match") == self.etag:
            self.send_response(304)
            self.end_headers()
        else:
            self.send_response(200)
            self.send_header("ETag", self.etag)
            self.end_headers()
            self.wfile.write(self.body)

    def log_message(self, *args):
        pass


@pytest.fixture
def url():
    server = HTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    Server.seen, Server.etag, Server.body = [], '"one"', b'{"a": 1}'
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_second_request_is_conditional(url, tmp_path):
    cache = Cache(tmp_path / "downloads")
    first = cache.get(url + "/x", opener=LOCAL)
    assert first.fresh
    assert first.sha256 == hashlib.sha256(first.data).hexdigest()
    again = cache.get(url + "/x", opener=LOCAL)
    assert (again.fresh, again.data, again.when) == (False, first.data, first.when)
    assert Server.seen[1]["If-None-Match"] == '"one"'
    Server.etag, Server.body = '"two"', b'{"a": 2}'
    assert cache.get(url + "/x", opener=LOCAL).data == b'{"a": 2}'


def test_a_damaged_copy_is_no_copy(url, tmp_path):
    cache = Cache(tmp_path)
    cache.get(url + "/x", opener=LOCAL)
    (stored,) = tmp_path.glob("*.data")
    stored.write_bytes(b"something else")
    assert cache.get(url + "/x", opener=LOCAL).data == Server.body


def test_what_goes_wrong_is_said(url, tmp_path, monkeypatch):
    cache = Cache(tmp_path)
    with pytest.raises(FetchError, match="404"):
        cache.get(url + "/gone", opener=LOCAL)
    with pytest.raises(FetchError, match="redirected to ftp"):
        cache.get(url + "/away", opener=LOCAL)
    with pytest.raises(FetchError, match="only https"):
        cache.get(url + "/x")
    with pytest.raises(FetchError):
        cache.get("http://127.0.0.1:1/x", opener=LOCAL)
    monkeypatch.setattr(feeds, "CAP", 3)
    with pytest.raises(FetchError, match="more than"):
        cache.get(url + "/x", opener=LOCAL)
    assert isinstance(urllib.request.Request(url), urllib.request.Request)


def download(data):
    return Download("https://example.org/a", data, "", "", fresh=True)


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(members, mode):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(data)
            archive.addfile(about, io.BytesIO(data))
    return out.getvalue()


def feed(id) -> Feed:
    return all_feeds()[id]


def test_members_of_archives():
    go = {"ID/GO-2030-0001.json": b"{}", "index/modules.json": b"[]", "../ID/GO-1.json": b""}
    assert list(documents(feed("govulndb"), download(zipped(go)))) == [
        ("ID/GO-2030-0001.json", b"{}")
    ]
    kernel = {"vulns/cve/published/2030/CVE-2030-1.dyad": b"x", "vulns/cve/rejected/a": b""}
    for mode in ("w:gz", "w:xz"):
        found = list(documents(feed("linux-cna"), download(tarred(kernel, mode))))
        assert [data for _, data in found] == [b"x"]
    assert list(documents(feed("cisa-kev"), download(b"{}"))) == [("https://example.org/a", b"{}")]


@pytest.mark.parametrize("junk", [b"", b"<html>", b"PK\x03\x04junk", b"\x1f\x8bjunk"])
def test_a_damaged_archive_is_refused(junk):
    with pytest.raises(BadFeed):
        list(documents(feed("govulndb"), download(junk)))
