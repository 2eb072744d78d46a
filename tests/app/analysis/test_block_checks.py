"""The mean block of a load against its plan."""

from app.analysis.io_checks import check_blocks
from instruments.reading import SECOND
from workloads.base import LoadOutcome, LoadResult, Measured

SPLIT = {"rw": "randrw", "bssplit": "4k/20:64k/50:256k/20:2M/10"}


def load(iops: float, mb_s: float, jobs: int = 1) -> LoadResult:
    values = {
        "read_iops": Measured(iops, "1/s", "fio"),
        "read_mb_s": Measured(mb_s, "MB/s", "fio"),
    }
    return LoadResult(
        LoadOutcome.DONE, window=(0, 10 * SECOND), values=values, jobs=jobs
    )


def test_a_mean_that_does_not_fit_is_told_with_both_figures() -> None:
    (found,) = check_blocks(SPLIT, load(1000, 94.2))
    assert found.text == (
        "the mean block of its reads is 94.2 kB, the job asks for 295.7 kB; fio's map "
        "of the blocks that it used favours small ones; norandommap avoids that"
    )
    assert (found.is_void, found.result) == (False, "read_block_bytes")
    assert found.value == 94200
    (found,) = check_blocks(SPLIT | {"norandommap": "1"}, load(1000, 94.2))
    assert "norandommap" not in found.text


def test_chance_is_allowed_for_by_the_number_of_blocks() -> None:
    assert not check_blocks(SPLIT, load(1000, 1000 * 0.2957 * 1.05))
    assert check_blocks(SPLIT, load(100_000, 100_000 * 0.2957 * 1.05))
    assert not check_blocks(SPLIT, load(1, 0.094))


def test_one_size_leaves_no_room_for_chance() -> None:
    fixed = {"rw": "read", "bs": "4k"}
    assert not check_blocks(fixed, load(1000, 4.1))
    (found,) = check_blocks(fixed, load(1000, 8.2))
    assert found.text == (
        "the mean block of its reads is 8.2 kB, the job asks for 4.1 kB"
    )
    assert not check_blocks(fixed, LoadResult(LoadOutcome.DONE))


def test_what_is_under_way_counts_in_a_short_window_only() -> None:
    deep = {"rw": "read", "bs": "4m", "iodepth": "256"}
    assert not check_blocks(deep, load(100, 100 * 4.99))
    assert check_blocks(deep, load(10_000, 10_000 * 4.99))


def test_what_is_under_way_on_all_devices_and_hosts_counts() -> None:
    """Four devices on each of three hosts, a job each: 12 x 32 I/Os are under way."""
    deep = {"rw": "read", "bs": "4m", "iodepth": "32"}
    assert not check_blocks(deep, load(100, 100 * 5.5, jobs=12))
    assert check_blocks(deep, load(100, 100 * 5.5))
