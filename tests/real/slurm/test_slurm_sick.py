"""Sick nodes and a sick controller of a real Slurm cluster: the rest is reported on time."""

import signal
import time

import pytest

from assay.engine.target import Options, Unreachable
from assay.kit.reading import command
from assay.model.evidence import Status
from assay.model.report import NodeState
from assay.targets.slurm import Slurm
from assay.targets.slurm_view import Terms

pytestmark = pytest.mark.real


def test_a_frozen_node_keeps_nobody_from_answering(slurm, audit):
    lab = slurm(8)
    lab.signal("node003", signal.SIGSTOP)
    told = audit(lab, deadline=8)
    assert told.nodes(NodeState.READ) == set(lab.names) - {"node003"}
    assert max(told.at[name] for name in told.nodes(NodeState.READ)) < 5
    assert told.rows["node003"].state is NodeState.UNREAD
    assert "slurmd, its prolog or its network hangs" in told.rows["node003"].reason
    assert lab.submissions() == 1
    assert lab.jobs() == []


SRUN = """\
#!/bin/sh
# srun as it is when a node's slurmd refuses a step: the step of all nodes is ended
[ -e {flag} ] && exec /usr/bin/srun "$@"
touch {flag}
/usr/bin/srun "$@" & srun=$!
sleep 1
kill -TERM $srun; wait $srun
echo "srun: error: Task launch for StepId=1.0 failed on node node003: Connection refused" >&2
exit 1
"""


def test_when_srun_gives_a_step_up_the_others_are_asked_again_in_the_same_job(
    slurm, audit, tmp_path
):
    lab = slurm(4)
    (tmp_path / "srun").write_text(SRUN.format(flag=tmp_path / "second"))
    (tmp_path / "srun").chmod(0o755)
    environment = {**lab.environment, "PATH": f"{tmp_path}:{lab.environment['PATH']}"}
    slow = command("sh", "-c", "sleep 2; echo slow", name="slow", deadline=10)
    told = audit(lab, readings=[slow, command("echo", "hello")], environment=environment)
    assert told.nodes(NodeState.READ) == {"node001", "node002", "node004"}
    assert told.captures["node004"][slow.source].data == b"slow\n"
    assert told.rows["node003"].reason == "its slurmd did not begin the step: Connection refused"
    assert told.rows["node003"].state is NodeState.PARTIAL  # `echo hello` had arrived
    assert told.target.calls["srun"] == 2
    assert lab.submissions() == 1
    assert lab.jobs() == []


def test_a_killed_slurmd_is_a_row(slurm, audit):
    lab = slurm(4)
    lab.signal("node002", signal.SIGKILL)
    told = audit(lab, deadline=12)
    assert told.nodes(NodeState.READ) == {"node001", "node003", "node004"}
    assert told.rows["node002"].state is NodeState.UNREAD
    assert told.rows["node002"].reason
    assert lab.jobs() == []


@pytest.mark.parametrize(
    ("flag", "reason"),
    [
        ("flood", "floods its output, and not with answers: 'this node talks"),
        ("flood-one-line", "floods its output"),
        ("missing", "python3: not found"),
        ("silent", "no agent answered"),
    ],
)
def test_a_node_that_answers_something_else_is_a_row_and_the_others_are_on_time(
    slurm, audit, flag, reason
):
    lab = slurm(8)
    lab.flag("node005", flag)
    told = audit(lab, Terms(python=[lab.python]), deadline=12)
    assert told.nodes(NodeState.READ) == set(lab.names) - {"node005"}
    assert told.rows["node005"].state is NodeState.UNREAD
    assert reason in told.rows["node005"].reason
    assert told.seconds < 8
    assert lab.jobs() == []


def test_a_node_that_hangs_is_a_row_at_the_deadline(slurm, audit):
    lab = slurm(4)
    lab.flag("node001", "hang")
    told = audit(lab, Terms(python=[lab.python]), deadline=6)
    assert told.nodes(NodeState.READ) == {"node002", "node003", "node004"}
    assert "the step began there, but nothing came from it" in told.rows["node001"].reason
    assert 4 < told.seconds < 6


def test_a_greeting_does_no_harm_and_a_false_name_is_refused(slurm, audit):
    lab = slurm(4)
    lab.flag("node002", "motd")
    lab.flag("node003", "greedy")  # it says that it is node001
    told = audit(lab, Terms(python=[lab.python]))
    assert told.nodes(NodeState.READ) == {"node001", "node002", "node004"}
    assert told.rows["node003"].state is NodeState.UNREAD
    assert "calls itself 'node001'" in told.rows["node003"].reason


def test_no_python_on_the_nodes(slurm, audit):
    lab = slurm(2)
    told = audit(lab, Terms(python=["/no/such/python"]))
    assert told.nodes(NodeState.UNREAD) == set(lab.names)
    assert "no Python 3 among /no/such/python" in told.rows["node001"].reason


def test_slow_readings_end_with_the_deadline_and_the_rest_counts(slurm, audit):
    lab = slurm(2)
    slow = command("sleep", "98601", deadline=60)
    told = audit(lab, readings=[slow, command("echo", "hello")], deadline=6)
    assert told.nodes(NodeState.READ) == set(lab.names)
    assert told.captures["node001"][slow.source].status is Status.TIMEOUT
    assert told.captures["node002"]["echo hello"].data == b"hello\n"


def test_a_controller_that_is_down_is_a_report_of_every_configured_node(slurm, audit):
    lab = slurm(4)
    lab.stop_controller()
    told = audit(lab, deadline=10)
    assert told.nodes(NodeState.UNREAD) == set(lab.names)
    assert "controller does not answer" in told.rows["node001"].reason
    assert "DOWN" in told.rows["node001"].reason
    assert told.seconds < 2


def test_a_controller_that_hangs_is_the_same_within_the_deadline(slurm, audit):
    lab = slurm(2)
    lab.signal("slurmctld", signal.SIGSTOP)
    told = audit(lab, deadline=9)
    lab.signal("slurmctld", signal.SIGCONT)
    assert told.nodes(NodeState.UNREAD) == set(lab.names)
    assert "had no answer from the controller" in told.rows["node001"].reason
    assert told.seconds < 5


def test_a_controller_that_hangs_in_the_middle(slurm, audit):
    """Answers that came count; what is left is said."""
    lab = slurm(2)
    target = Slurm(Terms(), lab.environment)
    slow = command("sh", "-c", "sleep 3; echo slow", name="slow")
    events = target.collect([slow, command("echo", "x")], Options(deadline=12))
    began = time.monotonic()
    told = [next(events)]
    lab.signal("slurmctld", signal.SIGSTOP)
    told += events
    seconds = time.monotonic() - began
    lab.signal("slurmctld", signal.SIGCONT)
    rows = {row.name: row for row in told if hasattr(row, "scheduler")}
    assert {row.state for row in rows.values()} == {NodeState.READ}
    assert seconds < 13
    assert "has not confirmed" in target.summary()[-1]
    lab.quiet()


def test_no_controller_and_no_configuration_cannot_be_reached(tmp_path, slurm):
    lab = slurm(1)
    environment = {**lab.environment, "SLURM_CONF": str(tmp_path / "none.conf")}
    with pytest.raises(Unreachable, match="tells the names of its nodes"):
        list(Slurm(Terms(), environment).collect([], Options(deadline=10)))
