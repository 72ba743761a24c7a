import pytest

from assay.demo.hosts import pack
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.device import BadPages, DeviceNode, RasBlock
from assay.probes import accelerator_nodes, amd_sysfs
from assay.probes.amd_sysfs import CARDS, ERRORS, LAST, PAGES, ROOT

END = {LAST: "drm 1.1.0 20060810\n"}


def seen(*captures):
    return Seen(Evidence("n", {c.source: c for c in captures}))


def cards():
    return pack(CARDS, {ROOT + "card1/device": "../../../0000:0c:00.0",
                        ROOT + "card1-DP-1/device": "../../card1"})  # fmt: skip


def test_errors_by_place_and_block():
    found = pack(
        ERRORS, {ROOT + "card1/device/ras/umc_err_count": "ue: 2\nce: 30\nde: 1\n",
                 ROOT + "card9/device/ras/gfx_err_count": "ue: 0\nce: 0\n", **END},
    )  # fmt: skip
    assert list(amd_sysfs.errors(seen(found, cards()))) == [
        RasBlock("amd", None, "0000:0c:00.0", "UMC", None, 30, 2, 1),
        RasBlock("amd", None, "card9", "GFX", None, 0, 0, None),
    ]


def test_bad_pages_by_state():
    lines = "".join(f"0x0000{n:04x} : 0x00001000 : {flag}\n" for n, flag in enumerate("RRPF"))
    found = pack(PAGES, {ROOT + "card1/device/ras/gpu_vram_bad_pages": lines, **END})
    assert list(amd_sysfs.pages(seen(found, cards()))) == [
        BadPages("amd", None, "0000:0c:00.0", 2, 1, 1)
    ]


@pytest.mark.parametrize("text", ["", "ue: many\n", "Input/output error\n"])
def test_a_counter_that_counts_nothing_is_unread(text):
    found = pack(ERRORS, {ROOT + "card1/device/ras/umc_err_count": text, **END})
    with pytest.raises(Unread):
        list(amd_sysfs.errors(seen(found)))


def test_an_answer_without_its_end_is_unread():
    whole = pack(PAGES, {ROOT + "card1/device/ras/gpu_vram_bad_pages": "", **END})
    assert len(list(amd_sysfs.pages(seen(whole)))) == 1
    with pytest.raises(Unread, match="to its end"):
        list(amd_sysfs.pages(seen(pack(PAGES, {ROOT + "card1/device/ras/gpu_vram_bad_pages": ""}))))


def test_no_graphics_subsystem_at_all():
    assert list(amd_sysfs.pages(seen(Capture(PAGES.source, status=Status.ABSENT)))) == []


def test_device_nodes():
    found = pack(accelerator_nodes.NODES, {"/dev/null": "c 0666 0 0 1:3 0",
                                           "/dev/kfd": "c 0660 0 44 235:0 0"})  # fmt: skip
    assert list(accelerator_nodes.nodes(seen(found))) == [DeviceNode("/dev/kfd", "c", 0o660, 0, 44)]
    with pytest.raises(Unread):
        list(accelerator_nodes.nodes(seen(pack(accelerator_nodes.NODES, {"/dev/kfd": "?"}))))
    with pytest.raises(Unread, match=r"null|nothing"):
        list(accelerator_nodes.nodes(seen(pack(accelerator_nodes.NODES, {}))))
