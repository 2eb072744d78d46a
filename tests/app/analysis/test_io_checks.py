"""Engine bytes against device bytes: caches and strangers."""

from dataclasses import replace

import pytest

from app.analysis.again.verify import LATER
from app.analysis.io_checks import (
    check_io,
    foreign_percent,
    io_findings,
    io_results,
    not_clean,
    with_rest,
)
from app.plan.cleanness import NOT_CLEAN, is_clean
from instruments.reading import SECOND
from workloads.base import LoadOutcome, LoadResult, Measured

MIB = 2**20


def result(**values: float) -> LoadResult:
    own = {name: Measured(value, "", "") for name, value in values.items()}
    return LoadResult(LoadOutcome.DONE, window=(0, 10 * SECOND), values=own)


@pytest.mark.parametrize(
    ("jobs", "device_bytes", "expected"),
    [
        (1, 4e9, {"foreign_read_bytes", "foreign_write_bytes"}),
        (1, 1e8, {"cached_read_bytes", "cached_write_bytes"}),
        (4, 8e8, {"outside_read_bytes", "outside_write_bytes"}),
    ],
)
def test_what_is_said_of_a_part_is_of_the_formulas_of_its_rates(
    jobs: int, device_bytes: float, expected: set[str]
) -> None:
    """Of an older session it is made of other rates, and is not called wrong."""
    values = {f"{way}_mb_s": 100.0 for way in ("read", "write")}
    values |= {f"{way}_iops": 100.0 for way in ("read", "write")}
    values |= {f"device_{way}_bytes": device_bytes for way in ("read", "write")}
    load = replace(result(**values), jobs=jobs, apart_s=5.0 if jobs > 1 else None)
    found = io_findings("fio", {"rw": "randrw", "bs": "4k"}, load)
    names = {one.name for one in io_results("fio", load, found, (0, 10 * SECOND))}
    blocks = {"read_block_bytes", "write_block_bytes"}
    assert names == expected | blocks | {"foreign_percent"}
    assert names <= LATER[3][1].keys()


def test_a_disk_that_agrees_says_nothing() -> None:
    assert not check_io(
        result(
            read_mb_s=100, device_read_bytes=1.01e9, device_write_bytes=0, buffered=0
        )
    )


def test_a_cache_that_answered_direct_reads_makes_the_row_void() -> None:
    (found,) = check_io(result(read_mb_s=100, device_read_bytes=2e8, buffered=0))
    assert found.is_void
    assert found.result == "cached_read_bytes"
    assert found.value == pytest.approx(8e8)
    assert "the load read 954 MiB, its disk 191 MiB: a cache answered" in found.text


def test_a_load_through_the_page_cache_is_only_told_of() -> None:
    (found,) = check_io(result(write_mb_s=100, device_write_bytes=2e8, buffered=1))
    assert not found.is_void
    assert "the load wrote" in found.text


def test_foreign_writes_are_found_beside_a_load_that_only_reads() -> None:
    (found,) = check_io(
        result(
            read_mb_s=100,
            bandwidth_mb_s=100,
            device_read_bytes=1e9,
            device_write_bytes=64 * MIB,
            buffered=0,
        )
    )
    assert found.result == "foreign_write_bytes"
    assert found.value == 64 * MIB
    assert found.text.startswith(
        "6 % of the I/O on its disk came from other processes: 64"
    )


def test_another_user_is_told_of_once_a_row_and_not_at_all_where_it_is_nothing() -> (
    None
):
    values = {"read_mb_s": 100.0, "write_mb_s": 10.0, "buffered": 0.0}
    found = check_io(
        result(**values, device_read_bytes=1.5e9, device_write_bytes=0.5e9)
    )
    names = ["foreign_read_bytes", "foreign_write_bytes"]
    assert [one.result for one in found] == names
    assert [one.value for one in found] == [pytest.approx(5e8), pytest.approx(4e8)]
    assert [bool(one.text) for one in found] == [True, False]
    assert found[0].text.startswith("45 % of the I/O")
    (small,) = check_io(
        result(
            read_mb_s=1000,
            bandwidth_mb_s=1000,
            device_read_bytes=1e10,
            device_write_bytes=20 * MIB,
        )
    )
    assert (small.result, small.text) == ("foreign_write_bytes", "")


def test_a_row_that_others_disturbed_is_not_clean() -> None:
    values = {"read_mb_s": 100.0, "bandwidth_mb_s": 100.0, "device_read_bytes": 1e9}
    for count, percent in ((200 * MIB, 17.3), (32 * MIB, 3.25), (0.0, 0.0)):
        own = result(**values, device_write_bytes=count)
        io = check_io(own)
        found = foreign_percent(own, io)
        assert found == pytest.approx(percent, abs=0.1)
        told = [f"not clean: {one.text}" for one in io if percent > NOT_CLEAN]
        assert not_clean({"foreign_percent": found}, io) == told
        assert is_clean({"foreign_percent": found}) == (not told)
    unknown = result(read_mb_s=100)
    assert foreign_percent(unknown, check_io(unknown)) is None
    assert not not_clean({}, ())


def test_small_differences_are_nobodys() -> None:
    assert not check_io(
        result(read_mb_s=1, device_read_bytes=1e7 + 15 * MIB, buffered=0)
    )


def test_a_window_as_short_as_a_look_at_the_disk_says_nothing() -> None:
    values = {
        name: Measured(value, "", "")
        for name, value in (
            ("engine_read_bytes", 66e6),
            ("device_read_bytes", 33e6),
            ("buffered", 0.0),
        )
    }
    short = LoadResult(LoadOutcome.DONE, window=(0, SECOND // 3), values=values)
    assert not check_io(short)
    long = LoadResult(LoadOutcome.DONE, window=(0, 60 * SECOND), values=values)
    assert check_io(long)[0].is_void


def test_an_engine_that_counts_itself_is_believed_and_says_no_more() -> None:
    values = {"read_mb_s": 9999.0, "engine_read_bytes": 1e9, "buffered": 0.0}
    assert not check_io(result(**values, device_read_bytes=1e9, device_write_bytes=1e9))


def test_without_a_disk_or_a_window_nothing_is_said() -> None:
    assert not check_io(result(read_mb_s=100, buffered=0))
    assert not check_io(LoadResult(LoadOutcome.DONE))


def test_what_is_under_way_at_the_ends_was_not_spared() -> None:
    short = result(write_mb_s=472, device_write_bytes=4e9, buffered=0)
    assert check_io(short)[0].is_void
    assert not check_io(short, 0.7e9)


def test_a_short_window_is_told_of_and_not_void() -> None:
    values = result(read_mb_s=200, device_read_bytes=4e8, buffered=0).values
    short = LoadResult(LoadOutcome.DONE, window=(0, 5 * SECOND), values=values)
    (found,) = check_io(short)
    assert not found.is_void
    assert found.text.endswith("a cache answered, or its 5.0 s are too short to tell")


@pytest.mark.parametrize(
    ("jobs", "apart_s", "name", "why"),
    [
        (1, None, "cached_read_bytes", "a cache answered"),
        (64, 0.9, "cached_read_bytes", "a cache answered"),
        (
            64,
            4.6,
            "outside_read_bytes",
            "its 64 jobs did not run at once, they started at least 4.6 s apart",
        ),
        (
            64,
            1.5,
            "cached_read_bytes",
            "a cache answered, or its jobs did not run at the same time",
        ),
        (
            64,
            None,
            "cached_read_bytes",
            "a cache answered, or its jobs did not run at the same time",
        ),
    ],
)
def test_jobs_that_began_apart_are_no_cache(
    jobs: int, apart_s: float | None, name: str, why: str
) -> None:
    """As 64 of them did on a small machine: 11.3 GiB, of which the disk saw 7.65."""
    bytes_ = Measured(7.65 * 2**30, "B", "")
    values = {
        "read_mb_s": Measured(1072.8, "MB/s", ""),
        "device_read_bytes": bytes_,
        "buffered": Measured(0.0, "", ""),
    }
    window = (0, round(11.303 * SECOND))
    ran = LoadResult(
        LoadOutcome.DONE, window=window, values=values, jobs=jobs, apart_s=apart_s
    )
    (found,) = check_io(ran)
    assert found.is_void
    assert found.result == name
    assert found.text == f"the load read 11.3 GiB, its disk 7.65 GiB: {why}"


@pytest.mark.parametrize(
    ("transfers", "bytes_", "clean"),
    [(0, 0, True), (290, 9e6, True), (290, 11e6, False), (310, 1e6, False)],
)
def test_all_that_moves_while_nothing_runs_is_of_others(
    transfers: int, bytes_: float, *, clean: bool
) -> None:
    counts = {
        "device_reads": transfers,
        "device_writes": 0.0,
        "device_read_bytes": bytes_,
        "device_write_bytes": 0.0,
    }
    rest = with_rest(result(**counts))
    found = io_findings("idle", {}, rest)
    told = {one.result: one.value for one in found}
    assert told == {"foreign_read_bytes": bytes_, "foreign_write_bytes": 0}
    values = {name: one.value for name, one in rest.values.items()}
    assert is_clean(values) == clean
    assert bool(not_clean(values, found)) != clean
    assert not any(one.is_void for one in found)


def test_nothing_is_said_of_a_rest_whose_disk_is_not_known() -> None:
    assert with_rest(result()) == result()
    assert not io_findings("cooldown", {}, result())
