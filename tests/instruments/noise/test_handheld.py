import math
from collections.abc import Callable

import pytest

from instruments.base import Link
from instruments.noise.handheld import STUCK_NS, Handheld, one_second
from instruments.reading import SECOND, Status
from instruments.settings import Settings
from instruments.timebase import monotonic_ns

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


def _meter(weighting: str, clock: Callable[[], int] = monotonic_ns) -> Handheld[Link]:
    settings = Settings("m", {"device": "", "weighting": weighting})
    return Handheld[Link](settings, clock)


def test_channels_are_named_by_their_weighting() -> None:
    c, a = (_meter(each).channels for each in "CA")
    assert [channel.name for channel in c] == ["m.LCeq", "m.LCFmax"]
    assert {(channel.unit, channel.window_ns) for channel in a} == {("dB", SECOND)}


def test_a_level_is_stuck_after_its_time_and_not_by_coming_back() -> None:
    times = iter((0, STUCK_NS, STUCK_NS + 1, STUCK_NS + 2, STUCK_NS + 3))
    meter = _meter("A", lambda: next(times))
    levels = (46.0, 46.0, 46.0, 46.1, 46.0)
    stuck = [meter._is_stuck(level) for level in levels]
    assert stuck == [False, False, True, False, False]
