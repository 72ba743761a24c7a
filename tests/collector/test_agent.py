"""The agent as a real process, over real commands, files and signals."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assay.collector.files import alternatives, mounts, wildcard
from assay.collector.stream import ARGV, request
from assay.engine.catalogue import catalogue
from assay.engine.target import Options
from assay.kit.pack import load
from assay.kit.reading import Reading, Via, command, files, links, listing, statfs
from assay.model.evidence import Status

ROOT = os.geteuid() == 0


def sh(script, **options):
    return command("sh", "-c", script, **options)


def entries(capture):
    return {entry.path: (entry.status, entry.data) for entry in load(capture.data)}


def processes(word):
    """Processes with *word* in their command line or environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            text = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
        except OSError:
            continue
        if word.encode() in text and int(path.name) != os.getpid():
            found.append(int(path.name))
    return found


def gone(word, patience=3.0):
    until = time.monotonic() + patience
    while (left := processes(word)) and time.monotonic() < until:
        time.sleep(0.02)
    return not left


# --- commands


def test_a_command_gives_its_output_exit_code_and_complaints(collect):
    good, bad = sh("echo out; echo err >&2"), sh("printf 'x\\0\\377'; exit 3")
    found = collect(good, bad)
    assert found[good].data == b"out\n"
    assert found[good].stderr == "err\n"
    assert (found[good].status, found[good].exit_code) == (Status.ANSWERED, 0)
    assert 0 < found[good].seconds < 5
    assert (found[bad].data, found[bad].exit_code) == (b"x\x00\xff", 3)
    assert found.hello.hostname == socket.gethostname()
    assert found.hello.uid == os.getuid()


def test_a_command_sees_almost_nothing_of_us(collect, monkeypatch):
    monkeypatch.setenv("LD_PRELOAD_NOT", "1")
    env, here = command("env"), sh("pwd; cat; umask; ulimit -c; ls -l /proc/self/fd | wc -l")
    found = collect(env, here)
    names = {line.split("=")[0] for line in found[env].data.decode().splitlines()}
    assert names == {"PATH", "LC_ALL", "LANG", "HOME"}
    assert b"\nHOME=/nonexistent/" in b"\n" + found[env].data
    lines = found[here].data.split()
    assert lines[:2] == [b"/", b"0077"]  # stdin is empty
    assert int(lines[-1]) <= 5  # total, 0, 1, 2 and the folder itself: no pipe of ours leaks


def test_missing_and_forbidden_commands(collect, tmp_path):
    plain, junk, open_to_all = (tmp_path / n for n in ("plain", "junk", "open"))
    for path, mode in ((plain, 0o644), (junk, 0o755), (open_to_all, 0o777)):
        path.write_bytes(b"\x00not a program")
        path.chmod(mode)
    missing, absolute = command("no-such-tool-here"), command("/no/such/tool")
    readings = [command(str(path)) for path in (plain, junk, open_to_all)]
    found = collect(missing, absolute, *readings)
    assert found[missing].status is Status.ABSENT
    assert found[absolute].status is Status.ABSENT
    assert found[readings[0]].status is Status.DENIED
    assert found[readings[1]].status is Status.FAILED
    assert "can be changed by everyone" in found[readings[2]].reason


def test_a_command_that_is_killed_says_by_what(collect):
    reading = sh("kill -SEGV $$")
    assert collect(reading)[reading].exit_code == -11
    assert collect(reading)[reading].reason == "killed by signal 11"


def test_a_deadline_ends_the_whole_group_and_keeps_the_head(collect):
    reading = sh("echo head; sleep 98761 & sleep 98761", deadline=0.3)
    began = time.monotonic()
    capture = collect(reading)[reading]
    assert time.monotonic() - began < 3
    assert (capture.status, capture.data) == (Status.TIMEOUT, b"head\n")
    assert gone("98761")


def test_a_flood_is_cut_at_its_cap_and_its_producer_killed(collect):
    reading = command("yes", "flood98762", cap=100_000, deadline=20)
    capture = collect(reading)[reading]
    assert capture.status is Status.TRUNCATED
    assert capture.data == b"flood98762\n" * 9090 + b"flood98762"
    assert capture.seconds < 5
    assert gone("flood98762")


def test_a_flood_of_complaints_is_drained(collect):
    reading = sh("yes err98763 | head -c 3000000 >&2; echo done")
    capture = collect(reading)[reading]
    assert capture.data == b"done\n"
    assert len(capture.stderr) == 4096


def test_exactly_the_cap_is_no_truncation(collect):
    reading = sh("head -c 5000 /dev/zero | tr '\\0' a", cap=5000)
    assert collect(reading)[reading].status is Status.ANSWERED


def test_a_fork_bomb_ends_with_its_reading(collect):
    reading = sh(
        "n=0; while [ $n -lt 60 ]; do n=$((n+1)); (exec sleep 98764) & done; wait", deadline=0.5
    )
    assert collect(reading)[reading].status is Status.TIMEOUT
    assert gone("98764")


def test_a_child_that_stays_behind_is_killed_with_its_command(collect):
    reading = sh("sleep 98765 & echo done")
    began = time.monotonic()
    capture = collect(reading)[reading]
    assert (capture.status, capture.data) == (Status.ANSWERED, b"done\n")
    assert time.monotonic() - began < 3  # though the child holds the pipe open
    assert gone("98765")


def test_one_that_leaves_its_session_is_found_after_a_timeout(collect):
    reading = sh("setsid sleep 98766 & sleep 98766", deadline=0.4)
    assert collect(reading)[reading].status is Status.TIMEOUT
    assert gone("98766")


def test_closed_pipes_do_not_hide_a_hanging_command(collect):
    reading = sh("exec >&- 2>&-; exec sleep 98767", deadline=0.4)
    assert collect(reading)[reading].status is Status.TIMEOUT
    assert gone("98767")


def test_the_deadline_of_all_covers_what_never_began(collect):
    readings = [sh(f"sleep 5; echo {n}", deadline=9) for n in range(20)]
    began = time.monotonic()
    found = collect(*readings, deadline=0.5)
    assert time.monotonic() - began < 4
    assert {found[r].status for r in readings} == {Status.TIMEOUT}
    assert sum("not begun" in found[r].reason for r in readings) == 12  # 8 at a time


# --- files


def test_files_of_every_kind(collect, tmp_path):
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
def test_names_of_files_survive(collect, tmp_path, name):
    (tmp_path / name).write_text("x")
    reading, listed = files(f"{tmp_path}/*"), listing(f"{tmp_path}/*")
    found = collect(reading, listed)
    for capture in (found[reading], found[listed]):
        ((path, (status, _)),) = entries(capture).items()
        assert status == "answered"
        assert path == f"{tmp_path}/{name}"


def test_alternatives_wildcards_and_absence(collect, tmp_path):
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


def test_a_large_file_alone_and_among_many(collect, tmp_path):
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


def test_sysfs_through_linked_folders(collect):
    reading = files("/sys/class/net/lo/{mtu,speed,address}")
    found = entries(collect(reading)[reading])
    assert found["/sys/class/net/lo/mtu"][0] == "answered"
    assert found["/sys/class/net/lo/address"] == ("answered", b"00:00:00:00:00:00\n")
    assert found["/sys/class/net/lo/speed"] == ("failed", b"")  # EINVAL


def test_denied_is_not_absent(tmp_path):
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
    from assay.collector.stream import Reader

    got = {getattr(f, "source", ""): f for f in Reader(readings).feed(done.stdout)}
    status = [got[r.source].status for r in readings]
    assert status == [Status.DENIED] * 4 + [Status.ANSWERED] * 2
    assert entries(got[readings[4].source])[f"{tmp_path}/shut"] == ("denied", b"")
    assert entries(got[readings[5].source])[f"{tmp_path}/closed"] == ("denied", b"")


def test_listings_and_links(collect, tmp_path):
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


def test_statfs_of_the_root(collect):
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
def test_a_dead_file_system_holds_up_nobody(tmp_path):
    """A file system whose server never answers: every system call on it hangs for good."""
    from assay.collector.stream import Reader

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


# --- the agent as a process


def start(readings, **options):
    agent = subprocess.Popen(
        [sys.executable, *ARGV], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    agent.stdin.write(request(readings, Options(**options)))
    agent.stdin.close()
    return agent


def wait_for(word):
    until = time.monotonic() + 5
    while not processes(word) and time.monotonic() < until:
        time.sleep(0.01)
    assert processes(word)


def test_it_ends_when_nobody_reads_its_answers(collect):
    agent = start([sh("sleep 98771", deadline=60)], deadline=60)
    wait_for("98771")
    agent.stdout.close()
    assert agent.wait(3) == 75
    assert gone("98771")


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_and_its_commands(signum):
    agent = start([sh("sleep 98772 & setsid sleep 98772 & wait", deadline=60)], deadline=60)
    wait_for("98772")
    time.sleep(0.1)
    agent.send_signal(signum)
    assert agent.wait(3) == 75
    agent.stdout.close()
    assert gone("98772")


def test_it_ends_with_its_parent():
    script = (
        "import subprocess, sys, time\n"
        "agent = subprocess.Popen([sys.executable, '-I', '-S', '-'], stdin=subprocess.PIPE)\n"
        "agent.stdin.write(sys.stdin.buffer.read()); agent.stdin.close(); time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    parent.stdin.write(request([sh("sleep 98773", deadline=60)], Options(deadline=60)))
    parent.stdin.close()
    wait_for("98773")
    parent.kill()
    parent.wait()
    assert gone("98773")  # its stdout is still open: we hold the other end
    parent.stdout.close()


def test_a_reader_that_is_slow_loses_nothing(collect):
    readings = [sh(f"head -c 300000 /dev/zero # {n}") for n in range(30)]
    agent = start(readings)
    data = bytearray()
    while chunk := agent.stdout.read(1 << 16):
        data += chunk
        time.sleep(0.002)
    agent.stdout.close()
    agent.wait()
    from assay.collector.stream import Reader

    reader = Reader(readings)
    assert len(reader.feed(bytes(data))) == 32
    assert reader.close() == ""


def test_a_reader_that_stops_reading_does_not_keep_it_for_ever():
    agent = start([sh(f"head -c 300000 /dev/zero # 98774 {n}") for n in range(9)], deadline=0.5)
    assert agent.wait(20) == 75  # the alarm: deadline + 7 s
    agent.stdout.close()


def test_equal_salts_give_equal_hashes_and_only_those(collect, tmp_path):
    (tmp_path / "x").write_text("b8:3f:d2:12:34:56 password=hunter2\n")
    reading = files(f"{tmp_path}/x")
    one, two, other = (collect(reading, salt=salt)[reading].data for salt in "aab")
    assert one == two != other
    plain = collect(reading, identifying=True)[reading].data
    assert b"b8:3f:d2:12:34:56 password=REDACTED" in plain


def test_every_python_runs_it_alike(collect, pythons, tmp_path):
    (tmp_path / "ü x").write_text("b8:3f:d2:12:34:56 ü")
    readings = [
        sh("echo out; echo err >&2; exit 4"),
        sh("exit 0; # ü"),
        files(f"{tmp_path}/*"),
        listing("/dev/{null,zero}"),
        links("/proc/self/exe/../nothing"),
        command("no-such-tool-here"),
    ]
    answers = {}
    for minor, path in pythons.items():
        found = collect(*readings, python=path)
        assert found.hello.python.startswith(f"3.{minor}.")
        answers[minor] = [found[r].identity for r in readings]
    first = next(iter(answers.values()))
    assert all(answer == first for answer in answers.values())


@pytest.mark.real
def test_the_whole_catalogue_is_cheap(collect):
    """The budget of a whole audit is 0.8 CPU seconds; what the agent itself needs is below 0.35."""
    readings = [r for r in catalogue().readings() if r.via is not Via.COMMAND]
    agent = start(readings)
    drain = threading.Thread(target=agent.stdout.read)
    drain.start()
    _, status, usage = os.wait4(agent.pid, 0)
    agent.returncode = os.waitstatus_to_exitcode(status)
    drain.join()
    agent.stdout.close()
    assert agent.returncode == 0
    assert usage.ru_utime + usage.ru_stime < 0.35


def test_the_whole_catalogue_gives_readable_answers(collect):
    readings = catalogue().readings()
    found = collect(*readings)
    assert set(found.captures) == {r.source for r in readings}
    for reading in readings:
        if reading.via in (Via.FILES, Via.LISTING, Via.LINKS, Via.STATFS):
            list(load(found[reading].data))
    assert json.dumps([c.reason for c in found.captures.values() if "Error" in c.reason]) == "[]"
