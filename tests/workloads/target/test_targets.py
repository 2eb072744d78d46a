"""Several targets: found by patterns, checked together, prepared one by one."""

import shutil
import threading
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from workloads.target.scratch import prepare
from workloads.target.targets import check_targets, find_targets, prepare_all

SIZE = 16 * 2**20


def test_a_pattern_gives_what_is_there_in_natural_order(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        (tmp_path / f"dev{number}").touch()
    (tmp_path / "other").touch()
    found = find_targets([tmp_path / "dev*", tmp_path / "new"])
    assert [path.name for path in found] == ["dev1", "dev2", "dev10", "new"]


def test_a_name_that_looks_like_a_pattern_and_exists_is_a_name(tmp_path: Path) -> None:
    for name in ("a[1]", "a1"):
        (tmp_path / name).touch()
    assert find_targets([tmp_path / "a[1]"]) == (tmp_path / "a[1]",)


def test_a_pattern_without_a_match_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing matches this pattern"):
        find_targets([tmp_path / "dev*"])


def test_one_file_by_two_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(BadInput, match=r"/a as well\. Name each file or disk once"):
        find_targets([tmp_path / "a", tmp_path / "b"])
    with pytest.raises(BadInput, match="it is named twice"):
        find_targets([tmp_path / "new", tmp_path / "new"])


def test_files_and_disks_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="files and disks stand side by side"):
        find_targets([tmp_path / "a", Path("/dev/disk/by-id/none")])


def test_files_that_fit_alone_and_not_together_are_refused(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    paths = [tmp_path / name for name in "abc"]
    check_targets(paths, SIZE, writes=True)
    with pytest.raises(BadInput, match=r"3 files of .* do not fit: .* are free"):
        check_targets(paths, free // 2, writes=True)


def test_all_that_cannot_be_used_are_named_at_once(tmp_path: Path) -> None:
    paths = [tmp_path / f"dev{number}" for number in range(4)]
    for path in paths[1:3]:
        path.write_bytes(b"somebody's")
    with pytest.raises(BadInput, match="2 of 4 files cannot be used") as caught:
        check_targets(paths, SIZE, writes=True)
    for path in paths[1:3]:
        assert f"{path}: this file holds data that" in caught.value.what
    assert caught.value.way_out.count("Name a file that does not exist yet") == 1


def test_files_are_prepared_one_after_the_other(tmp_path: Path) -> None:
    seen: list[float] = []
    paths = [tmp_path / name for name in "ab"]
    ready = prepare_all(paths, SIZE, threading.Event(), seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert all(path.stat().st_size == SIZE for path in paths)
    with pytest.raises(BenchError, match="another run uses this file"):
        prepare(paths[1], SIZE, threading.Event(), lambda _: None)
    for one in ready:
        one.close()


def test_one_that_cannot_be_used_lets_the_others_go(tmp_path: Path) -> None:
    held = prepare(tmp_path / "b", SIZE, threading.Event(), lambda _: None)
    paths = [tmp_path / name for name in "ab"]
    with pytest.raises(BenchError, match="another run uses this file"):
        prepare_all(paths, SIZE, threading.Event(), lambda _: None)
    held.close()
    for one in prepare_all(paths, SIZE, threading.Event(), lambda _: None):
        one.close()
