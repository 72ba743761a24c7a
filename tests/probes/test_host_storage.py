"""Mounts, file systems, disks and arrays."""

from assay.demo.hosts import absent, pack
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.kit.pack import Entry, dump
from assay.model.evidence import Capture, Evidence
from assay.model.facts.disks import DiskHealth, NvmeController, RaidArray
from assay.model.facts.storage import BlockDevice, FileSystemUsage, Mount
from assay.probes import block_devices, filesystems, mounts

PROBES = catalogue().probes
TIB = 1 << 40


def facts(id, *captures):
    probe = next(p for p in PROBES if p.id == id)
    seen = understand(probe, Evidence("n", {c.source: c for c in captures}))
    assert seen.error is None, seen.error.traceback
    return seen


def saved(text):
    parsed = parse(text.encode(), PROBES)
    assert not any(r.error for r in parsed.results)
    return [fact for result in parsed.results for fact in result.facts]


def test_mountinfo_with_blanks_and_optional_fields():
    text = (
        r"40 31 0:44 / /mnt/my\040data rw,relatime shared:7 master:3 - nfs4 nas:/my\040data rw,hard"
        "\n41 31 8:1 /sub /srv ro,relatime - ext4 /dev/sda1 rw\n"
    )
    assert saved(text) == [
        Mount("/mnt/my data", "nfs4", "nas:/my data", ("rw", "relatime"), ("rw", "hard")),
        Mount("/srv", "ext4", "/dev/sda1", ("ro", "relatime"), ("rw",), "/sub", read_only=True),
    ]


def test_mountinfo_without_what_runtimes_mount_for_containers():
    kept = "50 1 0:9 / /var/lib/kubelet/pods/1/volumes/x/mount rw - lustre mgs:/fs rw\n"
    text = (
        "51 1 0:5 / /var/lib/kubelet/pods/1/volumes/y rw - tmpfs tmpfs rw\n"
        "52 1 0:6 / /run/containerd/io/rootfs rw - overlay overlay rw,lowerdir=/x\n"
        "53 1 8:1 / /var/lib/kubelet/pods/1/volume-subpaths/a/b/0 rw - ext4 /dev/sda1 rw\n"
    )
    (found,) = facts(
        "system.mounts", pack(mounts.MOUNTINFO, {"/proc/self/mountinfo": text + kept})
    ).facts
    assert found.fstype == "lustre"


def test_mountinfo_of_junk_is_unread():
    junk = pack(mounts.MOUNTINFO, {"/proc/self/mountinfo": "nothing here\n"})
    assert "no mounts" in facts("system.mounts", junk).unread


def test_mount_command():
    text = "$ mount\n/dev/sda1 on / type ext4 (rw,relatime)\nnas:/h on /my home type nfs (ro) [x]\n"
    assert saved(text) == [
        Mount("/", "ext4", "/dev/sda1", ("rw", "relatime")),
        Mount("/my home", "nfs", "nas:/h", ("ro",), read_only=True),
    ]


def test_findmnt_with_children_and_sizes():
    text = """{"filesystems": [{"target":"/", "source":"/dev/md0[/root]", "fstype":"btrfs",
      "options":"rw,noatime", "size":"1,5T", "avail":"512G", "children": [
      {"target":"/proc", "source":"proc", "fstype":"proc", "options":"ro", "size":"0"}]}]}"""
    usage = [f for f in saved(text) if isinstance(f, FileSystemUsage)]
    found = [f for f in saved(text) if isinstance(f, Mount)]
    assert usage[0] == FileSystemUsage("/", TIB * 3 // 2, TIB // 2, None, None)
    assert found == [
        Mount("/", "btrfs", "/dev/md0", ("rw", "noatime"), root="/root"),
        Mount("/proc", "proc", "proc", ("ro",), read_only=True),
    ]


def statfs(*entries):
    return Capture(filesystems.STATFS.source, dump(entries))


def test_statfs_in_bytes_and_inodes():
    seen = facts(
        "system.filesystem-usage",
        statfs(
            Entry("/", b"ext4 4096 100 50 40 1000 900\n"),
            Entry("/boot/efi", b"vfat 4096 10 5 5 0 0\n"),
            Entry("/home", b"", "timeout"),
            Entry("/gone", b"Stale file handle", "failed"),
        ),
    )
    assert seen.facts == (
        FileSystemUsage("/", 409600, 163840, 1000, 900),
        FileSystemUsage("/boot/efi", 40960, 20480, None, None),
        FileSystemUsage("/home", None, None, None, None, "timeout"),
        FileSystemUsage("/gone", None, None, None, None, "failed (Stale file handle)"),
    )


def test_statfs_of_junk_is_unread():
    assert "no sense" in facts("system.filesystem-usage", statfs(Entry("/", b"ext4 4096 x"))).unread


def test_df_in_blocks_in_human_words_and_in_inodes():
    blocks = (
        "Filesystem     Type  1K-blocks     Used Available Use% Mounted on\n"
        "/dev/sda1      ext4  1000000 400000    600000  40% /\n"
    )
    assert saved(blocks) == [FileSystemUsage("/", 1024000000, 614400000, None, None)]
    human = (
        "Filesystem      Size  Used Avail Use% Mounted on\nnas:/vol  2.0T  1.0T  1.0T  50% /data\n"
    )
    assert saved(human) == [FileSystemUsage("/data", 2 * TIB, TIB, None, None)]
    inodes = "Filesystem   Inodes IUsed IFree IUse% Mounted on\n/dev/sda1 1000 900 100 90% /\n"
    assert saved(inodes) == [FileSystemUsage("/", None, None, 1000, 100)]


def test_lsblk_old_and_new():
    new = """{"blockdevices": [{"name":"nvme0n1", "maj:min":"259:0", "rm":false, "size":"3.5T",
      "ro":false, "type":"disk", "mountpoints":[null], "model":"SAMSUNG MZQL ", "rota":false,
      "children":[{"name":"nvme0n1p1", "size":1073741824, "ro":true, "type":"part",
      "mountpoints":["/boot", "/mnt"], "fstype":"ext4"}]}]}"""
    disk, part = saved(new)
    assert disk == BlockDevice(
        "nvme0n1", "disk", int(3.5 * TIB), "SAMSUNG MZQL", False, read_only=False
    )
    assert part.mount_points == ("/boot", "/mnt")
    assert (part.size, part.read_only) == (1 << 30, True)
    old = """{"blockdevices": [{"name":"/dev/sda", "size":"8001563222016", "type":"disk",
      "mountpoint":"/", "rota":"1", "ro":"0"}]}"""
    assert saved(old) == [
        BlockDevice("sda", "disk", 8001563222016, rotational=True, mount_points=("/",),
                    read_only=False)
    ]  # fmt: skip


def test_block_devices_of_sysfs():
    root = block_devices.ROOT
    seen = facts(
        "storage.block-devices",
        pack(
            block_devices.BLOCK,
            {root + "md127/size": "2048\n", root + "sda/size": "10\n",
             root + "sda/queue/rotational": "1\n", root + "sda/device/model": "ST4000 \n"},
        ),
    )  # fmt: skip
    assert seen.facts == (
        BlockDevice("md127", "raid", 1 << 20),
        BlockDevice("sda", "disk", 5120, "ST4000", True),
    )


def test_nvme_controllers():
    root = block_devices.NVME_ROOT + "nvme0/"
    said = {root + "state": "resetting\n", root + "model": "X   \n", root + "firmware_rev": "1.2\n"}
    assert facts("storage.nvme-controllers", pack(block_devices.NVME, said)).facts == (
        NvmeController("nvme0", "resetting", "X", "1.2"),
    )


MDSTAT = """\
Personalities : [raid1] [raid6] [raid5] [raid4] [raid0]
md127 : active (auto-read-only) raid5 sdc1[3](F) sdb1[1] sda1[0]
      41905152 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [UU_]
      [=>...................]  recovery =  8.5% (1790000/20952576) finish=3.2min speed=99444K/sec

md1 : inactive sdd1[0](S)
      20954112 blocks super 1.2

md0 : active raid0 nvme1n1[1] nvme0n1[0]
      15002423296 blocks super 1.2 512k chunks

unused devices: <none>
"""


def test_mdstat():
    assert saved(MDSTAT) == [
        RaidArray(
            "md127", "active", "raid5", ("sdc1", "sdb1", "sda1"), ("sdc1",), 3, 2, "recovery"
        ),
        RaidArray("md1", "inactive", "", ("sdd1",)),
        RaidArray("md0", "active", "raid0", ("nvme1n1", "nvme0n1")),
    ]
    assert facts("storage.raid", absent(block_devices.MDSTAT)).facts == ()


def test_smart_log_as_text_and_json():
    text = (
        "Smart Log for NVME device:nvme0n1 namespace-id:ffffffff\ncritical_warning : 0x4\n"
        "temperature                             : 41°C (314 Kelvin)\n"
        "available_spare                         : 98%\navailable_spare_threshold : 10%\n"
        "percentage_used                         : 3%\nmedia_errors : 1,024\n"
        "power_on_hours : 12,345\nunsafe_shutdowns : 9\n"
    )
    assert saved(text) == [DiskHealth("nvme0n1", "", None, 4, 41.0, 98, 10, 3, 1024, 9, 12345)]
    json = """{"critical_warning":0,"temperature":314,"avail_spare":100,"spare_thresh":10,
      "percent_used":0,"media_errors":0,"power_on_hours":5,"unsafe_shutdowns":1}"""
    (found,) = saved(json)
    assert (found.critical_warning, found.temperature_c, found.media_errors) == (0, 40.85, 0)


def test_smartctl():
    text = """{"json_format_version":[1,0],"smartctl":{"version":[7,3],"exit_status":8},
      "device":{"name":"/dev/sda"},"model_name":"ST4000","smart_status":{"passed":false},
      "temperature":{"current":36},"power_on_time":{"hours":100}}"""
    (found,) = saved(text)
    assert (found.device, found.passed, found.temperature_c) == ("/dev/sda", False, 36.0)
