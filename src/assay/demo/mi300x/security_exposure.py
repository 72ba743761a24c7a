"""Devices of the MI300X node with their permissions, and its locks."""

from collections.abc import Iterator

from assay.demo.hgx_h100.security_exposure import COMMON, INTERFACES, LOCKS, NAMESPACES
from assay.demo.hosts import pack
from assay.model.evidence import Capture
from assay.probes import device_exposure as exposure
from assay.probes import device_exposure_locks as locks


def captures() -> Iterator[Capture]:
    """Listings as root sees them."""
    yield pack(exposure.DEVICES, {**COMMON, "/dev/kfd": "c 0660 0 110 511:0 0"})
    yield pack(exposure.INTERFACES, INTERFACES)
    yield pack(locks.LOCKS, LOCKS)
    yield pack(locks.NAMESPACES, NAMESPACES)
