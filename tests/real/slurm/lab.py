"""A real Slurm on this machine: munged, slurmctld and N slurmd on loopback, in one private folder.

Nothing is installed and nothing outside the folder is touched. Every daemon is a child that ends
with its parent, and is stopped by its own pid. Eight nodes are up in about half a second.
"""

import contextlib
import os
import pwd
import random
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "munged", "srun", "salloc", "scontrol", "scancel", "setpriv")
HERE = Path(__file__).parent
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

CGROUP = """\
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
ConstrainDevices=yes
"""


def missing(*, isolated: bool = False) -> str:
    """What this machine lacks for a lab, or nothing."""
    if isolated and not os.path.isdir("/sys/fs/cgroup/devices"):  # noqa: PTH112
        return "no control group of the first version that isolates devices"
    for program in PROGRAMS:
        if shutil.which(program, path=PATH) is None:
            return f"{program} is not installed"
    return "" if os.getuid() == 0 else "it needs root"


class Lab:
    """A running cluster. ``environment`` is for the programs that are to see it."""

    def __init__(
        self,
        nodes: int = 8,
        *,
        message_timeout: int = 10,
        select: str = "CR_Core",
        isolated: bool = False,
    ) -> None:
        self.run = Path(tempfile.mkdtemp(prefix="assay-slurm-"))
        self.names = [f"node{at:03}" for at in range(1, nodes + 1)]
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}
        self.others: list[subprocess.Popen[bytes]] = []
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_"))},
            "PATH": f"{PATH}:{os.environ.get('PATH', '')}",
            "SLURM_CONF": str(self.run / "slurm.conf"),
        }
        self.python = str(self.run / "python")
        self._write(nodes, message_timeout, select, isolated=isolated)

    def _write(self, nodes: int, message_timeout: int, select: str, *, isolated: bool) -> None:
        run = self.run
        run.chmod(0o755)
        for name in ("state", "spool", "log", "flags", "dev"):
            (run / name).mkdir()
        base = free_ports(nodes + 1)
        config = (
            HERE.joinpath("slurm.conf.in")
            .read_text()
            .format(
                host=socket.gethostname().split(".")[0],
                user=pwd.getpwuid(os.getuid()).pw_name,
                run=run,
                port=base,
                ports=f"{base + 1}-{base + nodes}" if nodes > 1 else base + 1,
                first="001",
                middle=f"{(nodes + 1) // 2:03}",
                last=f"{nodes:03}",
                message_timeout=message_timeout,
                select=select,
                proctrack="cgroup" if isolated else "linuxproc",
                task="cgroup" if isolated else "none",
            )
        )
        (run / "slurm.conf").write_text(config)
        for at in range(8):
            if isolated:
                os.mknod(run / "dev" / f"nvidia{at}", 0o666 | stat.S_IFCHR, os.makedev(195, at))
                (run / "cgroup.conf").write_text(CGROUP)
            else:
                (run / "dev" / f"nvidia{at}").touch()  # Slurm only wants to see that they exist
        (run / "gres.conf").write_text(f"Name=gpu Type=h100 File={run}/dev/nvidia[0-7]\n")
        (run / "topology.conf").write_text("".join(topology(self.names)))
        (run / "munge.key").write_bytes(os.urandom(128))
        (run / "munge.key").chmod(0o400)
        (run / "prolog.sh").write_text("#!/bin/sh\nexit 0\n")
        shutil.copy(HERE / "node-python.sh", run / "python")
        for name in ("prolog.sh", "python"):
            (run / name).chmod(0o755)

    def __enter__(self) -> "Lab":
        try:
            self._up()
        except BaseException:
            self.down()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.down()

    def _up(self) -> None:
        run = self.run
        self._start(
            "munged",
            "--foreground",
            "--force",
            f"--key-file={run}/munge.key",
            f"--socket={run}/munge.sock",
            f"--pid-file={run}/munge.pid",
            f"--log-file={run}/log/munge.log",
            f"--seed-file={run}/munge.seed",
        )
        self._until((run / "munge.sock").exists, "munged does not listen")
        self.start_controller()
        for name in self.names:
            self._start(name, "-D", "-N", name, program="slurmd")
        self._until(
            lambda: self.states().count("idle") == len(self.names), "the nodes are not idle"
        )

    def start_controller(self) -> None:
        self._start("slurmctld", "-D")
        self._until(lambda: "UP" in self.ask("scontrol", "ping"), "slurmctld does not answer")

    def _start(self, name: str, *arguments: str, program: str = "") -> None:
        with (self.run / "log" / f"{name}.out").open("ab") as log:
            self.daemons[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", program or name, *arguments],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _until(self, done, otherwise: str, patience: float = 5.0) -> None:
        end = time.monotonic() + patience
        while not done():
            dead = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if dead or time.monotonic() > end:
                said = (self.run / "log" / "slurmctld.log").read_text()[-2000:]
                raise RuntimeError(f"{otherwise}; ended: {dead}; {self.states()}; {said}")
            time.sleep(0.03)

    def ask(self, *command: str, patience: float = 30.0) -> str:
        """What a Slurm command prints; its complaints go nowhere."""
        return subprocess.run(
            command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        ).stdout

    def states(self) -> list[str]:
        """The state of every node, in order of name."""
        lines = self.ask("sinfo", "-h", "-N", "-p", "batch", "-o", "%N %t").splitlines()
        return [line.split()[1] for line in sorted(lines)]

    def jobs(self) -> list[str]:
        """Jobs that wait or run; those that only wait for a node to say goodbye do not count."""
        return self.ask("squeue", "-h", "-t", "PD,R,CF,S", "-o", "%i %j %T %N").splitlines()

    def submissions(self) -> int:
        """How many jobs this controller has been given, ever, but for those of `occupy`."""
        log = (self.run / "log" / "slurmctld.log").read_text()
        return log.count("_slurm_rpc_allocate_resources JobId=") - len(self.others)

    def quiet(self) -> None:
        """Wait until no job is left and every node that can be is idle."""
        self._until(lambda: not self.ask("squeue", "-h").strip(), "jobs are left", 10)

    def occupy(self, nodes: str, cpus: int = 64, memory: str = "1M") -> str:
        """A job of somebody else on *nodes*; gives its number."""
        name = f"other-{len(self.others)}"
        with (self.run / "log" / "salloc.out").open("ab") as log:
            self.others.append(
                subprocess.Popen(  # it waits some seconds for nothing; we do not
                    [
                        *("salloc", "--no-shell", "-w", nodes, "-c", str(cpus), "-J", name),
                        *("--ntasks-per-node=1", "-D", "/", f"--mem={memory}"),
                    ],
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            )
        self._until(lambda: "R" in self.ask("squeue", "-h", "-n", name, "-o", "%t"), "no job")
        return self.ask("squeue", "-h", "-n", name, "-o", "%A").strip()

    def flag(self, node: str, word: str) -> None:
        """Make *node* misbehave, see node-python.sh."""
        (self.run / "flags" / f"{node}.{word}").touch()

    def signal(self, name: str, signum: int) -> None:
        """Send a signal to one daemon: freeze, thaw or kill a node or the controller."""
        self.daemons[name].send_signal(signum)

    def stop_controller(self) -> None:
        daemon = self.daemons.pop("slurmctld")
        daemon.terminate()
        daemon.wait(20)

    def down(self) -> None:
        """Stop every daemon by its pid, then what they started, then remove the folder."""
        self._kill_strays()  # first: a slurmd waits for the tasks that it has
        order = sorted(self.daemons.items(), key=lambda item: item[0] == "munged")
        for _, daemon in order:
            daemon.send_signal(signal.SIGCONT)
            daemon.terminate()
        for _, daemon in order:
            try:
                daemon.wait(1)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self._kill_strays()
        for other in self.others:
            other.kill()
            other.wait()
        for name in self.names:
            for group in Path("/sys/fs/cgroup").glob(f"*/slurm_{name}"):
                for folder, _, _ in os.walk(group, topdown=False):
                    with contextlib.suppress(OSError):  # in use by another lab
                        os.rmdir(folder)  # noqa: PTH106
        shutil.rmtree(self.run, ignore_errors=True)

    def _kill_strays(self) -> None:
        for pid in self.strays():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def strays(self) -> list[int]:
        """Processes that a slurmd of this lab started and that are still there."""
        return [
            pid
            for pid, line, environment in self._processes()
            if line.startswith(b"slurmstepd") or b"SLURM_STEP_ID=" in environment
        ]

    def clients(self) -> list[bytes]:
        """Command lines of salloc, srun and their like that talk to this lab."""
        names = (b"salloc", b"srun", b"scancel", b"scontrol", b"sh")
        return [
            line
            for _, line, environment in self._processes()
            if line.split(b"\0")[0].rpartition(b"/")[2] in names
            and b"SLURM_STEP_ID=" not in environment
            and b"other-" not in line
        ]

    def _processes(self) -> Iterator[tuple[int, bytes, bytes]]:
        needle = f"SLURM_CONF={self.run}/".encode()
        for path in Path("/proc").glob("[0-9]*"):
            try:
                line = (path / "cmdline").read_bytes()
                environment = (path / "environ").read_bytes()
            except OSError:
                continue
            if needle in environment:
                yield int(path.name), line, environment


def topology(names: list[str]) -> "list[str]":
    """Two levels, eight nodes to a leaf."""
    leaves = [names[at : at + 8] for at in range(0, len(names), 8)]
    lines = [f"SwitchName=leaf{at} Nodes={','.join(some)}\n" for at, some in enumerate(leaves)]
    return [*lines, f"SwitchName=spine Switches={','.join(f'leaf{n}' for n in range(len(leaves)))}"]


def free_ports(count: int) -> int:
    """The first of *count* neighbouring ports below the ephemeral range that nobody listens on."""
    for _ in range(100):
        base = random.randrange(20000, 32000 - count)
        with_all = []
        try:
            for port in range(base, base + count):
                probe = socket.socket()
                with_all.append(probe)
                probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        else:
            return base
        finally:
            for probe in with_all:
                probe.close()
    raise RuntimeError("no free ports")
