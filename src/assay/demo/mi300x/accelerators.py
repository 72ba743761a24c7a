"""The eight MI300X of the AMD node, as amd-smi of ROCm 6.4 and the amdgpu driver show them."""

import json
from collections.abc import Iterator
from typing import Any

from assay.demo.hosts import absent, answer, pack
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

PLACES = tuple(f"0000:{bus}:00.0" for bus in ("0c", "22", "38", "5c", "9f", "af", "bf", "df"))
CARDS = (1, 9, 17, 25, 33, 41, 49, 57)  # card numbers leave room for partitions
JUNCTION = (41, 39, 43, 40, 42, 44, 38, 41)
MEMORY = (33, 32, 35, 33, 34, 36, 31, 33)
WATTS = (137, 133, 141, 136, 139, 144, 131, 138)
BLOCKS = ("UMC", "SDMA", "GFX", "MMHUB", "ATHUB", "PCIE_BIF", "HDP", "XGMI_WAFL", "MP0", "MCA")

DRM = "drm 1.1.0 20060810\n"


def _with(value: float, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit}


def _static(gpu: int) -> dict[str, Any]:
    return {
        "gpu": gpu,
        "asic": {
            "market_name": "AMD Instinct MI300X",
            "vendor_id": "0x1002",
            "vendor_name": "Advanced Micro Devices Inc. [AMD/ATI]",
            "subvendor_id": "0x1002",
            "device_id": "0x74a1",
            "subsystem_id": "0x74a1",
            "rev_id": "0x00",
            "asic_serial": f"0x{0x5A00C0DE0000 + gpu:016X}",
            "oam_id": gpu,
            "num_compute_units": 304,
            "target_graphics_version": "gfx942",
        },
        "bus": {
            "bdf": PLACES[gpu],
            "max_pcie_width": 16,
            "max_pcie_speed": _with(32, "GT/s"),
            "pcie_interface_version": "Gen 5",
            "slot_type": "OAM",
        },
        "vbios": {
            "name": "AMD MI300X_HW_SRIOV_CVS_1VF",
            "build_date": "2024/11/20 10:15",
            "part_number": "113-M3000100-102",
            "version": "022.040.003.043.000001",
        },
        "limit": {
            "max_power": _with(750, "W"),
            "min_power": _with(0, "W"),
            "socket_power": _with(750, "W"),
            "slowdown_edge_temperature": "N/A",
            "slowdown_hotspot_temperature": _with(100, "C"),
            "slowdown_vram_temperature": _with(105, "C"),
        },
        "driver": {"name": "amdgpu", "version": "6.12.12"},
        "board": {"model_number": "102-G30211-00", "manufacturer_name": "AMD"},
        "ras": {
            "eeprom_version": "0x30000",
            "parity_schema": "ENABLED",
            "single_bit_schema": "ENABLED",
            "double_bit_schema": "ENABLED",
            "poison_schema": "ENABLED",
            "ecc_block_state": dict.fromkeys(BLOCKS, "ENABLED"),
        },
        "partition": {
            "accelerator_partition": "SPX",
            "memory_partition": "NPS1",
            "partition_id": 0,
        },
        "numa": {"node": gpu // 4, "affinity": gpu // 4},
        "vram": {"type": "HBM3", "vendor": "HYNIX", "size": _with(196592, "MB")},
    }


def _metric(gpu: int) -> dict[str, Any]:
    still = ("prochot", "ppt", "socket_thermal", "vr_thermal", "hbm_thermal")
    none = {"correctable_count": 0, "uncorrectable_count": 0, "deferred_count": 0}
    return {
        "gpu": gpu,
        "usage": {
            "gfx_activity": _with(0, "%"),
            "umc_activity": _with(0, "%"),
            "mm_activity": "N/A",
            "vcn_activity": [_with(0, "%")] * 4,
        },
        "power": {
            "socket_power": _with(WATTS[gpu], "W"),
            "gfx_voltage": "N/A",
            "throttle_status": "N/A",
            "power_management": "ENABLED",
        },
        "temperature": {
            "edge": "N/A",
            "hotspot": _with(JUNCTION[gpu], "C"),
            "mem": _with(MEMORY[gpu], "C"),
        },
        "pcie": {
            "width": 16,
            "speed": _with(32, "GT/s"),
            "bandwidth": _with(8, "Mb/s"),
            "replay_count": 0,
            "l0_to_recovery_count": 1,
            "replay_roll_over_count": 0,
            "nak_sent_count": 0,
            "nak_received_count": 0,
        },
        "ecc": {
            "total_correctable_count": 0,
            "total_uncorrectable_count": 0,
            "total_deferred_count": 0,
            "cache_correctable_count": 0,
            "cache_uncorrectable_count": 0,
        },
        "ecc_blocks": dict.fromkeys(("UMC", "SDMA", "GFX", "MMHUB", "XGMI_WAFL"), none),
        "xgmi_err": "N/A",
        "mem_usage": {"total_vram": _with(196592, "MB"), "used_vram": _with(283, "MB")},
        "throttle": {f"{what}_violation_status": "NOT ACTIVE" for what in still},
    }


def _xgmi() -> dict[str, Any]:
    """Every GPU has a link of 512 Gb/s to each of the other seven."""
    rates = {
        "bit_rate": _with(32, "Gb/s"),
        "max_bandwidth": _with(512, "Gb/s"),
        "link_type": "XGMI",
    }
    metrics = []
    states = []
    for gpu, place in enumerate(PLACES):
        peers = []
        for peer, other in enumerate(PLACES):
            moved: Any = "N/A" if peer == gpu else _with(2, "KB")
            peers.append({"gpu": peer, "bdf": other, "read": moved, "write": moved})
        metrics.append({"gpu": gpu, "bdf": place, "link_metrics": {**rates, "links": peers}})
        words = ["SELF" if peer == gpu else "U" for peer in range(len(PLACES))]
        states.append({"gpu": gpu, "bdf": place, "link_status": words})
    return {"xgmi_metric": [metrics], "link_status": states}


def _rocm() -> dict[str, Any]:
    cards: dict[str, Any] = {
        f"card{gpu}": {
            "Device Name": "AMD Instinct MI300X",
            "Device ID": "0x74a1",
            "Unique ID": f"0x{0x5A00C0DE0000 + gpu:016x}",
            "VBIOS version": "113-M3000100-102",
            "Temperature (Sensor junction) (C)": f"{JUNCTION[gpu]}.0",
            "Temperature (Sensor memory) (C)": f"{MEMORY[gpu]}.0",
            "Max Graphics Package Power (W)": "750.0",
            "Current Socket Graphics Package Power (W)": f"{WATTS[gpu]}.0",
            "GPU use (%)": "0",
            "PCIe Replay Count": "0",
            "PCI Bus": place.upper(),
            "VRAM Total Memory (B)": "206141652992",
            "VRAM Total Used Memory (B)": "296747008",
            "Card Series": "AMD Instinct MI300X",
            "Memory Partition": "NPS1",
            "Compute Partition": "SPX",
            "(Topology) Numa Node": str(gpu // 4),
        }
        for gpu, place in enumerate(PLACES)
    }
    return {**cards, "system": {"Driver version": "6.12.12"}}


def _printed(value: object) -> str:
    return json.dumps(value, indent=4) + "\n"


def captures() -> Iterator[Capture]:
    """amd-smi, rocm-smi, the driver's counters, device files; no other maker's tools."""
    gpus = range(len(PLACES))
    yield answer(amd_devices.STATIC, _printed([_static(gpu) for gpu in gpus]))
    yield answer(amd_devices.METRIC, _printed([_metric(gpu) for gpu in gpus]))
    yield answer(amd_devices.XGMI, _printed(_xgmi()))
    yield answer(amd_devices.ROCM, _printed(_rocm()))
    card = amd_sysfs.ROOT + "card{}/device"
    names = [card.format(number) for number in CARDS]
    yield pack(
        amd_sysfs.CARDS,
        {name: f"../../../{place}" for name, place in zip(names, PLACES, strict=True)},
    )
    yield pack(
        amd_sysfs.ERRORS,
        {
            f"{name}/ras/{block}_err_count": "ue: 0\nce: 0\nde: 0\n"
            for name in names
            for block in ("umc", "gfx", "sdma", "mmhub", "xgmi_wafl")
        }
        | {amd_sysfs.LAST: DRM},
    )
    yield pack(
        amd_sysfs.PAGES,
        {**{f"{name}/ras/gpu_vram_bad_pages": "" for name in names}, amd_sysfs.LAST: DRM},
    )
    render = {f"/dev/dri/renderD{127 + n}": f"c 0660 0 110 226:{127 + n} 0" for n in CARDS}
    yield pack(
        accelerator_nodes.NODES,
        {"/dev/null": "c 0666 0 0 1:3 0", "/dev/kfd": "c 0660 0 110 511:0 0", **render},
    )
    for reading in (
        tpu_info.TPU_INFO, neuron_ls.NEURON_LS, neuron_ls.COUNTERS, hl_smi.QUERY, hl_smi.TABLE,
        npu_smi.INFO, npu_smi.MAPPING,
    ):  # fmt: skip
        yield absent(reading)
