"""The program that breaks sources: one quick fault for each way of breaking."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults import tools
from tests.faults.__main__ import table
from tests.faults.trial import Outcome, try_fault


@pytest.mark.serial
def test_a_broken_file_is_a_gap_that_ends(tmp_path: Path) -> None:
    part = replace(tools.hwmon(tmp_path), hold_s=1.5)
    [found] = try_fault(part, "garbage", part.faults["garbage"], tmp_path)
    assert (found.source, found.fault) == ("chips", "garbage")
    assert len(found.reasons) == 1
    assert 0.5 < found.missing_s < 4
    assert found.noticed_s is not None
    assert found.told.startswith(
        "temperature.nct6775-656-systin has no value (nan): /sys"
    )
    assert "is not a number" in found.told
    assert found.back_s is not None
    assert found.back_s < 3


def test_the_table_says_what_happened() -> None:
    one = Outcome("mains", "silent", ("timeout",), "lost", 1.04, None, 6.0)
    assert table([("hmc8015", one)]).splitlines()[-1] == (
        "| hmc8015 | mains | silent | timeout | 1.0 s | 6.0 s | - |"
    )
