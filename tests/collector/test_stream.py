import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.collector.agent import Frames, described
from assay.collector.commands import Answer
from assay.collector.stream import MOST_NOISE, End, Hello, Reader
from assay.kit.reading import command
from assay.model.evidence import Capture, Status

READINGS = [command("tool", str(n), cap=1 << 20) for n in range(5)]
HELLO = {
    "kind": "hello", "protocol": 1, "hostname": "n1", "python": "3.6.8", "uid": 0, "readings": 5,
}  # fmt: skip


@pytest.fixture
def stream(tmp_path):
    """One agent's frames, made by the agent's own code; *edit* changes what it says."""

    def make(bodies, hello=HELLO, answers=None, close=True):
        path = tmp_path / "out"
        with path.open("wb") as file:
            frames = Frames(file.fileno())
            frames.write(hello)
            for reading, body in zip(READINGS, bodies, strict=False):
                frames.write(described(reading.source, Answer("answered", body, 0)), body)
            for header, body in answers or ():
                frames.write(header, body)
            if close:
                frames.close(len(bodies), 0.5)
        return path.read_bytes()

    return make


BODIES = [b"", b"one\n", b"\x00\xff" * 500, b"== not a frame\n" * 400, b"ASSAY/1 fake\n"]


def read(data, size=None):
    reader = Reader(READINGS)
    frames = []
    for at in range(0, len(data), size or len(data) or 1):
        frames += reader.feed(data[at : at + (size or len(data))])
    return frames, reader.close()


@pytest.mark.parametrize("size", [None, 1, 7, 4096])
def test_a_whole_stream_in_pieces_of_any_size(stream, size):
    frames, why = read(stream(BODIES), size)
    assert why == ""
    assert frames[0] == Hello("n1", "3.6.8", 0, 5)
    assert [f.data for f in frames[1:-1]] == BODIES
    assert isinstance(frames[1], Capture)
    assert frames[1].status is Status.ANSWERED
    assert frames[-1] == End(5, 0.5)


def test_a_cut_at_any_byte_is_seen_and_whole_frames_are_kept(stream):
    data = stream(BODIES[:3])
    whole = [f.data for f in read(data)[0] if isinstance(f, Capture)]
    counts = set()
    for at in range(len(data)):
        frames, why = read(data[:at])
        assert why, at
        got = [f.data for f in frames if isinstance(f, Capture)]
        assert got == whole[: len(got)]
        counts.add(len(got))
    assert counts == {0, 1, 2, 3}


def test_the_reason_of_a_cut_says_how_much_came(stream):
    assert "cut off after 2 of 5 answers" in read(stream(BODIES[:2], close=False))[1]


@pytest.mark.parametrize("chunk", [64, 1024, 4096])
def test_interleaved_agents_are_seen(stream, chunk):
    """What srun makes of two tasks that print long lines at once."""
    one, two = (stream([b"x" * 3000 + bytes([65 + n]) * 3000] * 5) for n in range(2))
    mixed = bytearray()
    for at in range(0, max(len(one), len(two)), chunk):
        mixed += one[at : at + chunk] + two[at : at + chunk]
    frames, why = read(bytes(mixed))
    assert why
    assert sum(isinstance(f, Capture) for f in frames) < 5


def test_whole_frames_of_two_agents_in_one_stream_are_seen(stream):
    one, two = stream(BODIES), stream(BODIES)
    cut = one.index(b"\nASSAY/1", 10) + 1
    _, why = read(one[:cut] + two)
    assert "two agents" in why


def test_a_missing_a_repeated_and_a_swapped_frame_are_seen(stream):
    data = stream(BODIES)
    starts = [0]
    while (at := data.find(b"\nASSAY/1 ", starts[-1] + 1)) > 0:
        if data[at + 9 :][:16] == data[8:24]:
            starts.append(at + 1)
        else:
            break
    pieces = [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)], strict=True)]
    assert len(pieces) >= 5
    for order in ([0, 2, 3, 4], [0, 1, 1, 2], [0, 2, 1, 3]):
        frames, why = read(b"".join(pieces[n] for n in order))
        assert "was due" in why
        assert len(frames) < len(order)


def test_bytes_after_the_end_are_seen_but_the_answers_count(stream):
    frames, why = read(stream(BODIES) + b"srun: error: task 0 exited\n")
    assert "follow the end" in why
    assert sum(isinstance(f, Capture) for f in frames) == 5


def test_a_login_banner_before_the_first_frame_is_no_damage(stream):
    assert read(b"Welcome to n1!\nASSAY is no frame\n\n" + stream(BODIES), 5)[1] == ""


def test_a_banner_without_end_and_one_without_agent(stream):
    assert "no agent answered" in read(b"x" * (MOST_NOISE + 100), 999)[1]
    assert "command not found" in read(b"bash: python3: command not found\n")[1]
    assert read(b"")[1] == "no agent answered"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"source": "rm -rf /"}, "not asked for"),
        ({"source": READINGS[0].source}, "not asked for"),  # twice
        ({"status": "fine"}, "makes no sense"),
        ({"exit_code": "zero"}, "makes no sense"),
        ({"kind": "hello"}, "of kind"),
        ({"kind": "end", "digest": "0" * 64, "captures": 1}, "missing"),
    ],
)
def test_headers_that_lie_are_refused(stream, change, reason):
    header = {**described(READINGS[1].source, Answer("answered")), **change}
    frames, why = read(stream([b"first"], answers=[(header, b"")], close=False))
    assert reason in why
    assert [f.data for f in frames if isinstance(f, Capture)] == [b"first"]


def test_an_answer_over_its_cap_is_refused(stream):
    header = described(READINGS[1].source, Answer("answered"))
    _, why = read(stream([b""], answers=[(header, b"x" * (3 << 20))], close=False))
    assert "exceeds its cap" in why


def test_another_protocol_is_named(stream):
    _, why = read(stream(BODIES).replace(b"ASSAY/1", b"ASSAY/9", 1))
    assert "version 9" in why


def test_nothing_counts_after_damage(stream):
    data = bytearray(stream(BODIES))
    data[data.index(b"one\n")] ^= 1
    frames, why = read(bytes(data))
    assert "damaged" in why
    assert [f.data for f in frames if isinstance(f, Capture)] == [b""]


@given(st.binary(max_size=600))
@settings(max_examples=200, deadline=None)
def test_junk_never_raises(data):
    for junk in (data, b"ASSAY/1 " + data):
        frames, why = read(junk)
        assert frames == []
        assert why


def test_random_damage_never_gives_a_wrong_answer(stream):
    data = stream(BODIES)
    good = [f.data for f in read(data)[0] if isinstance(f, Capture)]
    rng = random.Random(1)
    for _ in range(300):
        bad = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(bad))
            kind = rng.randrange(3)
            if kind == 0:
                bad[at] = rng.randrange(256)
            elif kind == 1:
                del bad[at : at + rng.randrange(1, 40)]
            else:
                bad[at:at] = rng.randbytes(rng.randrange(1, 40))
        frames, _ = read(bytes(bad), rng.choice([None, 100]))
        got = [f.data for f in frames if isinstance(f, Capture)]
        assert got == good[: len(got)]
