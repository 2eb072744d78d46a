"""Choosing what loads run on: the bench's text follows and keeps its comments."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bench.file import default_bench, parse_bench
from app.operations.bench.aim import Aim, aimed, free_space
from instruments.errors import BadInput
from tests.workloads.guard.loops import loop

TEXT = """
name = "Bench"  # of the lab
[dut]
name = "Disk"
target = "/tmp/scratch.dat"  # made by Bayscope
size = "64m"
"""


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Path]:
    with loop(tmp_path / "disk.img") as path:
        yield Path(path)


def test_a_disk_is_used_as_a_whole_and_in_part(device: Path) -> None:
    bench = parse_bench(TEXT, "bench.toml")
    whole = aimed(bench, Aim((device,), 0))
    assert (whole.dut.targets[0], whole.dut.size) == (device, 0)
    assert "size" not in whole.text
    assert "# of the lab" in whole.text
    assert parse_bench(whole.text, "again").dut == whole.dut
    part = aimed(whole, Aim((device,), 2**24))
    assert part.dut.size == 2**24


def test_back_to_a_scratch_file(tmp_path: Path) -> None:
    found = aimed(default_bench(), Aim((tmp_path / "x.dat",), 2**26))
    assert found.dut.size == 2**26
    assert 'size = "64m"' in found.text
    assert found.sources == default_bench().sources


def test_a_scratch_file_needs_a_size_a_bench_can_have(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="size"):
        aimed(default_bench(), Aim((tmp_path / "x.dat",), 4096))


def test_free_space_is_that_of_the_nearest_folder(tmp_path: Path) -> None:
    found = free_space(tmp_path / "not" / "yet" / "scratch.dat")
    assert found.folder == tmp_path
    assert 0 < found.free <= found.total


def test_several_targets_are_a_list_in_the_bench(tmp_path: Path) -> None:
    paths = (tmp_path / "a", tmp_path / "b")
    found = aimed(default_bench(), Aim(paths, 2**26))
    assert found.dut.targets == paths
    assert Aim(paths, 0).text == f"{paths[0]}, {paths[1]}"
    assert aimed(found, Aim(paths[:1], 2**26)).dut.targets == paths[:1]


def test_the_size_is_written_as_it_is_typed() -> None:
    assert Aim((Path("/dev/sdx"),), 0).size_text == ""
    assert Aim((Path("/x"),), 2**30).size_text == "1g"
