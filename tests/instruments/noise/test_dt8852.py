import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import SourceError
from instruments.noise.dt8852 import DRIVER, Dt8852
from instruments.noise.handheld import STUCK_NS
from instruments.reading import Status
from instruments.simulated.sound_meters import Fault, SimulatedDt8852
from instruments.tools.hosts import LocalHost
from tests import needs
from tests.instruments.given import given
from tests.instruments.noise.pty_bench import Plug, hurried_ns, read_until_lost

pytestmark = needs.pseudo_terminals


@pytest.fixture
def meter() -> Iterator[SimulatedDt8852]:
    meter = SimulatedDt8852(lambda: 46.0)
    # Only the weighting is left to switch; each further key takes its time.
    meter.settings |= {"speed": 0x02, "hold": 0x0E, "range": 0x40}
    yield meter
    meter.close()


@pytest.fixture
def source(meter: SimulatedDt8852) -> Iterator[Dt8852]:
    source = Dt8852(given(DRIVER, "meter", device=meter.path), clock=hurried_ns)
    yield source
    source.close()


def test_it_presses_keys_until_the_meter_is_set(meter: SimulatedDt8852) -> None:
    meter.settings |= {"speed": 0x03, "hold": 0x04, "range": 0x4C}
    source = Dt8852(
        given(DRIVER, "meter", device=meter.path, range="30-80"), clock=hurried_ns
    )
    identity = source.open()
    assert identity.simulated
    assert meter.settings == {
        "weighting": 0x1B,
        "speed": 0x02,
        "hold": 0x0E,
        "range": 0x30,
    }
    source.close()


def test_a_second_is_one_reading_of_mean_and_highest(source: Dt8852) -> None:
    source.open()
    first, second = source.read(), source.read()
    assert [channel.name for channel in first.channels] == [
        "meter.LAeq",
        "meter.LAFmax",
    ]
    assert first.values == pytest.approx((46.0, 46.0))
    assert first.statuses == (Status.OK, Status.OK)
    assert b"a50d0460a50b" in first.raw
    assert second.start_ns == first.end_ns
    assert 0.9e9 < second.end_ns - second.start_ns < 2.5e9


def test_a_level_out_of_range_is_a_gap_and_an_empty_battery_a_warning(
    meter: SimulatedDt8852, source: Dt8852
) -> None:
    meter.limit = 0x07
    source.open()
    reading = source.read()
    assert all(map(math.isnan, reading.values))
    assert reading.statuses == (Status.OVERRANGE, Status.OVERRANGE)
    meter.limit = 0x08
    source.read()  # of both
    assert source.read().statuses == (Status.UNDERRANGE, Status.UNDERRANGE)
    meter.limit, meter.battery = 0x11, 0x0F
    source.read()
    assert source.read().statuses == (Status.WARN, Status.WARN)


def test_a_held_display_is_lost_and_set_right_again(
    meter: SimulatedDt8852, source: Dt8852
) -> None:
    source.open()
    meter.settings["hold"] = 0x04
    with pytest.raises(SourceError, match="to MAX by hand"):
        read_until_lost(source)
    source.open()
    assert source.read().values == pytest.approx((46.0, 46.0))


def test_a_silent_meter_says_what_to_press(
    meter: SimulatedDt8852, source: Dt8852
) -> None:
    meter.fault = Fault.SILENT
    with pytest.raises(SourceError, match="Press SETUP") as caught:
        source.open()
    assert caught.value.status is Status.TIMEOUT
    meter.fault = Fault.NONE
    source.open()
    meter.fault = Fault.SILENT
    with pytest.raises(SourceError, match="sends no level"):
        read_until_lost(source)


@pytest.mark.parametrize("fault", [Fault.GARBAGE, Fault.CUT])
def test_what_is_no_stream_gives_no_level(
    meter: SimulatedDt8852, source: Dt8852, fault: Fault
) -> None:
    source.open()
    meter.fault = fault
    with pytest.raises(SourceError, match=r"not those of a DT-8852|sends no level"):
        read_until_lost(source)


def test_a_display_that_never_changes_is_stale(meter: SimulatedDt8852) -> None:
    skipped = 0

    def clock() -> int:
        return hurried_ns() + skipped

    source = Dt8852(given(DRIVER, "meter", device=meter.path), clock=clock)
    source.open()
    assert source.read().statuses == (Status.OK, Status.OK)
    skipped = STUCK_NS + 1
    assert source.read().statuses == (Status.STALE, Status.STALE)
    source.close()


def test_unplugged_and_back_at_the_same_name(tmp_path: Path) -> None:
    plug = Plug(tmp_path)
    settings = {"weighting": 0x1B, "speed": 0x02, "hold": 0x0E, "range": 0x40}
    first = SimulatedDt8852(lambda: 50.0)
    first.settings = dict(settings)
    plug.plug_in(first.path)
    source = Dt8852(given(DRIVER, "meter", device=str(plug.device)), clock=hurried_ns)
    source.open()
    assert source.read().values == pytest.approx((50.0, 50.0))
    first.close()
    with pytest.raises(SourceError, match="the serial port is gone") as caught:
        source.read()
    assert caught.value.status is Status.ABSENT
    with pytest.raises(SourceError, match="no such serial port"):
        source.open()
    second = SimulatedDt8852(lambda: 40.0)
    second.settings = dict(settings)
    plug.plug_in(second.path)
    source.open()
    assert source.read().values == pytest.approx((40.0, 40.0))
    source.close()
    second.close()


def test_a_port_that_somebody_else_reads_is_refused(
    meter: SimulatedDt8852, source: Dt8852
) -> None:
    source.open()
    other = Dt8852(given(DRIVER, "other", device=meter.path), clock=hurried_ns)
    with pytest.raises(SourceError, match="another program uses the serial port"):
        other.open()


def test_the_driver_takes_the_benches_keys() -> None:
    host = LocalHost()
    settings = DRIVER.settings(
        "meter", {"device": "/dev/null", "range": "50-100"}, host
    )
    source = DRIVER.build(settings)
    assert source.driver == "dt8852"
    assert [c.quantity for c in source.channels] == ["LAeq", "LAFmax"]
    assert all(found.values["device"] for found in DRIVER.discover(host))
