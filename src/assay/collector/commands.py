# ruff: noqa: PTH112, PTH116, PTH123, PTH208, S603, SIM105 - no pathlib: fewer imports
"""Run the commands of a reading list, each bounded in time and output, and leave none behind.

Part of the program that is sent to nodes: Python 3.6, standard library only.
"""

import errno
import os
import select
import signal
import stat
import subprocess
import threading
import time

PATH = (
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    ":/opt/rocm/bin:/usr/local/cuda/bin:/opt/aws/neuron/bin:/opt/habanalabs/bin"
    ":/usr/local/Ascend/driver/tools:/opt/mellanox/sharp/bin:/opt/mellanox/iproute2/sbin"
    ":/opt/mellanox/ethtool/sbin:/opt/slurm/bin"
)
STDERR_KEPT = 4096

ANSWERED, ABSENT, DENIED = "answered", "absent", "denied"
TIMEOUT, TRUNCATED, FAILED = "timeout", "truncated", "failed"


class Answer:
    """What one reading gave; the words for ``status`` are those of model/evidence.py."""

    def __init__(
        self,
        status: str,
        body: bytes = b"",
        exit_code: "int | None" = None,
        stderr: bytes = b"",
        reason: str = "",
    ) -> None:
        self.status = status
        self.body = body
        self.exit_code = exit_code
        self.stderr = stderr
        self.reason = reason
        self.seconds = 0.0


def denies(error: OSError) -> bool:
    """Is it that this user may not?"""
    return error.errno in (errno.EACCES, errno.EPERM)


class Commands:
    """Runs commands in sessions of their own, and can end all of them at once."""

    def __init__(self, mark: str) -> None:
        # a home that no machine has: by it every process of this run is known
        self._home = "/nonexistent/assay-" + mark
        self._folders = []  # type: list[str]
        self._running = set()  # type: set[int]
        self._starting = set()  # type: set[int]
        self._ending = False
        self._strays = False

    def look(self) -> None:
        """Find the folders of PATH that exist. One may be a dead mount: call it in a thread."""
        for folder in PATH.split(":"):
            if os.path.isdir(folder):
                self._folders.append(folder)

    def find(self, name: str) -> "tuple[str, Answer | None]":
        """The executable called *name*, or why there is none that may be run."""
        refusal = Answer(ABSENT)
        for path in [name] if "/" in name else [f + "/" + name for f in list(self._folders)]:
            try:
                mode = os.stat(path).st_mode
            except OSError as error:
                if denies(error):
                    refusal = Answer(DENIED, reason=f"{path}: {error.strerror}")
                continue
            if not stat.S_ISREG(mode):
                continue
            if mode & stat.S_IWOTH:  # whoever put it there, it is not what it claims to be
                return "", Answer(FAILED, reason=path + " can be changed by everyone: not run")
            if os.access(path, os.X_OK):
                return path, None
            refusal = Answer(DENIED, reason=path + " may not be executed")
        return "", refusal

    def run(self, argv: "list[str]", cap: int, end: float) -> Answer:
        """Run *argv* until *end* and keep the first *cap* bytes that it prints."""
        path, refusal = self.find(argv[0])
        if refusal is not None:
            return refusal
        thread = threading.get_ident()
        self._starting.add(thread)
        try:
            if self._ending:
                return Answer(TIMEOUT)
            process = self._start(path, argv)
        except OSError as error:
            gone = error.errno in (errno.ENOENT, errno.ENOTDIR)
            status = ABSENT if gone else DENIED if denies(error) else FAILED
            return Answer(status, reason=f"{path}: {error.strerror}")
        finally:
            self._starting.discard(thread)
        try:
            return self._follow(process, cap, end)
        finally:
            self._kill(process.pid)
            _reap(process)
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()

    def _start(self, path: str, argv: "list[str]") -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            argv,
            executable=path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment(),
            start_new_session=True,
            bufsize=0,
        )
        self._running.add(process.pid)
        return process

    def _environment(self) -> "dict[str, str]":
        environment = {
            "PATH": ":".join(self._folders),
            "LC_ALL": "C",
            "LANG": "C",
            "HOME": self._home,
        }
        # which cluster this user means: the one variable of theirs that is kept
        slurm = os.environ.get("SLURM_CONF", "")
        if slurm.startswith("/"):
            environment["SLURM_CONF"] = slurm
        return environment

    def _follow(self, process: "subprocess.Popen[bytes]", cap: int, end: float) -> Answer:
        out, err, status = _drain(process, cap, end)
        if status == ANSWERED and not _exits(process.pid, end):
            status = TIMEOUT
        if status != ANSWERED:
            self._strays = True
            reason = f"more than {cap} bytes" if status == TRUNCATED else ""
            return Answer(status, out, None, err, reason)
        self._kill(process.pid)  # what it has started
        code = process.wait()
        return Answer(ANSWERED, out, code, err, f"killed by signal {-code}" if code < 0 else "")

    def _kill(self, pid: int) -> None:
        """Kill a command's session, once, not yet reaped: later its number may be another's."""
        if pid in self._running:
            self._running.discard(pid)
            try:
                os.killpg(pid, signal.SIGKILL)
            except OSError:
                pass

    def end(self) -> None:
        """Kill everything that was started and is still there."""
        self._ending = True
        until = time.monotonic() + 0.5
        while self._starting and time.monotonic() < until:
            time.sleep(0.001)
        running = list(self._running)
        for pid in running:
            self._kill(pid)
        if running or self._strays:
            while sweep(self._home) and time.monotonic() < until:
                time.sleep(0.001)


def sweep(home: str) -> bool:
    """Kill processes with this HOME that left their session; True when there were any."""
    found = False
    needle = ("HOME=" + home + "\0").encode()
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open("/proc/" + name + "/environ", "rb") as file:
                    ours = needle in file.read(1 << 16)
                if ours:
                    os.kill(int(name), signal.SIGKILL)
                    found = True
            except OSError:
                pass
    return found


def _drain(process: "subprocess.Popen[bytes]", cap: int, end: float) -> "tuple[bytes, bytes, str]":
    """Read both pipes until they close, the process is gone, *cap* is full or *end* has come."""
    assert process.stdout is not None
    assert process.stderr is not None
    outs, errs = process.stdout.fileno(), process.stderr.fileno()
    kept = {outs: [], errs: []}  # type: dict[int, list[bytes]]
    room = {outs: cap, errs: STDERR_KEPT}
    poll = select.poll()
    for fd in kept:
        poll.register(fd, select.POLLIN)
    pipes, status, gone = 2, ANSWERED, False
    while pipes and status == ANSWERED:
        left = end - time.monotonic()
        if left <= 0:
            status = TIMEOUT
            break
        ready = poll.poll(min(left, 0.25) * 1000)
        if not ready:
            if gone:  # it has exited; who else holds the pipe open is no part of the answer
                break
            gone = _exits(process.pid, 0)
        for fd, _ in ready:
            chunk = os.read(fd, 1 << 16)
            if not chunk:
                poll.unregister(fd)
                pipes -= 1
            kept[fd].append(chunk[: room[fd]])
            room[fd] = max(room[fd] - len(chunk), -1 if fd == outs else 0)
            if room[outs] < 0:
                status = TRUNCATED
    return b"".join(kept[outs]), b"".join(kept[errs]), status


def _exits(pid: int, end: float) -> bool:
    """Does *pid* exit before *end*? It is not reaped."""
    pause = 0.0005
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > end:
            return False
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return True


def _reap(process: "subprocess.Popen[bytes]") -> None:
    """Wait for a killed process, but not for one that the kernel does not let go."""
    until = time.monotonic() + 1
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
