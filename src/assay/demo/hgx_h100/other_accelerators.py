"""What the H100 node does not have: tools, counters and device files of other makers."""

from collections.abc import Iterator

from assay.demo.hosts import absent, pack
from assay.model.evidence import Capture
from assay.probes import (
    accelerator_nodes,
    amd_devices,
    amd_sysfs,
    hl_smi,
    neuron_ls,
    npu_smi,
    tpu_info,
)


def captures() -> Iterator[Capture]:
    """Looked, and nothing there. The BMC's display adapter is the one card of the DRM."""
    for reading in (
        amd_devices.STATIC, amd_devices.METRIC, amd_devices.XGMI, amd_devices.ROCM,
        tpu_info.TPU_INFO, neuron_ls.NEURON_LS, neuron_ls.COUNTERS, hl_smi.QUERY, hl_smi.TABLE,
        npu_smi.INFO, npu_smi.MAPPING,
    ):  # fmt: skip
        yield absent(reading)
    yield pack(accelerator_nodes.NODES, {"/dev/null": "c 0666 0 0 1:3 0"})
    for reading in (amd_sysfs.ERRORS, amd_sysfs.PAGES):
        yield pack(reading, {amd_sysfs.LAST: "drm 1.1.0 20060810\n"})
    yield pack(amd_sysfs.CARDS, {amd_sysfs.ROOT + "card0/device": "../../../0000:03:00.0"})
