"""What cannot be is a gap with a reason, whatever a device says of it."""

import math

import pytest

from instruments.bounds import within_bounds
from instruments.reading import Channel, Reading, Status


@pytest.mark.parametrize(
    ("quantity", "unit", "possible", "impossible"),
    [
        ("temperature", "degC", (-40, 0, 127, 150), (-273, -128, -99.9, 255, 3276.8)),
        ("any", "degC", (-40, 85), (-55.1, 999, math.inf, -math.inf)),
        ("humidity", "%", (0, 100), (-1, 101, 127, 255)),
        ("wear", "%", (0, 255), (-999,)),  # NVMe counts up to 255 % of its life
        ("fan", "1/min", (0, 38_000), (-1, 65_535, 2**31 - 1)),
        ("voltage", "V", (-12, 0, 690), (6553.5, -3276.8)),
        ("current", "A", (-20, 400), (2**31 - 1, -32_768)),
        ("power", "W", (0, 90_000), (-1, 2**31 - 1)),
        ("apparent_power", "VA", (0, 90_000), (-1, 2**32 - 1)),
        ("frequency", "Hz", (0, 50, 400), (-0.1, 499.9, 2**31 - 1)),
        ("energy", "Wh", (0, 4e9), (-1,)),
        # A meter tells what is fed in, and a clamp that is the wrong way round.
        ("P", "W", (-3500.5, 0, 90_000), (-(2**31), 2**31 - 1)),
        ("S", "VA", (0, 90_000), (-1, 2**32 - 1)),
        ("Q", "var", (-3500, 3500), (2**31 - 1,)),
        ("Wh", "Wh", (-1200.5, 4e9), (-1e15,)),
        ("lambda", "", (-1, 0, 1.001), (99, -999, 1000)),
        ("LAeq", "dB", (12.5, 130), (6553.5, -999)),
        ("phi", "deg", (-180, 359.9), (9999, -999)),
        ("thd", "%", (0, 450), (6553.5, -999)),
        ("power_on_hours", "h", (0, 150_000), (-1, 2**32 - 1)),
        ("reallocated", "", (0, 2**32), ()),
    ],
)
def test_a_number_beyond_its_quantity_is_a_gap(
    quantity: str,
    unit: str,
    possible: tuple[float, ...],
    impossible: tuple[float, ...],
) -> None:
    channels = (Channel("rack", quantity, unit, "one"),)
    for value in possible:
        reading = Reading(channels, 0, 1, (value,), (Status.WARN,))
        assert within_bounds(reading) is reading
    for value in impossible:
        found = within_bounds(Reading(channels, 0, 1, (value,), (Status.OK,)))
        assert math.isnan(found.values[0])
        assert found.statuses == (Status.ABSENT,)
        assert f"rack.{quantity}.one says {value:g}" in found.trouble


def test_only_what_is_wrong_goes_and_is_named() -> None:
    names = ("in", "out", "a", "b", "c")
    channels = tuple(Channel("rack", "temperature", "degC", name) for name in names)
    values = (21.0, math.nan, 255.0, 999.0, -999.0)
    statuses = (Status.OK, Status.TIMEOUT, *[Status.OK] * 3)
    found = within_bounds(Reading(channels, 0, 1, values, statuses, trouble="late"))
    assert found.values[0] == 21.0
    assert found.statuses == (Status.OK, Status.TIMEOUT, *[Status.ABSENT] * 3)
    assert found.trouble.startswith("late; rack.temperature.a says 255 °C, ")
