"""Many tasks on one pipe: what is whole is told apart, what is lost or mixed is found out."""

import binascii
import os
import random
import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.collector.stream import End, Hello
from assay.engine.catalogue import catalogue
from assay.engine.target import Options
from assay.kit.reading import command
from assay.model.evidence import Capture
from assay.targets import slurm_carrier
from assay.targets.slurm_voices import MOST_NOISE, Voices
from assay.targets.slurm_voices import command as on_node

READINGS = [
    command("echo", "hello"),
    command("sh", "-c", "head -c 200000 /dev/urandom | base64"),
]


def spoken(name, readings=READINGS):
    """What a task on *name* prints: the real carrier around the real agent."""
    argv = on_node(readings, Options(deadline=10), [sys.executable])
    done = subprocess.run(
        argv, env={"SLURMD_NODENAME": name}, capture_output=True, check=True, timeout=20
    )
    assert done.stderr == b""
    return done.stdout.splitlines(keepends=True)


@pytest.fixture(scope="module")
def said():
    return {task: spoken(f"node{task + 1:03}") for task in range(3)}


def mixed(said, seed=1):
    """Lines of all tasks in any order that keeps each one's own, as srun prints them."""
    chance = random.Random(seed)
    left = {task: list(lines) for task, lines in said.items()}
    out = []
    while left:
        task = chance.choice(list(left))
        out.append(b"%2d: " % task + left[task].pop(0))
        if not left[task]:
            del left[task]
    return b"".join(out)


def hear(voices, data, piece=70000):
    heard = {}
    for at in range(0, len(data), piece):
        for voice, frames in voices.out(data[at : at + piece]):
            heard.setdefault(voice.node, []).extend(frames)
    return heard


def test_every_line_comes_through_srun_whole(said):
    lines = [line for lines in said.values() for line in lines]
    assert max(map(len, lines)) < 1000  # srun and slurmstepd cut at 1024 bytes
    assert len(lines) > 600


@pytest.mark.parametrize("piece", [1, 7, 1024, 1 << 20])
def test_answers_are_told_apart_however_they_are_mixed(said, piece):
    if piece == 1:
        said = {task: spoken(f"node{task + 1:03}", READINGS[:1]) for task in range(3)}
    voices = Voices(READINGS)
    heard = hear(voices, mixed(said), piece)
    assert set(heard) == {"node001", "node002", "node003"}
    for frames in heard.values():
        assert isinstance(frames[0], Hello)
        assert isinstance(frames[-1], End)
        answers = {f.source: f.data for f in frames if isinstance(f, Capture)}
        assert answers["echo hello"] == b"hello\n"
    assert [voices.of(f"node00{n}").why() for n in (1, 2, 3)] == ["", "", ""]


def test_a_line_that_is_lost_is_found_out(said):
    lines = list(said[0])
    del lines[len(lines) // 2]
    voices = Voices(READINGS)
    hear(voices, mixed({**said, 0: lines}))
    assert voices.of("node001").broken
    assert voices.of("node002").why() == ""


def test_lines_of_two_tasks_under_one_label_are_found_out(said):
    voices = Voices(READINGS)
    hear(voices, mixed({0: said[0][:40] + said[1][3:9] + said[0][40:], 2: said[2]}))
    assert voices.of("node001").broken
    assert voices.of("node003").why() == ""


def test_a_stream_that_ends_early_is_not_whole(said):
    voices = Voices(READINGS)
    hear(voices, mixed({0: said[0][:-5]}))
    assert "cut off after" in voices.of("node001").why()


def test_srun_says_where_a_task_runs_and_its_word_counts(said):
    voices = Voices(READINGS)
    voices.err(b"srun: launching StepId=5.0 on host node001, 1 tasks: 0\n")
    voices.err(b"srun: launching StepId=5.0 on host node009, 1 tasks: 1\n")
    hear(voices, mixed({0: said[0], 1: said[1]}))
    assert voices.of("node001").why() == ""
    assert "calls itself 'node002'" in voices.of("node009").why()


def test_two_tasks_of_one_name(said):
    voices = Voices(READINGS)
    hear(voices, b"".join(b"0: " + line for line in said[0]))
    heard = hear(voices, b"".join(b"1: " + line for line in said[0]))
    assert set(heard) == {""}
    assert voices.of("node001").why() == ""


def test_a_greeting_is_no_harm_and_a_flood_is_cut(said):
    voices = Voices(READINGS)
    hear(voices, b"0: Welcome\n0: 1: =N node007\n0: \n" + mixed({0: said[0]}))
    assert voices.of("node001").why() == ""
    voices.err(b"srun: launching StepId=5.0 on host node004, 1 tasks: 3\n")
    hear(voices, b"3: talk talk talk\n" * (MOST_NOISE // 14 + 1))
    assert "floods its output" in voices.of("node004").why()
    assert len(voices.of("node004").noise) < 1000


def test_an_endless_line_is_dropped():
    voices = Voices(READINGS)
    for _ in range(100):
        assert list(voices.out(b"x" * 5000)) == []


def test_what_srun_complains():
    voices = Voices(READINGS)
    voices.err(
        b"srun: launch/slurm: _task_start: Node node001, 1 tasks started\n"
        b"srun: error: Task launch for StepId=6.0 failed on node node003: Socket timed out\n"
        b"srun: error: Node failure on node004\n"
        b"srun: error: node002: task 1: Out Of Memory\n"
        b"srun: error: cluster configuration lacks support for cpu binding\n"
        b" 1: bash: python3: comma"
    )
    voices.err(b"nd not found\nsrun: error: Unable to create step: Invalid account\n")
    assert voices.hindered == {
        "node003": "its slurmd did not begin the step: Socket timed out",
        "node004": "the node failed while it was asked",
    }
    assert voices.ended == {"node002": "Out Of Memory"}
    assert voices.started == {"node001"}
    assert voices.complaint == "Unable to create step: Invalid account"


@given(st.binary(max_size=2000))
def test_junk_never_crashes(data):
    voices = Voices(READINGS)
    for voice, _ in voices.out(data + b"\n1: =Z" + binascii.b2a_base64(data)):
        voice.why()
    voices.err(data)


@given(st.binary(max_size=6000))
def test_the_carrier_keeps_every_byte(data):
    text = slurm_carrier.lines(data).splitlines()
    assert all(len(line) <= 2 + slurm_carrier.PIECE // 3 * 4 for line in text)
    assert b"".join(binascii.a2b_base64(line[2:], strict_mode=True) for line in text) == data


def test_a_bomb_is_defused():
    """A few bytes that would be hundreds of megabytes end that node, and nothing else."""
    squeeze = zlib.compressobj(9)
    packed = squeeze.compress(bytes(400 << 20)) + squeeze.flush()
    voices = Voices(READINGS)
    voices.err(b"srun: launching StepId=5.0 on host node001, 1 tasks: 0\n")
    for line in slurm_carrier.lines(packed).splitlines(keepends=True):
        list(voices.out(b"0: " + line))
    assert voices.of("node001").broken


def test_the_agent_ends_when_nobody_listens():
    readings = [command("sleep", "30", deadline=60)]
    argv = on_node(readings, Options(deadline=60), [sys.executable])
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, env={"SLURMD_NODENAME": "n"})
    assert process.stdout.readline() == b"=N n\n"
    process.stdout.close()
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    with open(children) as file:  # noqa: PTH123 - a file of /proc
        agents = file.read().split()
    process.terminate()
    process.wait(5)
    for agent in agents:
        for _ in range(100):
            if not os.path.exists(f"/proc/{agent}"):  # noqa: PTH110
                break
            subprocess.run(["sleep", "0.05"], check=True)
        assert not os.path.exists(f"/proc/{agent}")  # noqa: PTH110


def test_the_whole_reading_list_fits_into_one_argument():
    argv = on_node(catalogue().readings(), Options(), ["/usr/bin/python3"])
    assert len(argv[3]) < 100_000  # one argument holds at most 128 KiB
