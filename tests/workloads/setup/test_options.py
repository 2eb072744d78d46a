"""What [step.mkfs] and [step.zpool] take, and all that they refuse."""

import pytest

from instruments.errors import OptionError
from workloads.setup.job import MkfsJob, ZpoolJob
from workloads.setup.options import check_mkfs, check_zpool, mkfs_words, vdevs

MKFS = {"type": "xfs", "mount": "/mnt/bay{n}"}
ZPOOL = {"name": "tank", "layout": "raidz2 10 x 6"}


def test_each_disk_has_its_place() -> None:
    job = MkfsJob("make", 60, {**MKFS, "options": "-m reflink=0 -K"})
    assert job.on_disk(2).place == "/mnt/bay2"
    assert not job.keep


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"type": "ntfs"}, 'type is "ntfs"'),
        ({"mount": "/etc/bay{n}"}, "is not a mount point"),
        ({"mount": "/mnt/../etc{n}"}, "is not a mount point"),
        ({"target": "/dev/sda"}, "unknown key"),
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
        ("xfs", "-f", "Bayscope sets it"),
        ("xfs", "/dev/sdb", "is not an option"),
        ("xfs", "-m uuid=1", "is not one of"),
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
    words = job.argv("zpool", [f"/dev/dm-{n}" for n in range(2, 62)], force=False)
    head = ["zpool", "create", "-O", "setuid=off", "-O", "devices=off"]
    head += ["-o", "ashift=12", "-O", "compression=lz4", "-m", "none", "tank"]
    assert words[:13] == head
    assert words[13:16] == ["raidz2", "/dev/dm-2", "/dev/dm-3"]
    assert words.count("raidz2") == 6
    assert len(words) == 13 + 60 + 6


def test_disks_beside_data_follow_in_order() -> None:
    text = "mirror 2 x 2 log mirror 2 spare 1 cache 1"
    assert vdevs(text, list("abcdefgh")) == [
        *("mirror", "a", "b", "mirror", "c", "d"),
        *("log", "mirror", "e", "f", "spare", "g", "cache", "h"),
    ]
    assert vdevs("3", list("abc")) == ["a", "b", "c"]
    job = ZpoolJob("pool", 60, {"name": "tank", "layout": "1", "mount": "/mnt/tank"})
    words = job.argv("zpool", ["a"], force=True)
    assert words[2] == "-f"
    assert words[7:9] == ["-m", "/mnt/tank"]
    with pytest.raises(OptionError, match="are 3 disks, and the bench has 2"):
        vdevs("3", ["a", "b"])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": "mirror1"}, "not a pool name"),
        ({"name": "-f"}, "not a pool name"),
        ({"layout": ""}, "layout is missing"),
        ({"layout": "raid6 60"}, '"raid6" is not a kind'),
        ({"layout": "raidz2 2 x 30"}, "3 disks or more"),
        ({"layout": "raidz2"}, "layout is"),
        ({"layout": "log 2"}, "layout is"),
        ({"layout": "mirror 2 spare mirror 2"}, "layout is"),
        ({"layout": "mirror 2 mirror 2"}, "layout is"),
        ({"layout": "mirror 2 /dev/sda"}, "layout is"),
        ({"properties": "cachefile=/etc/passwd"}, '"cachefile" is closed'),
        ({"properties": "mountpoint=/etc"}, '"mountpoint" is closed'),
        ({"properties": "ashift=/"}, "no plain value"),
        ({"mount": "/"}, "is not a mount point"),
    ],
)
def test_a_zpool_step_says_what_is_wrong(changes: dict[str, str], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        check_zpool({**ZPOOL, **changes})
