"""What a fio job has under way at once."""

import pytest

from workloads.fio_queue import queued, queued_bytes


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 1),
        ({"iodepth": "256"}, 256),
        ({"iodepth": "32", "numjobs": "64", "ioengine": "libaio"}, 2048),
        ({"iodepth": "32", "numjobs": "4", "ioengine": "psync"}, 4),
        ({"iodepth": "deep", "numjobs": "0"}, 1),
    ],
)
def test_jobs_times_depth(options: dict[str, str], expected: int) -> None:
    assert queued(options) == expected


def test_bytes_are_those_of_the_larger_direction() -> None:
    assert queued_bytes({"bs": "4k,1m", "iodepth": "8"}) == 8 * 2**20
    assert queued_bytes({"bs": "nonsense", "iodepth": "8"}) == 0.0
