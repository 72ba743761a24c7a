"""Kubernetes as its API describes nodes, devices and the pods that run on every node."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class KubernetesNode(Fact):
    """One node. ``name`` is "" where only its labels were saved.

    ``capacity`` and ``allocatable`` are amounts in the API's words ("8", "2113535Mi").
    ``conditions`` are the types that are True, "Ready" among them; None was not said.
    """

    name: str
    labels: tuple[tuple[str, str], ...] = ()
    capacity: tuple[tuple[str, str], ...] | None = None
    allocatable: tuple[tuple[str, str], ...] | None = None
    conditions: tuple[str, ...] | None = None
    taints: tuple[str, ...] | None = None
    unschedulable: bool | None = None
    kubelet: str = ""
    kernel: str = ""
    runtime: str = ""


@dataclass(frozen=True, slots=True)
class KubernetesAccelerators(Fact):
    """What labels, a device plugin or a DRA driver say about the accelerators of one node.

    ``count`` is how many the node offers; memory is MiB of one. ``shared`` is the plugin's way to
    share one among pods ("none", "time-slicing", "mps").
    """

    node: str
    vendor: str
    product: str = ""
    count: int | None = None
    memory_mib: float | None = None
    driver: str = ""
    cuda: str = ""  # newest CUDA that the driver supports
    virtual: bool | None = None
    mig: str = ""
    shared: str = ""
    device: str = ""  # the name of a single device of a ResourceSlice


@dataclass(frozen=True, slots=True)
class KubernetesDaemonSet(Fact):
    """A DaemonSet and how many of its pods are ready."""

    name: str
    ready: int | None
    desired: int | None
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class ConformanceResult(Fact):
    """One statement of a conformance test about itself."""

    test: str
    passed: bool
    text: str
