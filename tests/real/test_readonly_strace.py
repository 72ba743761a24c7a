"""What the collector does to a node, seen by the kernel: nothing.

The whole catalogue is read under strace. Every system call that names a file, talks to a network
or starts a process is looked at, those of the commands that it runs included.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.collector.stream import ARGV, Reader, request
from assay.engine.catalogue import catalogue
from assay.engine.target import Options

pytestmark = pytest.mark.real

CHANGES = {
    "creat", "mkdir", "mkdirat", "mknod", "mknodat", "rmdir", "unlink", "unlinkat", "rename",
    "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "truncate", "chmod",
    "fchmodat", "chown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat",
    "setxattr", "lsetxattr", "removexattr", "lremovexattr", "mount", "umount", "umount2",
    "pivot_root", "chroot", "swapon", "swapoff", "acct", "quotactl",
}  # fmt: skip
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
HARMLESS = ("/dev/null", "/dev/tty")


@dataclass
class Call:
    pid: int
    name: str
    args: str
    result: int

    @property
    def path(self):
        found = re.search(r'"([^"]*)"', self.args)
        return found.group(1) if found else ""


class Trace:
    """The calls of one run, and which processes were the collector itself."""

    def __init__(self, text):
        self.calls, self.ended, self.seen = [], set(), set()
        self.agent, self.children = set(), set()
        for line in self._whole(text.splitlines()):
            pid, _, rest = line.partition(" ")
            self.seen.add(int(pid))
            self.agent = self.agent or {int(pid)}
            rest = rest.strip()
            if rest.startswith("+++"):
                self.ended.add(int(pid))
                continue
            found = re.match(r"(\w+)\((.*)\) += (-?\d+|\?)", rest)
            if not found:
                continue
            result = -1 if found.group(3) == "?" else int(found.group(3))
            call = Call(int(pid), found.group(1), found.group(2), result)
            self.calls.append(call)
            if call.pid in self.agent and call.name in ("clone", "clone3", "fork", "vfork"):
                (self.agent if "CLONE_THREAD" in call.args else self.children).add(call.result)

    @staticmethod
    def _whole(lines):
        """Lines with calls that another process interrupted put together again."""
        begun = {}
        for line in lines:
            pid, _, rest = line.partition(" ")
            if rest.endswith(" <unfinished ...>"):
                begun[pid] = line[: -len(" <unfinished ...>")]
            elif resumed := re.match(r" *<\.\.\. \w+ resumed>(.*)", rest):
                yield begun.pop(pid, pid + " ?(") + resumed.group(1)
            else:
                yield line

    def execs(self):
        return [call for call in self.calls if call.name == "execve" and call.result == 0]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    strace = shutil.which("strace")
    if not strace:
        pytest.skip("strace is not installed")
    out = tmp_path_factory.mktemp("strace") / "trace"
    # what asks the scheduler talks to it, on one machine: this is about what every node is asked
    readings = [r for r in catalogue().readings() if not r.per_cluster]
    options = Options(deadline=60, salt="s")
    done = subprocess.run(
        [strace, "-f", "-q", "-s", "4096", "-e", "trace=%file,%network,%process,truncate,mount",
         "-e", "signal=none", "-o", out, sys.executable, *ARGV],
        input=request(readings, options, mark="deadbeef98701"), capture_output=True, check=False,
        timeout=300,
    )  # fmt: skip
    if b"ptrace" in done.stderr.lower() and not done.stdout:
        pytest.skip("strace may not trace here")
    reader = Reader(readings)
    frames = reader.feed(done.stdout)
    assert reader.close() == ""
    assert len(frames) == len(readings) + 2
    return Trace(out.read_text("utf-8", "replace")), readings


def test_the_trace_sees_what_it_should(run):
    """The positive control: threads, commands and files do show up."""
    trace, readings = run
    assert len(trace.agent) > 4
    assert len(trace.seen) > len(trace.agent)
    assert any(call.path == "/proc/version" for call in trace.calls)
    assert len(trace.execs()) > 1
    assert len(readings) > 20


def test_no_file_is_opened_for_writing(run):
    trace, _ = run
    opened = [c for c in trace.calls if c.name in ("open", "openat", "openat2")]
    assert len(opened) > 100
    bad = [c for c in opened if WRITES.search(c.args) and c.path not in HARMLESS]
    assert [c for c in bad if c.pid in trace.agent] == []
    assert [c for c in bad if c.result >= 0] == []


def test_nothing_in_a_file_system_is_changed(run):
    trace, _ = run
    changed = [c for c in trace.calls if c.name in CHANGES]
    assert [c for c in changed if c.pid in trace.agent] == []
    assert [c for c in changed if c.result >= 0] == []


def test_the_collector_opens_no_socket_and_its_commands_talk_to_this_machine_only(run):
    trace, _ = run
    sockets = [c for c in trace.calls if c.name in ("socket", "socketpair")]
    assert [c for c in sockets if c.pid in trace.agent] == []
    reached = [c for c in trace.calls if c.name in ("connect", "sendto", "sendmsg", "bind")]
    reached = [c for c in reached if re.search(r"sa_family=AF_INET6?\b", c.args)]
    assert reached == []
    assert {c.args.split(",")[0] for c in sockets} <= {"AF_UNIX", "AF_LOCAL", "AF_NETLINK"}


def test_only_commands_of_the_list_are_run_and_from_trusted_folders(run):
    trace, readings = run
    allowed = {r.argv for r in readings if r.argv}
    execs = {c.pid: c for c in reversed(trace.execs()) if c.pid in trace.children}
    direct = execs.values()  # the first of each process: a command may be a script or a wrapper
    assert len(direct) > 1
    for call in direct:
        argv = re.findall(r'"((?:[^"\\]|\\.)*)"', call.args[call.args.index("[") :])
        assert tuple(a.encode().decode("unicode_escape") for a in argv) in allowed
        assert call.path.startswith(("/usr/", "/bin/", "/sbin/", "/opt/", "/var/lib/", "/snap/"))


def test_no_process_is_left(run):
    trace, _ = run
    assert trace.seen - trace.ended <= trace.agent  # a thread may end with its process
    for path in Path("/proc").glob("[0-9]*"):
        try:
            assert b"deadbeef98701" not in (path / "environ").read_bytes(), path.name
        except OSError:
            continue
    assert not any(Path(f"/proc/{pid}").exists() for pid in trace.seen if pid != os.getpid())
