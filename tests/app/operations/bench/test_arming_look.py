"""What is still to be typed before a disk may be overwritten."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.bench.guard import Guard
from app.bench.model import Bench
from app.operations.bench.arming_disks import (
    DiskLook,
    DiskLooks,
    disk_size_text,
    look_at_disks,
    read_paths,
    read_words,
)
from instruments.errors import BadInput
from tests.workloads.guard.loops import SIZE, loop, mounted, tool

ANY = Guard()


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop(tmp_path / "disk.img") as path:
        yield path


def bench(rest: str = "") -> Bench:
    text = f'name = "b"\n[dut]\nname = "d"\ntarget = "/tmp/x"\n{rest}'
    return parse_bench(text, "bench.toml")


def looked(*devices: str, on: Bench | None = None) -> DiskLooks:
    found = look_at_disks(on or bench(), [Path(device) for device in devices])
    assert found is not None
    return found


def seen(device: str) -> DiskLook:
    [found] = looked(device).each
    return found


def test_a_blank_disk_asks_for_its_word_alone(device: str) -> None:
    found = seen(device)
    word = f"{Path(device).name}:{SIZE}"
    assert found.word_name == "name and exact size"
    assert word in found.missing(ANY, 0, "", ())
    assert word in found.missing(ANY, 0, word.upper(), ())
    assert found.missing(ANY, 0, "loop", ()).startswith("That is not the name")
    assert found.missing(ANY, 0, word, ()) == ""
    assert found.missing(ANY, 0, word, ("ext4",)) == "There is no ext4 on the disk."
    assert "has only 67.1 MB" in found.missing(ANY, 2 * SIZE, word, ())


def test_each_kind_of_data_has_to_be_named(device: str) -> None:
    tool("mkfs.ext4", "-q", "-L", "precious", device)
    found = seen(device)
    assert found.data_words == ("ext4",)
    assert "ext4 (precious)" in found.data[0].sentence
    word = found.disk.word
    assert "may be overwritten: ext4." in found.missing(ANY, 0, word, ())
    assert found.missing(ANY, 0, word, ("ext4",)) == ""


def test_what_is_in_use_or_not_allowed_stays_refused(
    device: str, tmp_path: Path
) -> None:
    tool("mkfs.ext4", "-q", device)
    with mounted(device, tmp_path / "place"):
        found = seen(device)
        assert [refusal.rule for refusal in found.refusals] == ["mounted"]
        said = found.missing(ANY, 0, found.disk.word, ("ext4",))
        assert said.startswith("This disk must not be overwritten: it is mounted at")
    found = seen(device)
    other = Guard(allow=("Z1X2",))
    assert "does not let" in found.missing(other, 0, found.disk.word, ("ext4",))
    own = Guard(allow=(found.disk.word,))
    assert found.missing(own, 0, found.disk.word, ("ext4",)) == ""


def test_the_size_tells_what_of_the_disk_is_used(device: str) -> None:
    found = seen(device)
    assert found.size_text(0) == "all of it, 67.1 MB"
    assert found.size_text(SIZE) == "all of it, 67.1 MB"
    assert found.size_text(2**20) == "the first 1 MiB of 67.1 MB"


def test_a_file_is_no_disk_and_a_missing_one_is_said(tmp_path: Path) -> None:
    assert look_at_disks(bench(), [tmp_path / "scratch.dat"]) is None
    with pytest.raises(BadInput, match="there is no block device"):
        looked("/dev/disk/by-id/nothing")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (16_000_900_661_248, "16 TB"),
        (3_840_755_982_336, "3.84 TB"),
        (512_110_190_592, "512 GB"),
        (67_108_864, "67.1 MB"),
        (4096, "4096 B"),
    ],
)
def test_sizes_are_written_as_on_the_label(size: int, text: str) -> None:
    assert disk_size_text(size) == text


def test_words_may_be_parted_by_blanks_or_commas() -> None:
    assert read_words(" gpt, ext4  ext4;ntfs ") == ("gpt", "ext4", "ntfs")
    assert read_words("  ") == ()


def test_each_of_several_disks_has_to_be_armed(device: str, tmp_path: Path) -> None:
    with loop(tmp_path / "other.img") as other:
        tool("mkfs.ext4", "-q", other)
        found = looked(device, other)
        first, second = (one.disk.word for one in found.each)
        assert found.data_words == ("ext4",)
        assert found.word_name == "name and exact size of each disk"
        told = found.missing(ANY, 0, first, ("ext4",))
        assert told.startswith(f"{Path(other).name}: ")
        assert second in told
        both = f"{first}, {second}"
        assert "may be overwritten: ext4" in found.missing(ANY, 0, both, ())
        assert found.missing(ANY, 0, both, ("ext4",)) == ""
        assert found.words(f"{first} {second}\n") == (first, second)
        more = f"{both},loop99:1"
        assert "not one of these disks" in found.missing(ANY, 0, more, ("ext4",))
        assert "no xfs" in found.missing(ANY, 0, both, ("ext4", "xfs"))


def test_the_disks_of_load_hosts_are_looked_at_there(device: str) -> None:
    rest = (
        '[[host]]\nname = "head"\ndriver = "local"\n'
        f'[load]\nhosts = ["head"]\nway = "ssh"\ntargets = ["{device}"]\n'
    )
    [found] = looked("/tmp/x", on=bench(rest)).each
    assert found.host == "head"
    assert found.title == f"{Path(device).name} on head"
    assert found.missing(ANY, 0, found.disk.word, ()) == ""


def test_targets_are_typed_with_commas_between(tmp_path: Path) -> None:
    assert read_paths(f" {tmp_path}/a b , /dev/sdb,") == (
        tmp_path / "a b",
        Path("/dev/sdb"),
    )
    for text, told in ((" , ", "is missing"), ("~nobody-at-all/x", "home folder")):
        with pytest.raises(BadInput, match=told):
            read_paths(text)
