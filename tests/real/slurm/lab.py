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
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "munged", "srun", "salloc", "scontrol", "scancel", "setpriv")
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

CONFIG = """\
ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={run}/munge.sock
CredType=cred/munge
StateSaveLocation={run}/state
SlurmdSpoolDir={run}/spool/%n
SlurmctldPidFile={run}/slurmctld.pid
SlurmdPidFile={run}/%n.pid
SlurmctldLogFile={run}/log/slurmctld.log
SlurmdLogFile={run}/log/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=5,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters={select}
GresTypes=gpu
ReturnToService=2
SlurmdTimeout={slurmd_timeout}
InactiveLimit=0
KillWait=2
MessageTimeout={message_timeout}
Prolog={run}/prolog.sh
PrologFlags=Alloc
TopologyPlugin=topology/tree
SlurmdParameters=config_overrides
NodeName=node[{first}-{last}] NodeAddr=127.0.0.1 Port={ports} CPUs=64 Sockets=2 CoresPerSocket=32 \
ThreadsPerCore=1 RealMemory=512000 Gres=gpu:h100:8 State=UNKNOWN
PartitionName=batch Nodes=node[{first}-{last}] Default=YES MaxTime=INFINITE State=UP
PartitionName=half Nodes=node[{first}-{middle}] MaxTime=10 State=UP
"""

# a Python for the nodes of the lab: a file called NODE.WORD makes that node misbehave
PYTHON = """\
#!/bin/sh
at={run}/flags/$SLURMD_NODENAME
[ -e $at.flood ] && exec yes "this node talks and talks, and never of what it was asked"
[ -e $at.flood-one-line ] && exec tr '\\0' x </dev/zero
[ -e $at.hang ] && exec sleep 600
[ -e $at.silent ] && exit 0
[ -e $at.missing ] && {{ echo "python3: not found" >&2; exit 127; }}
[ -e $at.motd ] && echo "Welcome to $SLURMD_NODENAME"
[ -e $at.greedy ] && {{ echo "=N node001"; sleep 1; }}
exec /usr/bin/python3 "$@"
"""


def missing() -> str:
    """What this machine lacks for a lab, or nothing."""
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
        slurmd_timeout: int = 60,
        select: str = "CR_Core",
        extra: str = "",
    ) -> None:
        self.run = Path(tempfile.mkdtemp(prefix="assay-slurm-"))
        self.names = [f"node{at:03}" for at in range(1, nodes + 1)]
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_"))},
            "PATH": f"{PATH}:{os.environ.get('PATH', '')}",
            "SLURM_CONF": str(self.run / "slurm.conf"),
        }
        self.python = str(self.run / "python")
        self._write(nodes, message_timeout, slurmd_timeout, select, extra)

    def _write(
        self, nodes: int, message_timeout: int, slurmd_timeout: int, select: str, extra: str
    ) -> None:
        run = self.run
        run.chmod(0o755)
        for name in ("state", "spool", "log", "flags", "dev"):
            (run / name).mkdir()
        base = free_ports(nodes + 1)
        config = CONFIG.format(
            host=socket.gethostname().split(".")[0],
            user=pwd.getpwuid(os.getuid()).pw_name,
            run=run,
            port=base,
            ports=f"{base + 1}-{base + nodes}" if nodes > 1 else base + 1,
            first="001",
            middle=f"{(nodes + 1) // 2:03}",
            last=f"{nodes:03}",
            message_timeout=message_timeout,
            slurmd_timeout=slurmd_timeout,
            select=select,
        )
        (run / "slurm.conf").write_text(config + extra)
        for at in range(8):
            (run / "dev" / f"nvidia{at}").touch()  # Slurm only wants to see that they exist
        (run / "gres.conf").write_text(f"Name=gpu Type=h100 File={run}/dev/nvidia[0-7]\n")
        (run / "topology.conf").write_text("".join(topology(self.names)))
        (run / "munge.key").write_bytes(os.urandom(128))
        (run / "munge.key").chmod(0o400)
        for name, text in (("prolog.sh", "#!/bin/sh\nexit 0\n"), ("python", PYTHON)):
            (run / name).write_text(text.format(run=run))
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
        """How many jobs this controller has been given by salloc or srun, ever."""
        log = (self.run / "log" / "slurmctld.log").read_text()
        return log.count("_slurm_rpc_allocate_resources JobId=")

    def quiet(self) -> None:
        """Wait until no job is left and every node that can be is idle."""
        self._until(lambda: not self.ask("squeue", "-h").strip(), "jobs are left", 10)

    def occupy(self, nodes: str, cpus: int = 64, memory: str = "1M") -> str:
        """A job of somebody else on *nodes*; gives its number."""
        job = self.ask(
            *("sbatch", "--parsable", "-w", nodes, "-c", str(cpus), "--ntasks-per-node=1"),
            *("-J", "other", "-o", "/dev/null", "-D", "/", f"--mem={memory}"),
            *("--wrap", "exec sleep 600"),
        ).strip()
        self._until(lambda: "R" in self.ask("squeue", "-h", "-j", job, "-o", "%t"), "no job")
        return job

    def flag(self, node: str, word: str) -> None:
        """Make *node* misbehave, see PYTHON."""
        (self.run / "flags" / f"{node}.{word}").touch()

    def unflag(self) -> None:
        for path in (self.run / "flags").iterdir():
            path.unlink()

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
        ]

    def _processes(self) -> Iterator[tuple[int, bytes, bytes]]:
        needle = f"SLURM_CONF={self.run}/".encode()
        for path in Path("/proc").glob("[0-9]*"):
            try:
                line, environment = (
                    (path / "cmdline").read_bytes(),
                    (path / "environ").read_bytes(),
                )
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
