import math

import pytest

from instruments.noise.handheld import (
    FROZEN_NS,
    FrozenWatch,
    level_channels,
    one_second,
)
from instruments.reading import SECOND, Status

_OK = Status.OK


def test_levels_are_averaged_by_energy() -> None:
    values, statuses = one_second([40.0, 50.0], [_OK, _OK])
    assert values == pytest.approx((10 * math.log10((1e4 + 1e5) / 2), 50.0))
    assert statuses == (_OK, _OK)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ([_OK, Status.OVERRANGE, _OK], Status.OVERRANGE),
        ([Status.WARN, Status.UNDERRANGE, _OK], Status.UNDERRANGE),
        ([_OK, Status.WARN, _OK], Status.WARN),
    ],
)
def test_one_level_that_is_none_spoils_the_second(
    given: list[Status], status: Status
) -> None:
    values, statuses = one_second([40.0, 41.0, 42.0], given)
    assert statuses == (status, status)
    assert math.isnan(values[0]) is not status.is_value


def test_channels_are_named_by_their_weighting() -> None:
    assert [c.name for c in level_channels("m", "C")] == ["m.LCeq", "m.LCFmax"]
    assert {(c.unit, c.window_ns) for c in level_channels("m", "A")} == {("dB", SECOND)}


def test_a_level_is_frozen_after_its_time_and_not_by_coming_back() -> None:
    watch = FrozenWatch()
    assert not watch.is_frozen(46.0, 0)
    assert not watch.is_frozen(46.0, FROZEN_NS)
    assert watch.is_frozen(46.0, FROZEN_NS + 1)
    assert not watch.is_frozen(46.1, FROZEN_NS + 2)
    assert not watch.is_frozen(46.0, FROZEN_NS + 3)
