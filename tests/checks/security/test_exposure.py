"""What is exposed to tenants: never a pass by absence, never a failure by number alone."""

import pytest

from assay.checks.security.access_control import access_control
from assay.checks.security.bmc_device import bmc_device
from assay.checks.security.dpu_management import dpu_management
from assay.checks.security.listening_services import listening_ports
from assay.checks.security.raw_devices import raw_devices
from assay.checks.security.secure_boot import secure_boot
from assay.model.facts.access import Listener
from assay.model.facts.dmi import Virtualization
from assay.model.facts.exposure import KernelLock, PathMode
from assay.model.outcome import Outcome, Severity

NULL = PathMode("/dev/null", "c", 0o666, 0, 0, "1:3")
LO = PathMode("/sys/class/net/lo", "l", 0o777, 0, 0)
METAL, VM, POD = (
    Virtualization(False),
    Virtualization(True, "KVM"),
    Virtualization(None, "", "kubernetes"),
)


def outcomes(verdicts):
    return [(v.outcome, v.subject) for v in verdicts]


@pytest.mark.parametrize("path", ["/dev/ipmi0", "/dev/ipmi/0", "/dev/ipmidev/0"])
@pytest.mark.parametrize(
    ("mode", "outcome"),
    [(0o600, Outcome.PASS), (0o660, Outcome.PASS), (0o666, Outcome.FAIL), (0o604, Outcome.FAIL)],
)
def test_the_bmcs_device_is_judged_by_its_mode(path, mode, outcome):
    paths = [NULL, PathMode(path, "c", mode, 0, 0, "240:0")]
    assert outcomes(bmc_device(paths, [METAL])) == [(outcome, path)]


@pytest.mark.parametrize(
    ("machine", "outcome"),
    [([METAL], Outcome.UNKNOWN), (None, Outcome.UNKNOWN), ([VM], Outcome.NOT_APPLICABLE),
     ([POD], Outcome.NOT_APPLICABLE)],
)  # fmt: skip
def test_a_missing_bmc_device_is_never_a_pass(machine, outcome):
    found = list(bmc_device([NULL], machine))
    assert [v.outcome for v in found] == [outcome]


def test_an_unlisted_dev_says_nothing():
    assert list(bmc_device([LO], [METAL])) == []
    assert list(dpu_management([LO])) == []
    assert list(dpu_management([NULL])) == []


def test_rshim_is_a_way_into_the_dpu():
    rshim = PathMode("/dev/rshim0", "d", 0o700, 0, 0)
    assert outcomes(dpu_management([NULL, LO, rshim])) == [(Outcome.FAIL, "/dev/rshim0")]
    assert [v.outcome for v in dpu_management([NULL, LO])] == [Outcome.PASS]


def test_raw_devices_are_disks_memory_and_firmware():
    paths = [
        NULL,
        PathMode("/dev/sda", "b", 0o664, 0, 6, "8:0"),
        PathMode("/dev/sdb", "b", 0o660, 0, 6, "8:16"),
        PathMode("/dev/fuse", "c", 0o666, 0, 0, "10:229"),
        PathMode("/dev/infiniband/uverbs0", "c", 0o666, 0, 0, "231:192"),
    ]
    found = list(raw_devices(paths))
    assert outcomes(found) == [(Outcome.FAIL, "/dev/sda"), (Outcome.PASS, "host")]
    assert "every user may read" in found[0].because


def test_a_port_is_only_a_remark():
    found = list(listening_ports([Listener("*", 10255), Listener("127.0.0.1", 6379)]))
    assert [v.outcome for v in found] == [Outcome.FAIL]
    assert "usually the kubelet's read-only port" in found[0].because
    assert listening_ports.__name__ == "listening_ports"
    from assay.kit.check import registry

    assert registry["security.listening-ports"].severity is Severity.INFO


def test_no_listeners_is_no_observation():
    assert list(listening_ports([])) == []


def test_locks_need_a_word_of_the_kernel():
    assert list(secure_boot([])) == []
    assert [v.outcome for v in access_control([KernelLock("selinux", "permissive")])] == [
        Outcome.FAIL
    ]
    both = [KernelLock("apparmor", "off"), KernelLock("selinux", "on")]
    assert [v.outcome for v in access_control(both)] == [Outcome.PASS]
