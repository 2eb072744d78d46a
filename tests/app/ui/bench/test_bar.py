"""The line of facts above the sources."""

from dataclasses import replace

import pytest

from app.bench.file import default_bench
from app.ui.bench.view import facts_of_bench


@pytest.mark.parametrize(
    ("drives", "layout", "said"),
    [
        (60, "8x8", "bays 8x8 (64 bays for 60 drives)"),
        (60, "4x15", "bays 4x15"),
        (0, "8x8", "bays 8x8"),
        (1, "1x2", "bays 1x2 (2 bays for 1 drive)"),
        (60, "far.toml", "bays far.toml"),
    ],
)
def test_bays_that_are_not_as_many_as_drives_are_said(
    drives: int, layout: str, said: str
) -> None:
    bench = default_bench()
    bench = replace(bench, dut=replace(bench.dut, drives=drives, layout=layout))
    assert said in facts_of_bench(bench).split(" \N{MIDDLE DOT} ")
