"""What a fio job has under way at once."""

import pytest

from workloads.fio.block_sizes import queued, queued_bytes


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 4),
        ({"iodepth": "256"}, 1024),
        ({"iodepth": "32", "ioengine": "libaio"}, 128),
        ({"iodepth": "32", "ioengine": "psync"}, 4),
        ({"iodepth": "deep"}, 4),
    ],
)
def test_jobs_times_depth(options: dict[str, str], expected: int) -> None:
    assert queued(options, 4) == expected


def test_bytes_are_those_of_the_larger_direction() -> None:
    assert queued_bytes({"bs": "4k,1m", "iodepth": "8"}, 3) == 24 * 2**20
    assert queued_bytes({"bs": "nonsense", "iodepth": "8"}, 3) == 0.0
