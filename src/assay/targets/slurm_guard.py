"""Whoever ends Assay, and however: the job and the step that it began are ended, too."""

import contextlib
import subprocess
from collections.abc import Mapping

# It reads what was begun, one word a line, and acts when its input ends: so also when Assay is
# killed. A job is cancelled by its number; by its name only if its number never became known.
_SCRIPT = """\
trap '' HUP INT TERM QUIT PIPE
job= srun= name=
while read -r word value; do
  case $word in
    job) job=$value ;;
    srun) srun=$value ;;
    name) name=$value ;;
    over) exit 0 ;;
  esac
done
if [ "$srun" ]; then kill -TERM "$srun" 2>/dev/null; fi
if [ -z "$job$name" ]; then exit 0; fi
n=0
while [ $n -lt 3 ]; do
  if [ "$job" ]; then "$0" --quiet "$job" && exit 0; else "$0" --quiet --name="$name" && exit 0; fi
  n=$((n + 1))
  sleep 1
done
exit 1
"""


_trying: "list[subprocess.Popen[bytes]]" = []  # guards that had not succeeded when we looked


class Guard:
    """A shell that waits for us to end."""

    def __init__(self, scancel: str, environment: Mapping[str, str]) -> None:
        _trying[:] = [guard for guard in _trying if guard.poll() is None]
        self._shell = subprocess.Popen(  # noqa: S603 - the script above
            ["/bin/sh", "-c", _SCRIPT, scancel],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            cwd="/",
            start_new_session=True,  # Ctrl-C is not for it
            bufsize=0,
        )

    def tell(self, word: str, value: object = "") -> None:
        """Something was begun (``job``, ``srun``, ``name``), or there is nothing to end."""
        assert self._shell.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # gone: end() will say that it did nothing
            self._shell.stdin.write(f"{word} {value}\n".encode())

    def end(self, patience: float) -> bool:
        """End what was begun; False when the controller has not confirmed it in time.

        The guard goes on trying after that.
        """
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        try:
            return self._shell.wait(patience) == 0
        except subprocess.TimeoutExpired:
            _trying.append(self._shell)
            return False
