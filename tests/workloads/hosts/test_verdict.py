"""How loads on several hosts ended, as a whole."""

import pytest

from workloads.base import LoadOutcome, LoadResult
from workloads.hosts.verdict import common_window, skew_warning

S = 10**9


def results(*windows: tuple[int, int] | None) -> dict[str, LoadResult]:
    return {
        f"load{n}": LoadResult(LoadOutcome.DONE, window=window)
        for n, window in enumerate(windows, 1)
    }


@pytest.mark.parametrize(
    ("windows", "common", "told"),
    [
        ([], None, ""),
        ([None], None, ""),
        ([(0, 10 * S)], (0, 10 * S), ""),
        ([(0, 10 * S), (S // 2, 10 * S), None], (S // 2, 10 * S), ""),
        ([(0, 10 * S), (4 * S, 14 * S)], (4 * S, 10 * S), "only 6.0 of 10.0 s"),
        ([(0, 2 * S), (4 * S, 6 * S)], None, "4.0 s apart, so that only 0.0 of 2.0"),
    ],
)
def test_the_window_is_what_all_have_in_common(
    windows: list[tuple[int, int] | None], common: tuple[int, int] | None, told: str
) -> None:
    found = results(*windows)
    assert common_window(found) == common
    said = skew_warning(found)
    assert told in said
    assert bool(told) == bool(said)
