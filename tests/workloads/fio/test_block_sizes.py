"""What fio's options say of the size of a block."""

import pytest

from workloads.fio.block_sizes import block_sizes


@pytest.mark.parametrize(
    ("options", "way", "mean"),
    [
        ({}, "read", 4096),
        ({"bs": "64k"}, "write", 65536),
        ({"bs": "4k,8k"}, "write", 8192),
        ({"bssplit": "4k/20:64k/50:256k/20:2M/10"}, "read", 295731),
        ({"bssplit": "4k/50:64k/50,8k/100"}, "write", 8192),
        ({"bssplit": "4k/50:8k/:16k/"}, "read", 8192),
        ({"bsrange": "4k-64k"}, "read", 34816),
    ],
)
def test_the_mean_of_a_direction(
    options: dict[str, str], way: str, mean: float
) -> None:
    found = block_sizes(options, way)
    assert found is not None
    assert found.mean == pytest.approx(mean, abs=1)


def test_the_spread_of_two_sizes_is_half_their_distance() -> None:
    found = block_sizes({"bssplit": "4k/50:8k/50"}, "read")
    assert found is not None
    assert found.spread == pytest.approx(2048)
    fixed = block_sizes({"bs": "4k"}, "read")
    assert fixed is not None
    assert fixed.spread == 0


def test_what_is_no_size_is_not_guessed() -> None:
    assert block_sizes({"bs": "many"}, "read") is None
    assert block_sizes({"bsrange": "4k"}, "read") is None
