import pytest

from assay.kit.pack import Entry, dump
from assay.kit.reading import command, files
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence, Status

READING = command("tool", "-q")


def seen(*captures):
    return Seen(Evidence("n", {c.source: c for c in captures}))


@pytest.mark.parametrize(
    ("capture", "reason"),
    [
        (Capture("tool -q", b"x", Status.TIMEOUT, reason="10 s"), "timeout (10 s)"),
        (Capture("tool -q", b"Failed to initialize NVML", exit_code=18), "exited with 18: Failed"),
        (Capture("tool -q", b"", Status.DENIED), "denied"),
        (Capture("tool -q", b"half", Status.TRUNCATED), "truncated"),
        (Capture("other"), "was not read in this run"),
    ],
)
def test_whatever_is_no_whole_answer_is_unread_with_its_reason(capture, reason):
    with pytest.raises(Unread, match=r"`tool -q`") as caught:
        seen(capture).text(READING)
    assert reason in str(caught.value)


def test_the_sources_looked_at_are_remembered():
    one = seen(Capture("tool -q", b"fine", exit_code=0), Capture("other", b"unused"))
    assert one.text(READING) == "fine"
    assert [ref.source for ref in one.used] == ["tool -q"]


def test_a_denied_file_is_unread_and_an_absent_one_is_none():
    reading = files("/x")
    assert seen(Capture("/x", status=Status.ABSENT)).file(reading) is None
    denied = Capture("/x", dump([Entry("/x", b"", "denied")]))
    with pytest.raises(Unread, match="denied"):
        seen(denied).file(reading)


def test_a_value_without_its_form_is_lost_and_the_others_are_given():
    reading = files("/sys/*")
    values = {"/sys/a/speed": b"32\n", "/sys/b/speed": b"N/A\n", "/sys/a/keys/0": b"0x1\n",
              "/sys/a/keys/1": b"<a>", "/sys/a/name": b"any line\n", "/sys/b/name": b"a\nb\n",
              "/sys/c/name": b"\x1b[31mred"}  # fmt: skip
    looked = seen(Capture("/sys/*", dump(Entry(path, data) for path, data in values.items())))
    assert list(looked.values(reading, {"speed": r"\d+", "keys/": r"0x\d"})) == [
        ("/sys/a/speed", "32"), ("/sys/a/keys/0", "0x1"), ("/sys/a/name", "any line"),
    ]  # fmt: skip
    assert set(looked.unreadable) == {
        "/sys/b/speed", "/sys/a/keys/1", "/sys/b/name", "/sys/c/name"
    }  # fmt: skip
    assert looked.lost.startswith("`/sys/b/speed`: says 'N/A'")
