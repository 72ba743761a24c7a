"""A recording is judged as if it were the cluster; a hostile one is refused."""

import pytest

from assay.engine.target import Captured, Options, Unreachable
from assay.kit.pack import load
from assay.kit.reading import command, files
from assay.model.evidence import Capture, Evidence, Status
from assay.model.report import NodeRow, NodeState
from assay.targets.recorded import Recorded, file_name, write

UNAME = command("uname", "-r")
MTU = files("/sys/class/net/*/mtu")
READINGS = [UNAME, MTU]


def collected(folder):
    captures, rows = {}, []
    for event in Recorded(folder).collect(READINGS, Options()):
        if isinstance(event, Captured):
            captures[event.node, event.capture.source] = event.capture
        else:
            assert isinstance(event, NodeRow)
            rows.append(event)
    return captures, rows


def test_a_folder_made_by_hand(tmp_path):
    (tmp_path / "n1" / "commands").mkdir(parents=True)
    (tmp_path / "n1" / "commands" / "uname -r").write_text("6.8.0\n")
    for name in ("eth0", "eth1"):
        folder = tmp_path / "n1" / "files" / "sys" / "class" / "net" / name
        folder.mkdir(parents=True)
        (folder / "mtu").write_text("9000\n")
    captures, rows = collected(tmp_path)
    assert captures["n1", "uname -r"].data == b"6.8.0\n"
    assert captures["n1", "uname -r"].exit_code == 0
    entries = list(load(captures["n1", MTU.source].data))
    assert [e.path for e in entries] == ["/sys/class/net/eth0/mtu", "/sys/class/net/eth1/mtu"]
    assert rows == [NodeRow("n1", NodeState.READ)]
    assert collected(tmp_path / "n1")[1] == rows


def test_what_is_written_comes_back(tmp_path):
    captures = {
        "uname -r": Capture("uname -r", b"\xff\x00", exit_code=3, stderr="no", reason="why"),
        MTU.source: Capture(MTU.source, status=Status.ABSENT),
    }
    write([Evidence("a/b", captures)], tmp_path / "out", READINGS)
    found, _ = collected(tmp_path / "out")
    assert [c.identity for c in found.values()] == [c.identity for c in captures.values()]
    modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "out").rglob("*")}
    assert modes == {0}


def test_what_was_not_recorded_is_not_made_up(tmp_path):
    (tmp_path / "commands").mkdir()
    captures, rows = collected(tmp_path)
    assert captures == {}
    assert rows[0].state is NodeState.READ


@pytest.mark.parametrize("part", ["commands", "files"])
def test_a_recording_does_not_reach_outside_itself(tmp_path, part):
    secret = tmp_path / "secret"
    secret.write_text("root:x")
    folder = tmp_path / "rec" / part
    folder.mkdir(parents=True)
    if part == "commands":
        (folder / "uname -r").symlink_to(secret)
    else:
        (folder / "sys" / "class" / "net" / "eth0").mkdir(parents=True)
        (folder / "sys" / "class" / "net" / "eth0" / "mtu").symlink_to(secret)
    captures, rows = collected(tmp_path / "rec")
    assert captures == {}
    if part == "commands":
        assert rows[0].state is NodeState.PARTIAL
        assert "refused" in rows[0].reason


def test_an_empty_or_missing_folder_is_unreachable(tmp_path):
    with pytest.raises(Unreachable, match="no recording"):
        collected(tmp_path)
    with pytest.raises(Unreachable, match="not a folder"):
        collected(tmp_path / "none")


def test_long_sources_have_distinct_file_names():
    one, two = file_name("x" * 500 + "1"), file_name("x" * 500 + "2")
    assert one != two
    assert len(one) < 200
    assert "/" not in file_name("/etc/../..")
    assert file_name("..") != ".."
