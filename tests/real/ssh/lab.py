"""Machines with sshd, on a network of their own: namespaces with copy-on-write roots.

Everything hangs on pipes held by this process: when they close, however that comes, the first
process of each machine ends, and the kernel clears up the rest. No named namespace, no mount and
no network interface of this machine is touched.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).parent
NETWORK = "198.18.77"  # of the range for benchmarks (RFC 2544): routed nowhere
GATEWAY = f"{NETWORK}.254"
GHOST = f"{NETWORK}.200"  # has an Ethernet address, but nobody is there: packets vanish
NOBODY = f"{NETWORK}.201"  # has none

SSHD = ("/usr/sbin/sshd", "sshd:")

FABRIC = f"""
set -e
ip link set lo up
ip link add br0 address 02:00:00:00:77:fe type bridge
ip addr add {GATEWAY}/24 dev br0
ip link set br0 up
ip neigh add {GHOST} lladdr 02:00:00:00:00:01 nud permanent dev br0
echo up
cat > /dev/null
"""


def missing():
    """What keeps the lab from starting here, or nothing."""
    if os.geteuid() != 0:
        return "needs root"
    for name in ("ssh", "ssh-keygen", "sshd", "ip", "unshare", "nsenter"):
        if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin"):
            return f"{name} is not installed"
    done = subprocess.run(
        ["unshare", "--net", "--mount", "--uts", "--pid", "--ipc", "--fork", "true"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return f"no namespaces here: {done.stderr.strip()}" if done.returncode else ""


def _start(argv, **env):
    return subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, **env}, start_new_session=True,
    )  # fmt: skip


def _expect(process, word):
    line = process.stdout.readline()
    if not line.startswith(word):
        process.kill()
        raise RuntimeError(f"{process.args[-3:]} did not start: {line}{process.stdout.read()}")
    return line.split()


class Node:
    """One machine."""

    def __init__(self, lab, number, prepare="", size="64m", sshd=""):
        self.lab, self.number = lab, number
        self.name, self.address = f"node{number}", f"{NETWORK}.{number}"
        self.folder = lab.folder / self.name
        self.folder.mkdir()
        shutil.copy(lab.folder / "key.pub", self.folder / "key.pub")
        lab.keygen(self.folder / "host_key")
        self.process = _start(
            ["unshare", "--net", "--mount", "--uts", "--pid", "--ipc", "--fork", "--kill-child",
             "sh", str(HERE / "node.sh"), self.name, self.address, str(self.folder)],
            PREPARE=prepare, SIZE=size, SSHD=sshd,
        )  # fmt: skip

    def plug(self):
        _expect(self.process, "made")
        end = f"p{self.number}"
        self.lab.inside(
            "ip", "link", "add", end, "type", "veth", "peer", "name", "eth0", "netns",
            str(self.process.pid),
        )  # fmt: skip
        self.lab.inside("ip", "link", "set", end, "master", "br0", "up")
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def up(self):
        self.base = Path(_expect(self.process, "up")[1])

    @property
    def init(self):
        """Its first process, as this machine numbers it."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return int(Path(children).read_text().split()[0])

    @property
    def outside(self):
        """Its mounts, seen from here: ``up`` is what was written, ``root`` is its root."""
        return Path(f"/proc/{self.init}/root{self.base}")

    def _processes(self):
        """All its processes but for the first: their numbers here, and their command lines."""
        namespace = Path(f"/proc/{self.init}/ns/pid").readlink()
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (path / "ns/pid").readlink() == namespace and int(path.name) != self.init:
                    words = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    if words and words != "cat ":
                        yield int(path.name), words

    def pids(self):
        """What runs on it but for sshd: {number: command line}."""
        return {pid: words for pid, words in self._processes() if not words.startswith(SSHD)}

    def sshds(self):
        return {pid: words for pid, words in self._processes() if words.startswith(SSHD)}

    def written(self):
        """Every path of the layer above the machine's disk, with its time, size and mode."""
        found = {}
        for part in ("up", "root/run", "root/tmp", "root/dev"):
            for folder, folders, names in os.walk(self.outside / part):
                for name in [*folders, *names]:
                    path = Path(folder, name)
                    with contextlib.suppress(OSError):
                        seen = path.lstat()
                        key = str(path.relative_to(self.outside))
                        found[key] = (seen.st_mtime_ns, seen.st_size, seen.st_mode)
        return found

    def idle(self, patience=4.0):
        """Does everything that ran on it end?"""
        until = time.monotonic() + patience
        while (left := self.pids()) and time.monotonic() < until:
            time.sleep(0.02)
        return left == {}

    def log(self):
        return (self.folder / "log").read_text()

    def link(self, state):
        self.lab.inside("ip", "link", "set", f"p{self.number}", state)

    def stop_sshd(self):
        """Its port stays open, and nobody answers there."""
        for pid in self.sshds():
            os.kill(pid, signal.SIGSTOP)

    def kill_sshd(self):
        for pid in self.sshds():
            os.kill(pid, signal.SIGKILL)

    def close(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()


class Lab:
    """The machines, the network between them, and an ssh that is in it."""

    def __init__(self, folder, count, **special):
        self.folder = folder
        self.nodes = []
        self.keygen(folder / "key")
        self.fabric = _start(["unshare", "--net", "sh", "-c", FABRIC])
        try:
            _expect(self.fabric, "up")
            for number in range(1, count + 1):
                self.nodes.append(Node(self, number, **special.get(f"node{number}", {})))
            for node in self.nodes:
                node.plug()
            for node in self.nodes:
                node.up()
            self._ssh()
            self._wait()
        except BaseException:
            self.close()
            raise

    def keygen(self, path):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", path], check=True
        )

    def inside(self, *argv):
        """Run *argv* in the network."""
        inside = ["nsenter", "-t", str(self.fabric.pid), "-n", *argv]
        subprocess.run(inside, check=True, capture_output=True)

    def _ssh(self):
        """An ``ssh`` for PATH that differs from the system's in its network only."""
        system = shutil.which("ssh")
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        ssh = self.bin / "ssh"
        ssh.write_text(f'#!/bin/sh\nexec nsenter -t {self.fabric.pid} -n {system} "$@"\n')
        ssh.chmod(0o755)
        self.known_hosts = self.folder / "known_hosts"
        self.known_hosts.write_text("".join(self.host_key(node) for node in self.nodes))
        self.config = self.write_config("config")

    def host_key(self, node, of=None):
        kind, key, _ = ((of or node).folder / "host_key.pub").read_text().split()
        return f"{node.name},{node.address} {kind} {key}\n"

    def write_config(self, name, extra="", known_hosts=None):
        """A user's configuration: names of nodes are not in any DNS here."""
        path = self.folder / name
        path.write_text(
            extra
            + "".join(f"Host {n.name}\n  HostName {n.address}\n" for n in self.nodes)
            + f"Host *\n  User root\n  IdentityFile {self.folder / 'key'}\n"
            f"  IdentitiesOnly yes\n  IdentityAgent none\n  GlobalKnownHostsFile /dev/null\n"
            f"  UserKnownHostsFile {known_hosts or self.known_hosts}\n"
        )
        return path

    def _wait(self):
        for node in self.nodes:
            for _ in range(200):
                if "Server listening" in node.log():
                    break
                time.sleep(0.01)
            else:
                raise RuntimeError(f"no sshd on {node.name}: {node.log()}")

    def close(self):
        for node in self.nodes:
            node.close()
        self.fabric.stdin.close()
        for process in [*(node.process for node in self.nodes), self.fabric]:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()
