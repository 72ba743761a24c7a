import pytest

from assay.kit.glob import expand, matcher


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/sys/class/net/*/mtu", "/sys/class/net/eth0/mtu", True),
        ("/sys/class/net/*/mtu", "/sys/class/net/eth0/x/mtu", False),
        ("/etc/a[0-9]", "/etc/a7", True),
        ("/etc/a[!0-9]", "/etc/a7", False),
        ("/etc/?.conf", "/etc/x.conf", True),
        ("/etc/a.c", "/etc/abc", False),
        ("/etc/[", "/etc/[", True),
    ],
)
def test_a_star_stays_inside_one_folder(pattern, path, matches):
    assert bool(matcher(pattern).fullmatch(path)) is matches


def test_alternatives_multiply():
    assert list(expand("/{a,b}/{1,2}")) == ["/a/1", "/a/2", "/b/1", "/b/2"]
