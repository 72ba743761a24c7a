"""Nothing outlives Assay: a small shell waits for its end, however it comes, and clears up.

It learns the process groups that were started from its stdin. When that closes, because we are
done or because we were killed, it ends those that are left and removes the private folder of the
connection sockets.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile

from assay.engine.target import Unreachable

LONGEST = 70  # characters of a folder: a socket's path has 107 at most, and ssh adds 17 of its own

_SHELL = """
trap '' TERM INT HUP
live=' '
while read -r sign group; do
  case $sign in
    +) live="$live$group " ;;
    -) case $live in *" $group "*) live="${live%%" $group "*} ${live#*" $group "}" ;; esac ;;
  esac
done
for group in $live; do kill -s TERM -- "-$group" 2>/dev/null; done
[ "$live" = ' ' ] || sleep 0.5
for group in $live; do kill -s KILL -- "-$group" 2>/dev/null; done
rm -rf -- "$1"
"""


class Watch:
    """A private folder, and the shell that removes it and ends what was started."""

    def __init__(self) -> None:
        base = tempfile.gettempdir()
        # a folder for sockets: some systems' own temporary folder has too long a name
        self.folder = tempfile.mkdtemp("", "assay-", base if len(base) < LONGEST else "/tmp")  # noqa: S108
        try:
            self._shell = subprocess.Popen(  # noqa: S603 - our own text
                ["/bin/sh", "-c", _SHELL, "assay-watch", self.folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # what ends us at a terminal must not end it
                bufsize=0,
            )
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise Unreachable(f"cannot start /bin/sh: {error.strerror}") from error

    def begun(self, group: int) -> None:
        """The process group *group* is to be ended with us."""
        self._tell(f"+ {group}\n")

    def ended(self, group: int) -> None:
        """It has ended; its number may soon be somebody else's."""
        self._tell(f"- {group}\n")

    def _tell(self, line: str) -> None:
        assert self._shell.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            os.write(self._shell.stdin.fileno(), line.encode())

    def close(self) -> None:
        """Everything is done: the shell clears up and ends."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        try:
            self._shell.wait(3.0)
        except subprocess.TimeoutExpired:
            os.killpg(self._shell.pid, signal.SIGKILL)
            self._shell.wait()
        shutil.rmtree(self.folder, ignore_errors=True)  # should the shell itself have been killed
