"""Who may open the device files through which AMD GPUs compute."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.device import DeviceNode
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.accelerator_nodes import NODES

KFD, RENDER = "/dev/kfd", "/dev/dri/renderD"


@check(
    "amd.device-access",
    asks="May ordinary users (or the render group) open /dev/kfd and the render nodes?",
    severity=Severity.HIGH,
    why="ROCm opens /dev/kfd and one render node for each GPU; where only root may, programs of "
    "users find no GPU.",
    fix="Install the amdgpu udev rules (group render, mode 0660 or 0666) and put users into the "
    "groups render and video.",
    see=[
        "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/prerequisites.html"
    ],
    reproduce="ls -l /dev/kfd /dev/dri/renderD*",
    plants=[
        plant(Edit(NODES.source, path=KFD, new="c 0600 0 0 510:0 0"), host="mi300x", name="kfd"),
        plant(
            Edit(NODES.source, path=RENDER + "136", new="c 0660 0 0 226:136 0"),
            host="mi300x",
            name="render node",
        ),
    ],
)
def device_access(nodes: Sequence[DeviceNode]) -> Iterator[Verdict]:
    """Read and write for others, or for a group that is not root's."""
    if not any(node.path == KFD for node in nodes):
        return
    ours = [node for node in nodes if node.path == KFD or node.path.startswith(RENDER)]
    for node in ours:
        by_group = node.mode & 0o060 == 0o060 and node.group != 0
        if not by_group and node.mode & 0o006 != 0o006:
            yield failed(
                node.path, f"mode {node.mode:04o}, group {node.group}: only root may open it"
            )
    if not any(node.path.startswith(RENDER) for node in ours):
        yield failed(HOST, "there is /dev/kfd and no render node under /dev/dri")
    open_ = sum((n.mode & 0o060 == 0o060 and n.group != 0) or n.mode & 0o006 == 0o006 for n in ours)
    if open_:
        yield passed(HOST, f"{open_} of {len(ours)} device files are open to users or their group")
