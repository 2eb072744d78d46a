"""What [step.mkfs] and [step.zpool] take, and all that they refuse."""

import pytest

from workloads.fio_job import OptionError
from workloads.setup_job import MkfsJob, ZpoolJob
from workloads.setup_options import check_mkfs, check_zpool, disks_of
from workloads.setup_rules import mkfs_words

MKFS = {"disks": "/dev/disk/by-id/wwn-0x{1..3}", "type": "xfs", "mount": "/mnt/bay{n}"}
ZPOOL = {"name": "tank", "disks": "/dev/dm-{2..61}", "layout": "raidz2 10 x 6"}


def test_braces_are_written_out_as_a_shell_does() -> None:
    assert disks_of("disks", "/dev/sd{a,b} /dev/dm-{09..11}") == [
        *("/dev/sda", "/dev/sdb", "/dev/dm-09", "/dev/dm-10", "/dev/dm-11")
    ]


def test_each_disk_has_its_place() -> None:
    job = MkfsJob("make", 60, {**MKFS, "options": "-m reflink=0 -K"})
    assert len(job.disks) == 3
    assert job.one(2).place == "/mnt/bay2"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"disks": ""}, "disks is missing"),
        ({"disks": "sda"}, "is no path of a disk"),
        ({"disks": "/dev/sda /dev/sda"}, "named twice"),
        ({"disks": "/dev/dm-{1..5000}"}, "more than 1000 disks"),
        ({"type": "ntfs"}, "type is ntfs"),
        ({"mount": "/mnt/bay"}, "cannot all be mounted"),
        ({"mount": "/etc/bay{n}"}, "is no place to mount"),
        ({"mount": "/mnt/../etc{n}"}, "is no place to mount"),
        ({"target": "/dev/sda"}, "no such option"),
    ],
)
def test_a_mkfs_step_says_what_is_wrong(changes: dict[str, str], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        check_mkfs({**MKFS, **changes})


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("xfs", "-l logdev=/dev/sdb", "reaches another disk or file"),
        ("xfs", "-d name=/dev/sdb", "reaches another disk or file"),
        ("xfs", "-d su=64k,file=1", "reaches another disk or file"),
        ("xfs", "-r rtdev=/dev/sdb", "it names another disk"),
        ("xfs", "-p /etc/passwd", "it reads another file"),
        ("xfs", "-f", "Bayscope forces"),
        ("xfs", "/dev/sdb", "is no option"),
        ("xfs", "-m uuid=1", "is none of"),
        ("xfs", "-L /dev/sdb", "expected a plain value"),
        ("xfs", '-L "', "cannot be read"),
        ("ext4", "-J device=/dev/sdb", "reaches another disk or file"),
        ("ext4", "-O journal_dev", "reaches another disk or file"),
        ("ext4", "-z /dev/sdb", "it writes to another file"),
        ("ext4", "-c", "badblocks"),
        ("ext4", "-jn", "nothing would be made"),
        ("ext4", "-b", "expected a plain value"),
        ("ext4", "-X", "not known to be harmless"),
    ],
)
def test_options_that_reach_elsewhere_are_closed(
    kind: str, text: str, told: str
) -> None:
    with pytest.raises(OptionError, match=told):
        mkfs_words(kind, text)


def test_options_that_shape_the_file_system_are_open() -> None:
    given = "-m0 -E stride=16,stripe_width=64,lazy_itable_init=0 -O ^has_journal -j"
    assert mkfs_words("ext4", given)[:4] == [
        *("-m", "0", "-E", "stride=16,stripe_width=64,lazy_itable_init=0")
    ]
    assert mkfs_words("xfs", "-d su=64k,sw=8 -K")[-1] == "-K"


def test_a_layout_becomes_the_words_of_zpool() -> None:
    job = ZpoolJob("pool", 60, {**ZPOOL, "properties": "ashift=12 compression=lz4"})
    words = job.argv("zpool", {"/dev/dm-2": "/dev/x"}, force=False)
    head = ["zpool", "create", "-o", "ashift=12", "-O", "compression=lz4"]
    assert words[:9] == [*head, "-m", "none", "tank"]
    assert words[9:12] == ["raidz2", "/dev/x", "/dev/dm-3"]
    assert words.count("raidz2") == 6
    assert len(job.disks) == 60


def test_vdevs_are_taken_as_zpool_takes_them() -> None:
    text = "mirror /dev/sd{a,b} log /dev/sdc spare /dev/sdd"
    job = ZpoolJob("pool", 60, {"name": "tank", "vdevs": text, "mount": "/mnt/tank"})
    assert job.vdevs.words[0] == "mirror"
    assert job.disks == ("/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd")
    assert job.argv("zpool", {}, force=True)[2:5] == ["-f", "-m", "/mnt/tank"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": "mirror1"}, "no name of a pool"),
        ({"name": "-f"}, "no name of a pool"),
        ({"layout": ""}, "just one of layout and vdevs"),
        ({"layout": "raidz2 10 x 5"}, "50 disks, and disks names 60"),
        ({"layout": "raid6 60"}, "layout is"),
        ({"layout": "raidz2 2 x 30"}, "3 disks or more"),
        ({"vdevs": "/dev/sda"}, "just one of"),
        ({"layout": "", "vdevs": "/dev/sda"}, "names the disks already"),
        ({"layout": "", "disks": "", "vdevs": "/tmp/a"}, "neither a word of zpool"),
        ({"properties": "cachefile=/etc/passwd"}, '"cachefile" is closed'),
        ({"properties": "mountpoint=/etc"}, '"mountpoint" is closed'),
        ({"properties": "ashift=/"}, "no plain value"),
        ({"mount": "/"}, "is no place to mount"),
    ],
)
def test_a_zpool_step_says_what_is_wrong(changes: dict[str, str], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        check_zpool({**ZPOOL, **changes})
