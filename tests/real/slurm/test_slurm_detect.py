"""What the head, a node and a stranger of a real Slurm cluster find out about themselves."""

import socket

import pytest

from assay.targets.detect import Detected, Kind, detect

pytestmark = pytest.mark.real


def test_a_head_node(slurm):
    lab = slurm(2)
    found = detect(lab.environment)
    assert found.kind is Kind.SLURM
    assert any("slurm.conf" in line for line in found.why)
    assert any("is UP" in line for line in found.why)
    assert found.why[-1] == "its controller runs here"
    assert lab.submissions() == 0


def test_a_head_node_whose_controller_is_down(slurm):
    lab = slurm(2)
    lab.stop_controller()
    found = detect(lab.environment)
    assert found.kind is Kind.SLURM
    assert any("is DOWN" in line for line in found.why)


def test_a_compute_node_audits_itself(slurm, monkeypatch):
    lab = slurm(2)
    monkeypatch.setattr(socket, "gethostname", lambda: "node002.example.org")
    assert detect(lab.environment).kind is Kind.LOCAL
    monkeypatch.setattr(socket, "gethostname", lambda: "login1")
    found = detect(lab.environment)
    assert found.kind is Kind.SLURM
    assert found.why[-1] == "this machine is none of its nodes"
    lab.stop_controller()
    assert detect(lab.environment).kind is Kind.SLURM
    monkeypatch.setattr(socket, "gethostname", lambda: "node002")
    assert detect(lab.environment).kind is Kind.LOCAL


def test_inside_a_job(slurm):
    lab = slurm(1)
    found = detect({**lab.environment, "SLURM_JOB_ID": "17"})
    assert found == Detected(Kind.SLURM_JOB, ("inside Slurm job 17 (SLURM_JOB_ID)",))


def test_programs_without_a_configuration_are_a_plain_machine(slurm, tmp_path):
    lab = slurm(1)
    found = detect({**lab.environment, "SLURM_CONF": str(tmp_path / "none")})
    assert found.kind is Kind.LOCAL
