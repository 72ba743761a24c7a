"""The real nvidia-smi on GPUs that do not exist.

The binary is NVIDIA's own, taken at test time from Debian's non-free archive into a cache outside
the repository (its licence forbids more); the library that it asks about GPUs is ``fake_nvml.c``.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
RELEASES = {"bookworm": "535", "trixie": "550"}  # Debian release -> branch of its driver
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
DEFINED = re.compile(r"(?:PUBLIC \w+ (?:char \*)?|\w+\()(nvml[A-Z]\w*)")
ASKED_FOR = re.compile(rb"nvml[A-Z][A-Za-z0-9_]{3,60}(?=\0)")


class Unobtainable(Exception):
    """What the network, apt or the compiler said instead."""


@dataclass(frozen=True)
class Answer:
    """What one run printed."""

    raw: bytes
    exit_code: int
    stderr: str = ""

    @property
    def text(self) -> str:
        """What it printed, as far as it is text."""
        return self.raw.decode("utf-8", "replace")


@dataclass(frozen=True)
class Smi:
    """One version of nvidia-smi with the fake library made for it."""

    binary: Path
    library: Path
    state: Path

    def run(self, *arguments: str, state: str = "", library: bool = True) -> Answer:
        """Run it over GPUs in *state* (see ``fake_nvml.c``)."""
        self.state.write_text(state)
        env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "ASSAY_FAKE_NVML": str(self.state)}
        if library:
            env["LD_LIBRARY_PATH"] = str(self.library)
        command = [str(self.binary), *arguments]
        done = subprocess.run(command, env=env, capture_output=True, timeout=60, check=False)
        return Answer(done.stdout, done.returncode, done.stderr.decode("utf-8", "replace"))


def cache_folder() -> Path:
    """Where fetched and built things stay from one run of the tests to the next."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / "assay-tests" / "nvidia-smi"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def binary(release: str) -> Path:
    """nvidia-smi of the Debian *release*, fetched once."""
    folder = cache_folder() / release
    found = folder / "usr/lib/nvidia/current/nvidia-smi"
    with _alone():
        if not found.exists():
            _run("dpkg-deb", "-x", str(_downloaded(release)), str(folder))
    return found


@contextmanager
def _alone() -> Iterator[None]:
    """Only one of the test processes fetches and builds."""
    with (cache_folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _downloaded(release: str) -> Path:
    """The package, by an apt that has its own sources and state."""
    folder = cache_folder()
    lists = folder / "lists"
    for part in (lists / "partial", folder / "archives" / "partial"):
        part.mkdir(parents=True, exist_ok=True)
    sources = folder / "sources.list"
    lines = [f"deb [signed-by={KEYRING}] {_archive()} {name} non-free\n" for name in RELEASES]
    sources.write_text("".join(lines))
    options = {
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": lists,
        "Dir::Cache": folder,
        "APT::Sandbox::User": "root",
        "Acquire::Retries": "2",
    }
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items())]
    _run(*apt, "update")
    before = set(folder.glob("nvidia-smi_*.deb"))
    _run(*apt, "download", f"nvidia-smi/{release}", where=folder)
    new = set(folder.glob("nvidia-smi_*.deb")) - before
    branch = RELEASES[release]
    fetched = new or {path for path in before if f"_{branch}." in path.name}
    if not fetched:
        raise Unobtainable(f"apt-get downloaded no nvidia-smi for {release}")
    return fetched.pop()


def _archive() -> str:
    """The Debian archive that this machine's own apt uses."""
    done = _run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(ORIGIN)")
    for line in done.splitlines():
        uri, _, rest = line.partition(" ")
        if rest in ("bookworm Debian", "trixie Debian", "sid Debian", "stable Debian"):
            return uri
    raise Unobtainable("apt on this machine has no Debian archive")


@cache
def library(release: str) -> Path:
    """A folder with the fake libnvidia-ml.so.1 for the nvidia-smi of *release*."""
    source = (HERE / "fake_nvml.c").read_text() + (HERE / "fake_values.h").read_text()
    known = set(DEFINED.findall(source))
    wanted = {name.decode() for name in ASKED_FOR.findall(binary(release).read_bytes())}
    stubs = "".join(
        f'__attribute__((visibility("default"))) int {name}(void) {{ return 3; }}\n'
        for name in sorted(wanted - known)
    )
    # The name says what it was made of: no test replaces a library that another one uses.
    made_of = sha256((source + (HERE / "nvml_abi.h").read_text() + stubs).encode()).hexdigest()
    folder = cache_folder() / f"library-{made_of[:16]}"
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise Unobtainable("no C compiler")
    built = folder / "libnvidia-ml.so.1"
    with _alone():
        if not built.exists():
            folder.mkdir(exist_ok=True)
            (folder / "stubs.c").write_text(stubs)
            _run(
                compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                "-fvisibility=hidden", "-Wl,-soname,libnvidia-ml.so.1",
                "-o", str(folder / "new"), str(HERE / "fake_nvml.c"), str(folder / "stubs.c"),
            )  # fmt: skip
            (folder / "new").replace(built)
    return folder


def _run(*argv: str, where: Path | None = None) -> str:
    try:
        done = subprocess.run(
            argv, cwd=where, capture_output=True, text=True, timeout=120, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unobtainable(f"{argv[0]}: {error}") from error
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if line.strip()]
        raise Unobtainable(f"{argv[0]} exited with {done.returncode}: {told[-1] if told else ''}")
    return done.stdout


if __name__ == "__main__":  # look at one state by hand: nvidia_smi.py STATE -q -x
    smi = Smi(binary("trixie"), library("trixie"), Path("/dev/null"))
    os.environ |= {"ASSAY_FAKE_NVML": sys.argv[1], "LD_LIBRARY_PATH": str(smi.library)}
    os.execv(smi.binary, [str(smi.binary), *sys.argv[2:]])
