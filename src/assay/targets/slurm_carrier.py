"""Carries an agent's answers out of a Slurm step, as lines of text.

It is sent to nodes in front of the agent: Python 3.6, standard library only. srun prints the output
of all tasks on one pipe, line by line with the number of the task before each; only lines of less
than 1 KiB come through whole. So what the agent writes is compressed and cut into such lines:
``=N NODE`` once, then ``=Z`` and base64. What is lost or mixed up does not decompress, and the
agent's frames carry digests beside that.
"""

import binascii
import os
import select
import zlib

PIECE = 540  # bytes: 720 characters of base64


def send(data: bytes) -> None:
    """Write all of *data* to stdout."""
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def lines(data: bytes) -> bytes:
    """*data* as lines that srun does not break."""
    pieces = (data[at : at + PIECE] for at in range(0, len(data), PIECE))
    return b"".join(b"=Z" + binascii.b2a_base64(piece) for piece in pieces)


def carry() -> None:
    """Return in a child whose stdout is carried; end the process when the child has ended."""
    readable, writable = os.pipe()
    agent = os.fork()
    if agent == 0:
        os.dup2(writable, 1)
        os.close(readable)
        os.close(writable)
        return
    os.close(writable)
    try:
        send(b"=N " + os.environ.get("SLURMD_NODENAME", "?").encode("utf-8", "replace") + b"\n")
        squeeze = zlib.compressobj(1)
        data = os.read(readable, 1 << 16)
        while data:
            out = squeeze.compress(data)
            if not select.select([readable], [], [], 0)[0]:  # nothing follows at once
                out += squeeze.flush(zlib.Z_SYNC_FLUSH)
            send(lines(out))
            data = os.read(readable, 1 << 16)
        send(lines(squeeze.flush()))
    except OSError:  # nobody listens: the agent will see it, too
        os._exit(75)
    status = os.waitpid(agent, 0)[1]
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
