"""What is told of a fio that has ended."""

from pathlib import Path

import pytest

from instruments.reading import SECOND
from workloads.fio.faults import Ended
from workloads.fio.result import apart_warning
from workloads.fio_job import FioJob


@pytest.mark.parametrize("apart_s", [None, 0.0, 0.9])
def test_jobs_that_began_together_are_not_told_of(apart_s: float | None) -> None:
    assert apart_warning(_job(), Ended(0, window=(0, SECOND), apart_s=apart_s)) == ""


def test_jobs_that_began_apart_are_told_with_their_share() -> None:
    ended = Ended(0, window=(0, 45 * SECOND), apart_s=5.0)
    assert apart_warning(_job(), ended) == (
        "its 64 jobs began at least 5.0 s apart: fio counts what some did after the "
        "45.0 s of the window, about 10% of the rate"
    )


def _job() -> FioJob:
    return FioJob("x", (Path("target"),), 2**20, 45, 0, True, {"numjobs": "64"})
