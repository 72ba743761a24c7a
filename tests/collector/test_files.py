"""Files, listings, links and file systems that a real agent reads."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.collector.files import alternatives, mounts, wildcard
from assay.collector.stream import ARGV, Reader, request
from assay.engine.target import Options
from assay.kit.reading import Reading, Via, command, files, links, listing, statfs
from assay.model.evidence import Status

ROOT = os.geteuid() == 0


def sh(script, **options):
    return command("sh", "-c", script, **options)


def test_files_of_every_kind(collect, tmp_path, entries):
    (tmp_path / "a.conf").write_bytes(b"one\n")
    (tmp_path / "b.conf").write_bytes(b"\x00\xff\n\n== x answered 3\n")
    (tmp_path / "empty.conf").touch()
    (tmp_path / "d.conf").mkdir()
    (tmp_path / ".hidden.conf").write_text("no")
    (tmp_path / "l.conf").symlink_to("a.conf")
    (tmp_path / "dangling.conf").symlink_to("nothing")
    (tmp_path / "loop.conf").symlink_to("loop.conf")
    os.mkfifo(tmp_path / "fifo.conf")
    (tmp_path / "device.conf").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s.conf"))
    reading = files(f"{tmp_path}/*.conf")
    found = {Path(p).name: e for p, e in entries(collect(reading)[reading]).items()}
    assert found == {
        "a.conf": ("answered", b"one\n"),
        "b.conf": ("answered", b"\x00\xff\n\n== x answered 3\n"),
        "empty.conf": ("answered", b""),
        "l.conf": ("answered", b"one\n"),
        "loop.conf": ("failed", b""),
        "fifo.conf": ("failed", b""),
        "device.conf": ("failed", b""),
        "s.conf": ("failed", b""),
    }


@pytest.mark.parametrize(
    "name",
    ["two words", 'quo"te', "new\nline", "snow ☃", b"bad\xff".decode("utf-8", "surrogateescape")],
)
def test_names_of_files_survive(collect, tmp_path, name, entries):
    (tmp_path / name).write_text("x")
    reading, listed = files(f"{tmp_path}/*"), listing(f"{tmp_path}/*")
    found = collect(reading, listed)
    for capture in (found[reading], found[listed]):
        ((path, (status, _)),) = entries(capture).items()
        assert status == "answered"
        assert path == f"{tmp_path}/{name}"


def test_alternatives_wildcards_and_absence(collect, tmp_path, entries):
    for path in ("x/1/a", "x/1/b", "x/2/a", "y/1/a", "x/[z]/c"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    readings = {
        "x/*/{a,b}": ["x/1/a", "x/1/b", "x/2/a"],
        "{x,y}/?/a": ["x/1/a", "x/2/a", "y/1/a"],
        "{x/1,y/{1,2}}/a": ["x/1/a", "y/1/a"],
        "x/[12]/a": ["x/1/a", "x/2/a"],
        "x/[!1]/a": ["x/2/a"],
        "x/1/a": ["x/1/a"],
        "x/1/a/b": [],
        "z/*": [],
        "x/1/c*": [],
    }
    asked = {glob: files(f"{tmp_path}/{glob}") for glob in readings}
    found = collect(*asked.values())
    for glob, reading in asked.items():
        capture = found[reading]
        assert capture.status is (Status.ANSWERED if readings[glob] else Status.ABSENT), glob
        assert [p.removeprefix(f"{tmp_path}/") for p in entries(capture)] == readings[glob], glob


def test_the_parts_of_globbing():
    wanted = {"/a/c", "/ab/c", "/a/de", "/ab/de", "/a/df", "/ab/df"}
    assert set(alternatives("/a{,b}/{c,d{e,f}}")) == wanted
    assert wildcard(b"a.[0-9]*").match(b"a.7x")
    assert not wildcard(b"a.[0-9]*").match(b"ab7x")
    assert wildcard(b"[^\\]x").match(b"^x")
    assert not wildcard(b"[!^]x").match(b"^x")
    assert wildcard(b"[x").match(b"[x")


def test_a_large_file_alone_and_among_many(collect, tmp_path, entries):
    (tmp_path / "large").write_bytes(b"x" * 3_000_000)
    (tmp_path / "small").write_bytes(b"y")
    alone, among = files(f"{tmp_path}/large", cap=2_000_000), files(f"{tmp_path}/*")
    tight = files(f"{tmp_path}/{{large,small}}", cap=1000)
    found = collect(alone, among, tight)
    assert found[alone].status is Status.TRUNCATED
    assert len(entries(found[alone])[f"{tmp_path}/large"][1]) == 2_000_000
    assert found[among].status is Status.ANSWERED
    status, data = entries(found[among])[f"{tmp_path}/large"]
    assert (status, len(data)) == ("truncated", 1 << 20)
    assert entries(found[among])[f"{tmp_path}/small"] == ("answered", b"y")
    assert found[tight].status is Status.TRUNCATED
    assert len(found[tight].data) < 1200


def test_an_endless_file_of_proc_is_bounded(collect):
    reading = files("/proc/kallsyms", cap=1000)
    capture = collect(reading)[reading]
    assert capture.status in (Status.TRUNCATED, Status.ABSENT)
    assert len(capture.data) < 1100


def test_sysfs_through_linked_folders(collect, entries):
    reading = files("/sys/class/net/lo/{mtu,speed,address}")
    found = entries(collect(reading)[reading])
    assert found["/sys/class/net/lo/mtu"][0] == "answered"
    assert found["/sys/class/net/lo/address"] == ("answered", b"00:00:00:00:00:00\n")
    assert found["/sys/class/net/lo/speed"] == ("failed", b"")  # EINVAL


def test_denied_is_not_absent(tmp_path, entries):
    """As somebody who may not: neither a file nor a folder that refuses is "nothing there"."""
    if not ROOT:
        pytest.skip("needs root, to become somebody else")
    (tmp_path / "closed").mkdir(mode=0o700)
    (tmp_path / "closed" / "x").write_text("x")
    (tmp_path / "shut").write_text("x")
    (tmp_path / "shut").chmod(0)
    (tmp_path / "open").write_text("x")
    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/") and not folder.stat().st_mode & 1:
            folder.chmod(folder.stat().st_mode | 0o011)
    tmp_path.chmod(0o755)
    readings = [
        files(f"{tmp_path}/shut"),
        files(f"{tmp_path}/closed/x"),
        files(f"{tmp_path}/closed/*"),
        listing(f"{tmp_path}/closed/*"),
        files(f"{tmp_path}/{{open,shut}}"),
        files(f"{tmp_path}/{{open,closed/*}}"),
    ]
    done = subprocess.run(
        ["/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable, *ARGV],
        input=request(readings, Options()),
        capture_output=True,
        user=65534,
        group=65534,
        extra_groups=[],
        check=False,
    )
    if done.returncode:
        pytest.skip("no Python here that everyone may run")
    got = {getattr(f, "source", ""): f for f in Reader(readings).feed(done.stdout)}
    status = [got[r.source].status for r in readings]
    assert status == [Status.DENIED] * 4 + [Status.ANSWERED] * 2
    assert entries(got[readings[4].source])[f"{tmp_path}/shut"] == ("denied", b"")
    assert entries(got[readings[5].source])[f"{tmp_path}/closed"] == ("denied", b"")


def test_listings_and_links(collect, tmp_path, entries):
    (tmp_path / "f").write_bytes(b"12345")
    (tmp_path / "f").chmod(0o4640)
    (tmp_path / "d").mkdir(mode=0o1777)
    (tmp_path / "d").chmod(0o1777)
    (tmp_path / "l").symlink_to("/some where/else")
    os.mkfifo(tmp_path / "p", 0o600)
    listed, null, linked = (
        listing(f"{tmp_path}/*"),
        listing("/dev/{null,nope}"),
        links(f"{tmp_path}/*"),
    )
    found = collect(listed, null, linked)
    me = f"{os.getuid()} {os.getgid()}"
    lines = {Path(p).name: e[1].decode() for p, e in entries(found[listed]).items()}
    assert lines["f"] == f"f 4640 {me} - 5"
    assert lines["d"].startswith(f"d 1777 {me} - ")
    assert lines["l"] == f"l 0777 {me} - 16"
    assert lines["p"] == f"p 0600 {me} - 0"
    assert entries(found[null]) == {"/dev/null": ("answered", b"c 0666 0 0 1:3 0")}
    assert entries(found[linked]) == {f"{tmp_path}/l": ("answered", b"/some where/else")}


def test_statfs_of_the_root(collect, entries):
    reading = statfs()
    status, data = entries(collect(reading)[reading])["/"]
    kind, *numbers = data.decode().split()
    real = os.statvfs("/")
    assert status == "answered"
    assert kind.isalnum()
    assert len(numbers) == 6
    assert (int(numbers[0]), int(numbers[1])) == (real.f_frsize, real.f_blocks)


def test_which_mounts_are_asked():
    table = (
        b"proc /proc proc rw 0 0\n/dev/sda1 / ext4 rw 0 0\n/dev/sda1 /var/lib/bind ext4 rw 0 0\n"
        b"nas:/x /mnt/two\\040words nfs4 rw 0 0\ntmpfs /dev/shm tmpfs rw 0 0\n"
        b"overlay /var/lib/docker/overlay2/1/merged overlay rw 0 0\nsystemd-1 /auto autofs rw 0 0\n"
        b"tmpfs /run tmpfs rw 0 0\nbroken\n"
    )
    assert mounts(table) == [
        (b"/", b"ext4"), (b"/dev/shm", b"tmpfs"), (b"/mnt/two words", b"nfs4"), (b"/run", b"tmpfs"),
    ]  # fmt: skip


HUNG = """
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open("/dev/fuse", os.O_RDWR)
folder = sys.argv[1].encode()
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fd
if libc.mount(b"dead", folder, b"fuse", 0, options):
    sys.exit(77)
done = subprocess.run(sys.argv[2:], stdin=0, timeout=30)
libc.umount2(folder, 2)
sys.exit(done.returncode)
"""


@pytest.mark.real
@pytest.mark.skipif(not ROOT or not Path("/dev/fuse").exists(), reason="needs root and /dev/fuse")
def test_a_dead_file_system_holds_up_nobody(tmp_path, entries):
    """A file system whose server never answers: every system call on it hangs for good."""
    dead = tmp_path / "dead"
    dead.mkdir()
    space = Reading("statfs", Via.STATFS, "statfs", deadline=1.0)
    hung = Reading("hung", Via.FILES, "hung", glob=f"{dead}/x", deadline=0.5)
    more = [
        Reading(f"hung{n}", Via.LISTING, "x", glob=f"{dead}/{n}/*", deadline=0.5) for n in range(9)
    ]
    good = sh("echo fine")
    readings = [space, hung, *more, good, files("/proc/version")]
    began = time.monotonic()
    done = subprocess.run(
        [
            "unshare",
            "-m",
            "--propagation",
            "private",
            sys.executable,
            "-c",
            HUNG,
            str(dead),
            sys.executable,
            *ARGV,
        ],
        input=request(readings, Options(deadline=10)),
        capture_output=True,
        timeout=40,
        check=False,
    )
    if done.returncode == 77 or b"unshare" in done.stderr:
        pytest.skip("cannot mount here")
    assert time.monotonic() - began < 12
    reader = Reader(readings)
    got = {getattr(f, "source", ""): f for f in reader.feed(done.stdout)}
    assert reader.complete
    assert {got[r.source].status for r in (hung, *more)} == {Status.TIMEOUT}
    assert "left behind" in got["hung"].reason
    assert got[good.source].data == b"fine\n"
    assert got["/proc/version"].status is Status.ANSWERED
    sizes = entries(got["statfs"])
    assert sizes[str(dead)] == ("timeout", b"")
    assert sizes["/"][0] == "answered"
