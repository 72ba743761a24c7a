import pytest

from assay.demo.hosts import host
from assay.engine.plants import PlantError, apply
from assay.kit.pack import load
from assay.kit.plant import Edit, plant
from assay.model.evidence import Status

SYSCTL = next(s for s in host("hgx-h100").captures if "perf_event_paranoid" in s)
PATH = "/proc/sys/kernel/perf_event_paranoid"


def edited(edit):
    return apply(plant(edit), host("hgx-h100")).captures[edit.source]


def test_an_edit_of_one_file_leaves_its_neighbours():
    entries = {e.path: e.data for e in load(edited(Edit(SYSCTL, "4\n", path=PATH)).data)}
    assert entries[PATH] == b"4\n"
    assert len(entries) == len(list(load(host("hgx-h100").captures[SYSCTL].data)))


@pytest.mark.parametrize(
    "edit",
    [
        Edit(SYSCTL, "1\n", path=PATH),
        Edit(SYSCTL, "4", old="not there", path=PATH),
        Edit(SYSCTL, "4", old="1", path="/proc/none"),
        Edit("no such source", "x", old="y"),
    ],
)
def test_an_edit_that_changes_nothing_is_an_error(edit):
    with pytest.raises(PlantError):
        edited(edit)


def test_an_answer_can_be_lost():
    assert edited(Edit(SYSCTL, status=Status.TIMEOUT)).status is Status.TIMEOUT
