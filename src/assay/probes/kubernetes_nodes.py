"""Kubernetes nodes, from saved ``kubectl get ... -o json`` or bare label objects."""

from collections.abc import Iterator, Mapping

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.kubernetes import KubernetesAccelerators, KubernetesDaemonSet, KubernetesNode
from assay.probes.pasted import bdf, clean, count, documents, mib, words

JSON = saved(
    "kubectl-json",
    looks_like=r'^[ \t]*"(?:[a-z0-9-]+\.)+[a-z]{2,}/[\w.-]+":\s*"[^"\n]*",?\s?\n'
    r'(?:\s*"(?:[a-z0-9-]+\.)+[a-z]{2,}/[\w.-]+":\s*"[^"\n]*",?\s?\n)*'
    r'|"kind":\s*"(?:Node|NodeList|List|ResourceSlice|ResourceSliceList|DaemonSet)\b[^\n]*',
)

Found = KubernetesNode | KubernetesAccelerators | KubernetesDaemonSet
# Labels by which GPU Feature Discovery and AMD's node labeller describe a node.
NVIDIA, AMD = "nvidia.com/", "amd.com/"


@probe("kubernetes.nodes", reads=[JSON])
def nodes(
    seen: Seen,
) -> Iterator[KubernetesNode | KubernetesAccelerators | KubernetesDaemonSet]:
    """Nodes with their labels and resources, devices of DRA drivers, DaemonSets."""
    if seen.capture(JSON) is None:
        return
    found = False
    for document in documents(clean(seen.text(JSON)), "kubectl"):
        for item in _items(document):
            for fact in _understood(item):
                found = True
                yield fact
    if not found:
        raise Unread("no Kubernetes object that Assay reads is in it")


def _items(document: object) -> Iterator[Mapping[str, object]]:
    if isinstance(document, list):
        for item in document[:100_000]:
            if isinstance(item, dict):
                yield item
    elif isinstance(document, dict):
        items = document.get("items")
        if isinstance(items, list):
            yield from (item for item in items if isinstance(item, dict))
        else:
            yield document


def _understood(item: Mapping[str, object]) -> Iterator[Found]:
    kind = item.get("kind")
    if kind == "Node" or (kind is None and "metadata" in item and "status" in item):
        yield from _node(item)
    elif kind == "ResourceSlice":
        yield from _slice(item)
    elif kind == "DaemonSet":
        yield _daemon_set(item)
    elif kind is None and item and _labels_only(item):
        labels = _pairs(item)
        yield KubernetesNode("", labels)
        yield from accelerators("", dict(labels), {})


def _labels_only(item: Mapping[str, object]) -> bool:
    return all(isinstance(value, str) for value in item.values()) and any(
        "/" in key for key in item
    )


def _part(value: object, *path: str) -> Mapping[str, object]:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _pairs(found: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((str(key), str(value)) for key, value in found.items())


def _node(item: Mapping[str, object]) -> Iterator[Found]:
    name = words(_part(item, "metadata").get("name"))
    labels = _pairs(_part(item, "metadata", "labels"))
    spec, status = _part(item, "spec"), _part(item, "status")
    info = _part(status, "nodeInfo")
    capacity, allocatable = _part(status, "capacity"), _part(status, "allocatable")
    conditions = status.get("conditions")
    taints = spec.get("taints", [])
    unschedulable = spec.get("unschedulable", False)
    yield KubernetesNode(
        name,
        labels,
        _pairs(capacity) or None,
        _pairs(allocatable) or None,
        conditions=_true(conditions) if isinstance(conditions, list) else None,
        taints=_taints(taints) if spec and isinstance(taints, list) else None,
        unschedulable=unschedulable if spec and isinstance(unschedulable, bool) else None,
        kubelet=words(info.get("kubeletVersion")),
        kernel=words(info.get("kernelVersion")),
        runtime=words(info.get("containerRuntimeVersion")),
    )
    yield from accelerators(name, dict(labels), allocatable or capacity)


def _true(conditions: list[object]) -> tuple[str, ...]:
    return tuple(
        words(entry.get("type"))
        for entry in conditions
        if isinstance(entry, dict) and entry.get("status") == "True"
    )


def _taints(taints: list[object]) -> tuple[str, ...]:
    return tuple(
        f"{words(taint.get('key'))}={words(taint.get('value'))}:{words(taint.get('effect'))}"
        for taint in taints
        if isinstance(taint, dict)
    )


def accelerators(
    node: str, labels: Mapping[str, str], offered: Mapping[str, object]
) -> Iterator[KubernetesAccelerators]:
    """What *labels* and the resources that are *offered* say about accelerators."""
    gpus = count(offered.get("nvidia.com/gpu"))
    if any(key.startswith(NVIDIA + "gpu.") for key in labels) or gpus is not None:
        yield _nvidia(node, labels, gpus)
    gpus = count(offered.get("amd.com/gpu"))
    if any(key.startswith(AMD + "gpu.") for key in labels) or gpus is not None:
        yield KubernetesAccelerators(
            node,
            "amd",
            product=labels.get(AMD + "gpu.product-name", ""),
            count=gpus,
            memory_mib=mib(labels.get(AMD + "gpu.vram", "") + "B"),  # "192G"
            driver=labels.get(AMD + "gpu.driver-version", ""),
        )
    for name, vendor in _OTHERS.items():
        if (number := count(offered.get(name))) is not None:
            yield KubernetesAccelerators(node, vendor, count=number)


_OTHERS = {
    "google.com/tpu": "google",
    "aws.amazon.com/neuron": "aws",
    "habana.ai/gaudi": "intel",
    "huawei.com/Ascend910": "huawei",
}


def _nvidia(node: str, labels: Mapping[str, str], gpus: int | None) -> KubernetesAccelerators:
    said = {key.removeprefix(NVIDIA): value for key, value in labels.items() if NVIDIA in key}
    driver = said.get("cuda.driver-version.full") or ".".join(
        part
        for part in (said.get(f"cuda.driver.{step}", "") for step in ("major", "minor", "rev"))
        if part
    )
    cuda = said.get("cuda.runtime-version.full") or ".".join(
        part
        for part in (said.get(f"cuda.runtime.{step}", "") for step in ("major", "minor"))
        if part
    )
    return KubernetesAccelerators(
        node,
        "nvidia",
        product=said.get("gpu.product", ""),
        count=gpus if gpus is not None else count(said.get("gpu.count")),
        memory_mib=mib(said.get("gpu.memory")),
        driver=driver,
        cuda=cuda,
        virtual={"true": True, "false": False}.get(said.get("vgpu.present", "")),
        mig=said.get("mig.strategy", ""),
        shared=said.get("gpu.sharing-strategy", ""),
    )


def _slice(item: Mapping[str, object]) -> Iterator[KubernetesAccelerators]:
    """Devices of a DRA driver (resource.k8s.io)."""
    spec = _part(item, "spec")
    vendor = words(spec.get("driver")).removeprefix("gpu.").partition(".")[0]
    node = words(spec.get("nodeName"))
    devices = spec.get("devices")
    for device in devices if isinstance(devices, list) else ():
        about = _part(device, "basic") or _part(device)
        said = {
            key.rpartition("/")[2]: _value(value)
            for key, value in _part(about, "attributes").items()
        }
        name = words(_part(device).get("name"))
        if not name:
            continue
        yield KubernetesAccelerators(
            node,
            vendor,
            product=said.get("productName", ""),
            memory_mib=_quantity(_part(about, "capacity").get("memory")),
            driver=said.get("driverVersion", ""),
            cuda=said.get("cudaDriverVersion", ""),
            device=bdf(said.get("pcieBusID", said.get("pciBusID"))) or name,
        )


def _value(attribute: object) -> str:
    """An attribute is one of {"string": x}, {"version": x}, {"int": x}, {"bool": x}."""
    values = list(attribute.values()) if isinstance(attribute, dict) else [attribute]
    return words(values[0]) if values else ""


def _quantity(found: object) -> float | None:
    """MiB of a Kubernetes quantity: "40Gi", "42949672960"."""
    text = words(found) if not isinstance(found, dict) else words(found.get("value"))
    if text.isascii() and text.isdigit():
        return int(text[:20]) / 2**20
    return mib(text + "B") if text[-2:] in ("Ki", "Mi", "Gi", "Ti") else None


def _daemon_set(item: Mapping[str, object]) -> KubernetesDaemonSet:
    about, status = _part(item, "metadata"), _part(item, "status")
    return KubernetesDaemonSet(
        words(about.get("name")),
        count(status.get("numberReady")),
        count(status.get("desiredNumberScheduled")),
        words(about.get("namespace")),
    )
