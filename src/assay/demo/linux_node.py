"""What a sound Linux node says of itself, from the few words in which reference hosts differ."""

from collections.abc import Iterator
from dataclasses import dataclass

from assay.demo.hosts import absent, answer, pack
from assay.demo.linux_texts import LIMITS, MEMINFO, SERVICES, TRACKING, cpuinfo
from assay.model.evidence import Capture
from assay.probes import (
    block_devices,
    clock,
    cpu,
    dmi,
    filesystems,
    kernel,
    kernel_installed,
    kernel_livepatch,
    limits,
    memory,
    modules,
    mounts,
    numa,
    os_release,
    pci_iommu,
    services,
    vulnerabilities,
)

HERE = "f 0644 0 0 - 0"
KIB = 1024


@dataclass(frozen=True, slots=True)
class Node:
    """Where two reference hosts differ."""

    release: str
    build: str
    compiler: str
    cmdline: str
    vendor: str  # of the processor, as cpuinfo spells it
    processor: str
    family: str  # the lines of cpuinfo between vendor and model name
    cores: int  # for each of two sockets, with two threads each
    driver: str  # of CPU frequency
    memory_kib: int
    vulnerabilities: dict[str, str]
    firmware: dict[str, str]
    iommus: tuple[str, ...]
    edac: str
    modules: dict[str, tuple[str, int]]  # version and users
    services: tuple[str, ...]

    def captures(self) -> Iterator[Capture]:
        """Every answer that does not depend on the PCI tree."""
        yield from self._system()
        yield from self._processors()
        yield from self._memory()
        yield from self._storage()
        yield from _sessions(self)

    def _system(self) -> Iterator[Capture]:
        yield pack(
            os_release.OS_RELEASE,
            {
                "/etc/os-release": 'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nNAME="Ubuntu"\n'
                'VERSION_ID="22.04"\nVERSION="22.04.5 LTS (Jammy Jellyfish)"\n'
                "VERSION_CODENAME=jammy\nID=ubuntu\nID_LIKE=debian\nUBUNTU_CODENAME=jammy\n"
            },
        )
        settings = "/proc/sys/kernel/"
        yield pack(
            kernel.KERNEL,
            {
                settings + "osrelease": self.release + "\n",
                settings + "version": self.build + "\n",
                settings + "tainted": "12289\n",
                settings + "arch": "x86_64\n",
            },
        )
        yield pack(
            kernel.VERSION,
            {"/proc/version": f"Linux version {self.release} ({self.compiler}) {self.build}\n"},
        )
        yield pack(kernel.CMDLINE, {"/proc/cmdline": self.cmdline + "\n"})
        yield pack(kernel.UPTIME, {"/proc/uptime": "1042617.31 224038117.09\n"})
        yield pack(
            kernel_installed.IMAGES,
            {f"/boot/vmlinuz-{self.release}": "f 0600 0 0 - 15002504"},
        )
        yield pack(kernel_installed.TREES, {f"/lib/modules/{self.release}": "d 0755 0 0 - 4096"})
        yield absent(kernel_installed.REBOOT)
        yield absent(kernel_livepatch.PATCHES)
        yield pack(dmi.DMI, {dmi.ROOT + k: v + "\n" for k, v in self.firmware.items()})
        yield absent(dmi.CONTAINER)
        yield absent(dmi.CONTAINER_MARKS)
        link = "../../devices/virtual/iommu/"
        yield pack(pci_iommu.UNITS, {f"/sys/class/iommu/{u}": link + u for u in self.iommus})

    def _processors(self) -> Iterator[Capture]:
        threads = 4 * self.cores
        yield pack(
            cpu.CPUINFO,
            {"/proc/cpuinfo": cpuinfo(self.vendor, self.family, self.processor, self.cores)},
        )
        siblings = f"0-{self.cores - 1},{2 * self.cores}-{3 * self.cores - 1}"
        yield pack(
            cpu.TOPOLOGY,
            {
                cpu.ROOT + "online": f"0-{threads - 1}\n",
                cpu.ROOT + "present": f"0-{threads - 1}\n",
                cpu.ROOT + "smt/control": "on\n",
                cpu.ROOT + "cpu0/topology/core_siblings_list": siblings + "\n",
                cpu.ROOT + "cpu0/topology/thread_siblings_list": f"0,{2 * self.cores}\n",
            },
        )
        policies = {
            f"{cpu.ROOT}cpufreq/policy{n}/scaling_governor": "performance\n" for n in range(threads)
        }
        driver = {cpu.ROOT + "cpufreq/policy0/scaling_driver": self.driver + "\n"}
        yield pack(cpu.FREQUENCY, policies | driver)
        words = {vulnerabilities.ROOT + k: v + "\n" for k, v in self.vulnerabilities.items()}
        yield pack(vulnerabilities.VULNERABILITIES, words)

    def _memory(self) -> Iterator[Capture]:
        yield pack(memory.MEMINFO, {"/proc/meminfo": MEMINFO.format(total=self.memory_kib)})
        yield pack(
            memory.THP,
            {
                memory.THP_ROOT + "enabled": "always [madvise] never\n",
                memory.THP_ROOT + "defrag": "always defer defer+madvise [madvise] never\n",
            },
        )
        yield pack(
            memory.POOLS,
            {
                f"{memory.POOL_ROOT}hugepages-{size}kB/{what}_hugepages": "0\n"
                for size in (2048, 1048576)
                for what in ("nr", "free")
            },
        )
        counters = {"mc_name": self.edac, "ce_count": "0", "ue_count": "0"}
        yield pack(
            memory.EDAC,
            {
                f"{memory.EDAC_ROOT}mc{n}/{k}": v + "\n"
                for n in range(8)
                for k, v in counters.items()
            },
        )
        half = self.memory_kib // 2
        nodes: dict[str, str] = {}
        for n in range(2):
            first, again = n * self.cores, (2 + n) * self.cores
            last = first + self.cores - 1
            cpus = f"{first}-{last},{again}-{again + self.cores - 1}"
            nodes[f"{numa.ROOT}node{n}/cpulist"] = cpus + "\n"
            nodes[f"{numa.ROOT}node{n}/distance"] = ("10 21\n", "21 10\n")[n]
            nodes[f"{numa.ROOT}node{n}/meminfo"] = f"Node {n} MemTotal:       {half} kB\n"
        yield pack(numa.NUMA, nodes)

    def _storage(self) -> Iterator[Capture]:
        yield pack(mounts.MOUNTINFO, {"/proc/self/mountinfo": _MOUNTINFO})
        shm = self.memory_kib * KIB // 2 // 4096
        yield pack(
            filesystems.STATFS,
            {
                "/": "ext4 4096 233814016 200000000 188000000 59473920 58000000\n",
                "/boot/efi": "vfat 4096 274658 272958 272958 0 0\n",
                "/raid": "xfs 4096 7501400000 7100000000 7100000000 3000000000 2999000000\n",
                "/dev/shm": f"tmpfs 4096 {shm} {shm} {shm} 264176651 264176648\n",  # noqa: S108
            },
        )
        disks: dict[str, str] = {}
        controllers: dict[str, str] = {}
        for n in range(10):
            size, model = (7501476528, "MZQL23T8HCLS") if n < 8 else (1875385008, "MZ1L2960HCJR")
            disk = {"size": str(size), "ro": "0", "queue/rotational": "0"}
            disk["device/model"] = f"SAMSUNG {model}-00A07"
            disks |= {f"{block_devices.ROOT}nvme{n}n1/{k}": v + "\n" for k, v in disk.items()}
            state = {"state": "live", "model": disk["device/model"], "firmware_rev": "GDC7502Q"}
            state["transport"] = "pcie"
            controllers |= {
                f"{block_devices.NVME_ROOT}nvme{n}/{k}": v + "\n" for k, v in state.items()
            }
        yield pack(block_devices.BLOCK, disks)
        yield pack(block_devices.NVME, controllers)
        yield pack(block_devices.MDSTAT, {"/proc/mdstat": _MDSTAT})


def _sessions(node: Node) -> Iterator[Capture]:
    yield pack(limits.LIMITS, {"/proc/self/limits": LIMITS})
    yield answer(clock.CHRONY, TRACKING)
    yield answer(clock.TIMEDATE, "NTP=yes\nNTPSynchronized=yes\n")
    yield absent(clock.TIMESYNC)
    lines = [
        f"{name + '.service':<38} loaded    active   running {name}"
        for name in sorted((*SERVICES, *node.services))
    ]
    yield answer(services.UNITS, "\n".join(lines) + "\n")
    loaded = "".join(
        f"{name} 1048576 {users} - Live 0x0000000000000000\n"
        for name, (_, users) in sorted(node.modules.items())
    )
    yield pack(modules.MODULES, {"/proc/modules": loaded})
    yield pack(
        modules.VERSIONS,
        {
            f"{modules.ROOT}{name}/version": version + "\n"
            for name, (version, _) in node.modules.items()
            if version
        },
    )


_MOUNTINFO = """\
24 31 0:22 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw
25 31 0:23 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - proc proc rw
26 31 0:5 / /dev rw,nosuid,relatime shared:2 - devtmpfs udev rw,mode=755,inode64
28 31 0:25 / /run rw,nosuid,nodev,noexec,relatime shared:5 - tmpfs tmpfs rw,mode=755,inode64
31 1 9:0 / / rw,relatime shared:1 - ext4 /dev/md0 rw
34 26 0:27 / /dev/shm rw,nosuid,nodev shared:4 - tmpfs tmpfs rw,inode64
36 24 0:29 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw
112 31 259:17 / /boot/efi rw,relatime shared:61 - vfat /dev/nvme8n1p1 rw,errors=remount-ro
115 31 9:1 / /raid rw,noatime shared:63 - xfs /dev/md1 rw,attr2,inode64,noquota
"""
_MDSTAT = """\
Personalities : [raid1] [raid0] [linear] [multipath] [raid6] [raid5] [raid4] [raid10]
md1 : active raid0 nvme7n1[7] nvme6n1[6] nvme5n1[5] nvme4n1[4] nvme3n1[3] nvme2n1[2] nvme1n1[1] nvme0n1[0]
      30004846592 blocks super 1.2 512k chunks

md0 : active raid1 nvme9n1p2[1] nvme8n1p2[0]
      936443904 blocks super 1.2 [2/2] [UU]
      bitmap: 2/7 pages [8KB], 65536KB chunk

unused devices: <none>
"""  # noqa: E501
