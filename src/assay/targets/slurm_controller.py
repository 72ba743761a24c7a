"""Ask the controller, count every question, and never wait for it longer than there is time."""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

# Where sites put Slurm that did not come with the distribution
PLACES = "/opt/slurm/bin:/usr/local/slurm/bin:/opt/slurm/current/bin:/usr/local/bin:/usr/bin"
CONFIGURATIONS = (
    "/etc/slurm/slurm.conf",
    "/etc/slurm-llnl/slurm.conf",
    "/run/slurm/conf/slurm.conf",
    "/opt/slurm/etc/slurm.conf",
    "/usr/local/etc/slurm.conf",
)
_OURS = ("SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT", "SLURM_DEBUG_FLAGS")
_THEIRS = ("SLURM_", "SBATCH_", "SALLOC_", "SRUN_", "SQUEUE_", "SINFO_", "SCONTROL_", "SCANCEL_")


class ControllerError(Exception):
    """The controller did not answer, or refused: the sentence says which."""


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """*environment* without what would turn the options of Slurm's programs into others."""
    kept = {
        name: value
        for name, value in environment.items()
        if name in _OURS or not name.startswith(_THEIRS)
    }
    kept["PATH"] = f"{kept.get('PATH', '')}:{PLACES}".removeprefix(":")
    return {**kept, "LC_ALL": "C"}


def configuration(environment: Mapping[str, str]) -> Path | None:
    """The slurm.conf that Slurm's programs read, where it is a file that we can read."""
    named = environment.get("SLURM_CONF")
    for path in [named] if named else CONFIGURATIONS:
        if os.access(path, os.R_OK) and Path(path).is_file():
            return Path(path)
    return None


class Controller:
    """Slurm's programs, as this user has them."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.environment = clean(os.environ if environment is None else environment)
        self.calls: Counter[str] = Counter()  # "scontrol show node" -> how often

    def find(self, name: str) -> str:
        """The path of one of Slurm's programs."""
        found = shutil.which(name, path=self.environment["PATH"])
        if found is None:
            raise ControllerError(f"{name} is not installed here")
        return found

    def count(self, *words: str) -> None:
        """One more question to the controller."""
        self.calls[" ".join(words)] += 1

    def ask(self, *argv: str, patience: float) -> str:
        """What *argv* prints, if it ends well within *patience* seconds."""
        path = self.find(argv[0])
        self.count(*(word for word in argv[:3] if not word.startswith("-") and not word.isdigit()))
        try:
            done = subprocess.run(  # noqa: S603 - one of Slurm's own programs
                [path, *argv[1:]],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=max(0.1, patience),
                check=False,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired:
            raise ControllerError(
                f"`{' '.join(argv)}` had no answer from the controller in {patience:.0f} s"
            ) from None
        except OSError as error:
            raise ControllerError(f"cannot start {path}: {error.strerror}") from error
        if done.returncode != 0:
            first = done.stdout.decode("utf-8", "replace").partition("\n")[0][:300]
            said = last_line(done.stderr) or first or f"exit {done.returncode}"
            raise ControllerError(f"`{' '.join(argv)}`: {said}")
        return done.stdout.decode("utf-8", "replace")

    def reach(self, patience: float) -> None:
        """Make sure that a controller answers; `scontrol ping` knows it at once, others wait."""
        try:
            said = self.ask("scontrol", "ping", patience=patience)
        except ControllerError as error:
            raise ControllerError(f"the Slurm controller does not answer: {error}") from error
        if " is UP" not in said:
            first = next(iter(said.splitlines()), "nothing")
            raise ControllerError(f"the Slurm controller does not answer: {first}")


def last_line(said: bytes) -> str:
    """The last line that says something, as a reason."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines()]
    return next((line for line in reversed(lines) if line), "")[:300]


def told(calls: Mapping[str, int]) -> str:
    """``scontrol show node 1, srun 1``."""
    return ", ".join(f"{name} {count}" for name, count in calls.items()) or "none"


def words(argv: Sequence[str], most: int = 60) -> str:
    """A command for people: words that no one wants to read are cut."""
    return " ".join(word if len(word) <= most else f"{word[:most]}..." for word in argv)
