import importlib.util
import os
import sys
from pathlib import Path

import pytest

from assay.targets.ssh import Ssh

_SPEC = importlib.util.spec_from_file_location("ssh_lab", Path(__file__).parent / "lab.py")
lab_module = importlib.util.module_from_spec(_SPEC)
sys.modules["ssh_lab"] = lab_module
_SPEC.loader.exec_module(lab_module)

# Shells and Pythons of machines that are not as they should be. "Old" answers as Python 3.5 does:
# it knows the options, fails the question for 3.6, and tells its version.
SHELLS = r"""
shell() { printf '#!/bin/sh\n%s\n' "$2" > run/lab/$1; chmod 755 run/lab/$1
  echo "$1:*:0:0::/root:/run/lab/$1" >> etc/passwd; }
shell flood 'exec yes flooded'
shell floodserr 'exec yes flooded >&2'
shell mute 'read -r _'
shell noisy 'echo "Welcome to the cluster"; printf "%s" "no newline: "; exec /bin/sh "$@"'
shell chatty 'trap "echo so long; exit" EXIT; /bin/sh "$@"'
shell banners 'i=0; while [ $i -lt 300 ]; do echo "property of number $i" >&2; i=$((i+1)); done
  exec /bin/sh "$@"'
for shell in bash dash zsh tcsh fish mksh; do
  [ -x usr/bin/$shell ] && echo "$shell:*:0:0::/root:/usr/bin/$shell" >> etc/passwd
done
echo 'nologin:*:0:0::/root:/usr/sbin/nologin' >> etc/passwd
echo 'tenant:*:4711:4711::/:/bin/sh' >> etc/passwd
"""
HIDE = "rm -f usr/bin/python* usr/local/bin/python* usr/libexec/platform-python*\n"
OLD = (
    HIDE
    + r"""
cat > usr/bin/python3 <<'P'
#!/bin/sh
case "$*" in *version_info*) exit 1;; *sys.version*) echo 3.5.2; exit 0;; esac
echo 'SyntaxError: invalid syntax' >&2; exit 1
P
chmod 755 usr/bin/python3
"""
)
PLATFORM = (
    "own=$(readlink -f usr/bin/python3); cp $own run/lab/own; "
    + HIDE
    + "mkdir -p usr/libexec; mv run/lab/own usr/libexec/platform-python\n"
)
FULL = (
    "dd if=/dev/zero of=fill bs=4k 2>/dev/null || dd if=/dev/zero of=tmp/fill 2>/dev/null || true"
)

SPECIAL = {
    "node5": {"prepare": SHELLS},
    "node6": {"prepare": HIDE},
    "node7": {"prepare": OLD},
    "node8": {"prepare": PLATFORM, "size": "128m"},
    "node9": {"prepare": FULL, "size": "1m"},
    "node10": {"sshd": "-o ForceCommand=/bin/date"},
    "node11": {},  # whose sshd is killed
    "node12": {},  # whose sshd is stopped
}


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    why = lab_module.missing()
    if why:
        pytest.skip(f"ssh lab: {why}")
    made = lab_module.Lab(tmp_path_factory.mktemp("ssh"), 12, **SPECIAL)
    made.nodes[10].kill_sshd()
    made.nodes[11].stop_sshd()
    yield made
    made.close()


@pytest.fixture
def here(lab, monkeypatch, tmp_path):
    """ssh is the lab's, and temporary files have a place that can be looked at."""
    monkeypatch.setenv("PATH", f"{lab.bin}:{os.environ['PATH']}")
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


@pytest.fixture
def ssh(lab, here):
    """The target, for nodes by number or name."""

    def target(*nodes, **options):
        names = [f"node{node}" if isinstance(node, int) else node for node in nodes]
        return Ssh(names, **{"config": lab.config, **options})

    return target
