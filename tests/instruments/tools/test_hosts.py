"""Files of this machine, of which some do not come back."""

import os
from pathlib import Path

import pytest

from instruments.errors import BenchError
from instruments.tools.command_errors import TooLate
from instruments.tools.hosts import LocalHost


def test_a_file_that_hangs_is_left_alone_until_it_comes_back(tmp_path: Path) -> None:
    # A pipe that nobody writes to hangs as a sensor of a dead drive does.
    hanging, well = tmp_path / "temp1_input", tmp_path / "well"
    os.mkfifo(hanging)
    well.write_text("31000\n")
    host = LocalHost()
    with pytest.raises(TooLate, match=r"not read within 0\.05 s"):
        host.read_many([str(hanging)], 0.05)
    with pytest.raises(TooLate, match="has not come back yet"):
        host.read_many([str(well)], 5.0)
    hanging.write_text("30000\n")
    for _ in range(1000):
        try:
            assert host.read_text(str(well)) == "31000\n"
            break
        except TooLate:
            os.sched_yield()
    else:
        pytest.fail("it is never read again")


def test_a_folder_that_is_not_there_is_empty_and_a_file_is_a_sentence(
    tmp_path: Path,
) -> None:
    host = LocalHost()
    assert host.list_folder(str(tmp_path / "none")) == []
    with pytest.raises(BenchError, match="cannot be read"):
        host.read_text(str(tmp_path / "none"))
    assert host.read_many([]) == {}
