"""Kubernetes objects and conformance reports that people save."""

import json

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.kit.probe import registry
from assay.model.evidence import Capture, Evidence
from assay.model.facts.kubernetes import (
    ConformanceResult,
    KubernetesAccelerators,
    KubernetesDaemonSet,
    KubernetesNode,
)
from assay.probes import kubernetes_conformance, kubernetes_nodes

PROBES = catalogue().probes


def facts(text, name=""):
    parsed = parse(text.encode(), PROBES, name=name)
    assert not any(result.error for result in parsed.results)
    assert not parsed.unknown, parsed.unknown
    return parsed.source, [fact for result in parsed.results for fact in result.facts]


LABELS = {
    "kubernetes.io/hostname": "gpu-1",
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    "nvidia.com/gpu.count": "8",
    "nvidia.com/gpu.memory": "81559",
    "nvidia.com/cuda.driver.major": "550",
    "nvidia.com/cuda.driver.minor": "90",
    "nvidia.com/cuda.driver.rev": "07",
    "nvidia.com/cuda.runtime.major": "12",
    "nvidia.com/cuda.runtime.minor": "4",
}


def test_bare_labels_of_two_nodes():
    amd = {"amd.com/gpu.product-name": "MI300X_VF", "amd.com/gpu.vram": "192G", "a.io/b": ""}
    source, found = facts(json.dumps(LABELS, indent=2) + "\n" + json.dumps(amd, indent=2))
    assert source == "kubectl-json"
    assert found[0] == KubernetesNode("", tuple(LABELS.items()))
    assert found[1] == KubernetesAccelerators(
        "", "nvidia", "NVIDIA-H100-80GB-HBM3", 8, 81559.0, "550.90.07", "12.4"
    )
    assert found[3] == KubernetesAccelerators("", "amd", "MI300X_VF", memory_mib=192 * 1024.0)


def test_a_list_of_nodes():
    node = {
        "kind": "Node",
        "metadata": {"name": "gpu-1", "labels": LABELS},
        "spec": {"unschedulable": True, "taints": [{"key": "gpu", "effect": "NoSchedule"}]},
        "status": {
            "capacity": {"nvidia.com/gpu": "8"},
            "allocatable": {"nvidia.com/gpu": "7", "cpu": "190"},
            "conditions": [
                {"type": "Ready", "status": "True"},
                {"type": "GpuXid", "status": "False"},
            ],
            "nodeInfo": {"kubeletVersion": "v1.33.1", "containerRuntimeVersion": "containerd://2"},
        },
    }
    _, (found, gpus) = facts(json.dumps({"kind": "List", "items": [node]}, indent=1))
    assert (found.name, found.unschedulable, found.conditions) == ("gpu-1", True, ("Ready",))
    assert (found.taints, found.kubelet) == (("gpu=:NoSchedule",), "v1.33.1")
    assert dict(found.allocatable) == {"nvidia.com/gpu": "7", "cpu": "190"}
    assert (gpus.node, gpus.count, gpus.driver) == ("gpu-1", 7, "550.90.07")


def test_devices_of_a_resource_slice():
    item = {
        "kind": "ResourceSlice",
        "spec": {
            "driver": "gpu.nvidia.com",
            "nodeName": "gpu-1",
            "devices": [
                {
                    "name": "gpu-0",
                    "basic": {
                        "attributes": {
                            "productName": {"string": "NVIDIA H100"},
                            "driverVersion": {"version": "580.95.5"},
                        },
                        "capacity": {"memory": {"value": "81559Mi"}},
                    },
                }
            ],
        },
    }
    _, (device,) = facts(json.dumps(item, indent=1))
    assert device == KubernetesAccelerators(
        "gpu-1", "nvidia", "NVIDIA H100", memory_mib=81559.0, driver="580.95.5", device="gpu-0"
    )


REPORT = """\
# Accelerator Metrics Verification

> kubectl get nodes -o jsonpath='...'

```

```

gpu-1\t8
head-1

```

* Node gpu-1 has 8 NVIDIA GPUs
* Found DaemonSet: nvidia-dcgm-exporter (Ready: 1/2)
&check; Found 1 GPU node(s): gpu-1
&check; Driver DaemonSet is not healthy
&cross; metrics endpoint unreachable
DRIVER version      : 580.95.05
CUDA Version        : 13.0
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000001)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000002)
"""


def test_a_conformance_report():
    source, found = facts(REPORT)
    assert source == "kubernetes-conformance"
    assert KubernetesNode("gpu-1", capacity=(("nvidia.com/gpu", "8"),)) in found
    assert KubernetesNode("head-1") in found
    assert KubernetesDaemonSet("nvidia-dcgm-exporter", 1, 2) in found
    assert (
        KubernetesAccelerators(
            "", "nvidia", "NVIDIA H100 80GB HBM3", 2, driver="580.95.05", cuda="13.0"
        )
        in found
    )
    verdicts = [fact for fact in found if isinstance(fact, ConformanceResult)]
    assert [verdict.passed for verdict in verdicts] == [True, False, False]
    assert verdicts[0].test == "Accelerator Metrics Verification"


JUNK = [
    "", "{}", "[]", "[[[", "null", '{"items": 5}', '{"kind": "Node"}', "\x00\xff", "&check; ",
    '{"kind": "Node", "status": []}', '{"kind": "DaemonSet", "status": {"numberReady": -1}}',
    '{"kind": "ResourceSlice", "spec": {"devices": [1, {"name": "x"}]}}',
    '{"kind": "ResourceSlice", "spec": {"devices": [{"name": "x", "basic": {"attributes": 1}}]}}',
    '{"kind": ["Node"], "metadata": 3, "status": 4}', '{"a/b": "c"}', '{"a/b": 1}',
    "* Found DaemonSet: x (Ready: ²/2)", "Node x has 9999999 NVIDIA GPUs",
    '{"nvidia.com/gpu.memory": "1e999"}', '{"amd.com/gpu.vram": "x"}',
]  # fmt: skip


@pytest.mark.parametrize("text", [*JUNK, *(REPORT[:at] for at in range(0, len(REPORT), 23))])
def test_junk_is_facts_or_unread(text):
    for probe, reading in (
        ("kubernetes.nodes", kubernetes_nodes.JSON),
        ("kubernetes.conformance", kubernetes_conformance.EVIDENCE),
    ):
        captures = {reading.source: Capture(reading.source, text.encode(), exit_code=0)}
        result = understand(registry[probe], Evidence("n", captures))
        assert result.error is None, result.error.traceback
