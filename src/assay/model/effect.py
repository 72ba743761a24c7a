"""What running a thing does to the cluster, declared before it is run."""

from enum import StrEnum


class Effect(StrEnum):
    """From nothing at all to destructive. Whatever is above ``NONE`` needs consent."""

    NONE = "none"
    LOAD = "load"  # uses accelerators, disks or networks for a while
    SETTING = "setting"  # changes a setting; snapshotted, restored, verified
    OBJECTS = "objects"  # creates jobs, pods, claims; removed afterwards
    EGRESS = "egress"  # sends packets to somebody else's machine
    DESTRUCTIVE = "destructive"  # needs a signed consent file
