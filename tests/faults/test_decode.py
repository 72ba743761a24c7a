"""Kernel lines in every shape: decoded right, kept when unknown, never a crash."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.faults import catalogue
from assay.faults.decode import decode, device_id, event_of, when

XID = "NVRM: Xid (PCI:{}): {}, {}"
CHANGED = "GPU recovery action changed from 0x0 (None) to "


def told(line):
    event = event_of(line)
    return event and (event.kind, event.code, event.device, event.severity, event.action)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (XID.format("0000:3b:00", 79, "GPU has fallen off the bus."),
         ("xid", 79, "0000:3b:00.0", "critical", "reboot_node")),
        ("[12.3] NVRM: Xid (PCI:0000:05:00 GPU-I:01): 94, pid=1, Contained",
         ("xid", 94, "0000:05:00.0", "error", "restart_app")),
        ("NVRM: Xid (0000:0A:00): 79", ("xid", 79, "0000:0a:00.0", "critical", "reboot_node")),
        ("NVRM: Xid (PCI:...): 48, DBE", ("xid", 48, "", "critical", "reset_gpu")),
        (XID.format("0000:01:00", 901, "new in some driver"),
         ("xid", 901, "0000:01:00.0", "unknown", "record_only")),
        (XID.format("0000:01:00", 154, CHANGED + "0x2 (OS Reboot)"),
         ("xid", 154, "0000:01:00.0", "critical", "reboot_node")),
        (XID.format("0000:01:00", 154, CHANGED + "0x1"),
         ("xid", 154, "0000:01:00.0", "critical", "reset_gpu")),
        (XID.format("0000:01:00", 154, CHANGED + "0x9 (New)"),
         ("xid", 154, "0000:01:00.0", "unknown", "follow_text")),
        # the text says Fatal, the register words say that it can be ignored
        (XID.format("0000:01:00", 149, "NETIR Fatal XC0 i0 Link 00 (0x026001c6 0x00000000)"),
         ("xid", 149, "0000:01:00.0", "warning", "none")),
        # no row of the table fits: the line's own word counts
        (XID.format("0000:01:00", 149, "NETIR_NEW Fatal XC0 i0 Link -1 (0xffffffff 0x12345678)"),
         ("xid", 149, "0000:01:00.0", "critical", "reset_gpu")),
        ("nvidia-nvswitch0: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up",
         ("sxid", 20034, "0000:06:00.0", "critical", "reset_fabric_or_reboot")),
        ("nvidia-nvswitch0: SXid (PCI:0000:06:00.0): 20034, Severity 1 Engine instance 00",
         ("sxid", 20034, "0000:06:00.0", "info", "none")),
        ("nvidia-nvswitch0: SXid (PCI:0000:06:00.0): 99999, Non-fatal, something new",
         ("sxid", 99999, "0000:06:00.0", "warning", "watch")),
        ("amdgpu 0000:c1:00.0: amdgpu: socket: 0 0 uncorrectable hardware errors detected in gfx",
         ("amdgpu_ras", None, "0000:c1:00.0", "info", "watch")),
        ("kernel: EXT4-fs (nvme0n1p2): Remounting filesystem read-only",
         ("fs_readonly", None, "nvme0n1p2", "critical", "drain_and_repair")),
        ("Out of memory: Killed process 1 (python3)",
         ("oom_kill", None, "", "warning", "investigate")),
        ("blk_update_request: I/O error, dev sdb, sector 1 op 0x0",
         ("disk_error", None, "sdb", "error", "drain_and_repair")),
        ("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.95.05", None),
        ("systemd[1]: Started Session 1 of user root.", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_line_says_what_broke_and_what_to_do(line, expected):
    assert told(line) == expected


def test_a_line_of_our_own_drill_is_marked():
    line = XID.format("0000:3b:00", 79, "name=assay-drill-7f, GPU has fallen off the bus.")
    assert event_of(line).drill
    assert not event_of(line.replace("assay-drill-7f", "python")).drill


@pytest.mark.parametrize(
    ("line", "stamp"),
    [
        ("[430954.509105] NVRM:", "430954.509105"),
        ("<4>[   12.5] x", "12.5"),
        ("[Fri Apr  5 21:29:39 2024] x", "Fri Apr  5 21:29:39 2024"),
        ("2026-01-02T03:04:05+0000 host kernel: x", "2026-01-02T03:04:05+0000"),
        ("Dec  1 04:05:06 host kernel: x", "Dec  1 04:05:06"),
        ("kernel: x", ""),
    ],
)
def test_every_kind_of_stamp_is_kept(line, stamp):
    assert when(line) == stamp


def test_addresses_have_one_form():
    assert device_id("00000000:3B:00.0") == device_id("0000:3b:00") == "0000:3b:00.0"
    assert device_id("md0") == "md0"


@given(st.lists(st.text(max_size=200)))
def test_any_text_is_survived(lines):
    list(decode(lines))


@given(st.data())
def test_mutated_lines_are_survived(data):
    line = data.draw(st.sampled_from([
        XID.format("0000:01:00", 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x026001c6 0x0)"),
        XID.format("0000:01:00", 154, CHANGED + "0x2 (x)"),
        "nvidia-nvswitch0: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM",
        "amdgpu 0000:c1:00.0: amdgpu: socket: 0 2 uncorrectable hardware errors detected in gfx",
    ]))  # fmt: skip
    at, end = sorted(data.draw(st.tuples(*[st.integers(0, len(line))] * 2)))
    event_of(line[:at] + data.draw(st.text(max_size=20)) + line[end:])


def test_every_entry_of_the_catalogue_is_whole():
    assert len(catalogue.xids()) >= 172
    for entry in (*catalogue.xids().values(), *catalogue.sxids().values(), *catalogue.patterns()):
        assert entry.meaning
        assert entry.source.startswith("https://")
        assert entry.action


@pytest.mark.corpus
def test_every_labelled_line_is_classified(samples):
    wrong = []
    for text in (samples.parent / "kernel-log-lines.jsonl").read_text("utf-8").splitlines():
        label = json.loads(text)
        event = event_of(label["line"])
        got = event and (event.vendor, event.kind, event.code, event.fault_class, event.severity,
                         event.action)  # fmt: skip
        keys = ("vendor", "kind", "code", "expected_class", "severity", "action")
        want = None if label["kind"] == "none" else tuple(label[key] for key in keys)
        if got != want:
            wrong.append((label["line"], got, want))
    assert wrong == []
