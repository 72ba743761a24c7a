"""The Go vulnerability database: container runtimes, Kubernetes and its neighbours."""

import re
from collections.abc import Iterator

from assay.advisories.feeds import osv
from assay.advisories.feeds.feed import day, document, feed, inner, rows, words
from assay.model.advisory import Advisory, Range

# The module path of a component; github.com/docker/docker is frozen and tells nothing of engines.
MODULES = {
    "github.com/opencontainers/runc": "runc",
    "github.com/containerd/containerd": "containerd",
    "github.com/moby/buildkit": "buildkit",
    "github.com/cri-o/cri-o": "cri-o",
    "github.com/containers/podman": "podman",
    "github.com/containers/buildah": "buildah",
    "github.com/NVIDIA/nvidia-container-toolkit": "nvidia-container-toolkit",
    "github.com/NVIDIA/gpu-operator": "nvidia-gpu-operator",
    "k8s.io/kubernetes": "kubernetes",
    "k8s.io/ingress-nginx": "ingress-nginx",
    "github.com/k3s-io/k3s": "k3s",
    "github.com/rancher/rke2": "rke2",
    "go.etcd.io/etcd": "etcd",
    "github.com/coredns/coredns": "coredns",
    "github.com/cilium/cilium": "cilium",
    "github.com/projectcalico/calico": "calico",
    "github.com/argoproj/argo-cd": "argo-cd",
    "github.com/argoproj/argo-workflows": "argo-workflows",
    "helm.sh/helm": "helm",
    "github.com/apptainer/apptainer": "apptainer",
    "github.com/sylabs/singularity": "singularity-ce",
    "github.com/prometheus/prometheus": "prometheus",
    "github.com/grafana/grafana": "grafana",
    "volcano.sh/volcano": "volcano",
}
_MAJOR = re.compile(r"(.*?)(?:/v(\d+)|\.v(\d+))?$")
_PSEUDO = re.compile(r"\d{14}-[0-9a-f]{12}$")


@feed(
    "govulndb",
    urls=("https://vuln.go.dev/vulndb.zip",),
    licence="CC-BY-4.0",
    members=r"ID/GO-\d{4}-\d+\.json",
)
def parse(data: bytes, name: str = "") -> Iterator[Advisory]:
    """Vulnerabilities of Go modules, by module version."""
    given = document(data, "a Go vulnerability")
    if words(given, "withdrawn"):
        return
    id, aliases = osv.cve_of(given)
    found: dict[str, list[Range]] = {}
    for affected in rows(given, "affected"):
        path = words(inner(affected, "package"), "name")
        matched = _MAJOR.fullmatch(path)
        module, major = (matched[1], matched[2] or matched[3]) if matched else (path, None)
        component = MODULES.get(module)
        if component:
            for row in osv.ranges(affected):
                found.setdefault(component, []).append(_in_major(row, major))
    for component, ranges in found.items():
        yield Advisory(
            component=component,
            id=id,
            title=f"Vulnerability in {component}",  # their summary is theirs; ours says where
            ranges=tuple(dict.fromkeys(ranges)),
            aliases=aliases,
            url=f"https://pkg.go.dev/vuln/{words(given, 'id')}",
            references=osv.links(given, "ADVISORY"),
            published=day(words(given, "published")),
            sources=("govulndb",),
            layer="host",
        )


def _in_major(row: Range, major: str | None) -> Range:
    """A /vN module starts at N.0.0: its "0" is not the beginning of time."""
    if major and not row.introduced:
        row = row._replace(introduced=f"{major}.0.0-0")
    if _PSEUDO.search(row.fixed):
        row = row._replace(fixed="")  # a commit, not a release that anybody installs
    return row
