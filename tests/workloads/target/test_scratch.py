import os
import threading
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from tests import needs
from tests.mounts import read_only
from workloads.target.scratch import prepare, takes_direct
from workloads.target.scratch_check import check_target

SIZE = 32 * 2**20


def fill(path: Path, size: int = SIZE) -> list[float]:
    seen: list[float] = []
    prepare(path, size, threading.Event(), seen.append).close()
    return seen


def test_a_new_file_is_made_and_really_filled(tmp_path: Path) -> None:
    path = tmp_path / "new.dat"
    check_target(path, SIZE, writes=True)
    assert fill(path)[-1] == 1.0
    assert path.stat().st_size == SIZE
    assert path.stat().st_blocks * 512 >= SIZE


@needs.root
@pytest.mark.parametrize("is_there", [True, False])
def test_root_makes_and_fills_nothing_by_a_link_of_somebody(
    tmp_path: Path, is_there: bool
) -> None:
    other, folder = tmp_path / "other.dat", tmp_path / "of somebody"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    if is_there:
        other.touch()
    (folder / "scratch.dat").symlink_to(other)
    with pytest.raises(BenchError):
        fill(folder / "scratch.dat")
    assert other.exists() == is_there
    assert not is_there or other.stat().st_size == 0


def test_our_own_file_is_used_again_without_filling(tmp_path: Path) -> None:
    path = tmp_path / "new.dat"
    fill(path)
    check_target(path, SIZE, writes=True)
    assert fill(path) == []


def test_a_sparse_file_is_nobodys_and_gets_filled(tmp_path: Path) -> None:
    path = tmp_path / "sparse.dat"
    with path.open("wb") as file:
        file.truncate(SIZE)
    check_target(path, SIZE, writes=True)
    fill(path)
    assert path.stat().st_blocks * 512 >= SIZE


def test_somebodys_data_is_refused_for_writing_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_bytes(b"years of work" * 1000)
    with pytest.raises(BadInput, match="Bayscope did not write"):
        check_target(path, SIZE, writes=True)
    assert path.read_bytes() == b"years of work" * 1000


def test_a_device_is_refused() -> None:
    with pytest.raises(BadInput, match="names below /dev are devices"):
        check_target(Path("/dev/null"), SIZE, writes=False)


def test_a_link_to_a_device_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "innocent.dat"
    link.symlink_to("/dev/null")
    with pytest.raises(BadInput, match="this is a device"):
        check_target(link, SIZE, writes=True)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a file"):
        check_target(tmp_path, SIZE, writes=True)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no/where does not exist"):
        check_target(tmp_path / "no" / "where" / "x.dat", SIZE, writes=True)


def test_the_last_folder_is_made_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "Bayscope" / "x.dat"
    check_target(path, SIZE, writes=True)
    assert not path.parent.exists()
    fill(path)
    assert path.stat().st_size == SIZE


def test_a_size_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not fit"):
        check_target(tmp_path / "huge.dat", 2**60, writes=True)
    assert not list(tmp_path.iterdir())


def test_stopping_ends_the_filling(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    prepare(tmp_path / "x.dat", SIZE, stop, lambda _: None).close()
    assert (tmp_path / "x.dat").stat().st_size == 0


def test_a_file_system_without_o_direct_is_recognised() -> None:
    # procfs refuses O_DIRECT with EINVAL on every Linux.
    assert takes_direct(Path("/proc/version")) is False


def test_a_load_that_only_reads_leaves_a_sparse_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "machine.img"
    with path.open("wb") as file:
        file.write(b"boot sector")
        file.truncate(SIZE)
    before = path.read_bytes()
    check_target(path, SIZE, writes=False)
    assert fill(path) == []
    assert path.read_bytes() == before
    with pytest.raises(BadInput, match="Bayscope did not write"):
        check_target(path, SIZE, writes=True)


def test_a_tiny_file_of_somebody_is_not_empty(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("x")
    with pytest.raises(BadInput, match="Bayscope did not write"):
        check_target(path, SIZE, writes=True)


def test_two_runs_cannot_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    first = prepare(path, SIZE, threading.Event(), lambda _: None)
    with pytest.raises(BenchError, match="another run uses this file"):
        prepare(path, SIZE, threading.Event(), lambda _: None)
    first.close()
    fill(path)


def test_a_device_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="names below /dev are devices"):
        check_target(Path("/dev/sdzz"), SIZE, writes=True)
    assert not Path("/dev/sdzz").exists()


def test_a_file_in_memory_is_never_direct() -> None:
    path = Path(f"/dev/shm/bayscope-test-{os.getpid()}.dat")
    try:
        check_target(path, SIZE, writes=True)
        scratch = prepare(path, SIZE, threading.Event(), lambda _: None)
        scratch.close()
        assert not scratch.direct
    finally:
        path.unlink(missing_ok=True)


@needs.read_only_folders
@pytest.mark.parametrize("writes", [False, True])
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, writes: bool) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with (
        read_only(folder, tmp_path / "medium") as medium,
        pytest.raises(BadInput, match="cannot be written"),
    ):
        check_target(medium / "scratch.dat", SIZE, writes=writes)
