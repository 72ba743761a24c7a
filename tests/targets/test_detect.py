from assay.targets.detect import Kind, detect
from assay.targets.slurm_controller import clean


def test_a_machine_without_slurm(monkeypatch, tmp_path):
    monkeypatch.setattr("assay.targets.slurm_controller.PLACES", str(tmp_path))
    found = detect({"PATH": str(tmp_path), "SLURM_JOB_ID": "1"})
    assert found.kind is Kind.LOCAL
    assert found.why == ("no Slurm: scontrol, salloc, srun, scancel not installed",)


def test_options_of_slurm_in_the_environment_are_dropped_and_its_place_is_kept():
    given = {"HOME": "/root", "SLURM_CONF": "/c", "SLURM_JOB_ID": "1", "SALLOC_PARTITION": "x"}
    kept = clean(given)
    assert kept["SLURM_CONF"] == "/c"
    assert set(kept) == {"HOME", "SLURM_CONF", "PATH", "LC_ALL"}
