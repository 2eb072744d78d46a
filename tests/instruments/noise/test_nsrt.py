import math
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import SourceError
from instruments.noise.handheld import STUCK_NS
from instruments.noise.nsrt import DRIVER, Nsrt
from instruments.reading import Status
from instruments.simulated.sound_meters import (
    Fault,
    SimulatedDt8852,
    SimulatedNsrt,
    fan_noise,
)
from tests import needs
from tests.instruments.given import given
from tests.instruments.noise.pty_bench import Plug, hurried_ns, no_sleep, wait_for_bytes

pytestmark = needs.pseudo_terminals


@pytest.fixture
def meter() -> Iterator[SimulatedNsrt]:
    meter = SimulatedNsrt()
    yield meter
    meter.close()


@pytest.fixture
def source(meter: SimulatedNsrt) -> Iterator[Nsrt]:
    source = Nsrt(
        given(DRIVER, "meter", device=meter.path),
        timeout_s=0.4,
        clock=hurried_ns,
        sleep=no_sleep,
    )
    yield source
    source.close()


def test_it_says_who_it_is_and_takes_its_settings(
    meter: SimulatedNsrt, source: Nsrt
) -> None:
    identity = source.open()
    assert identity.model == "NSRT_mk3_Dev"
    assert identity.serial == "SIM00001"
    assert identity.simulated
    assert meter.weighting == 1
    assert meter.tau == 0.125


def test_a_reading_is_the_mean_since_the_last_and_the_highest(source: Nsrt) -> None:
    source.open()
    first, second = source.read(), source.read()
    assert first.values == pytest.approx((46.0, 46.0), abs=1.5)
    assert first.statuses == (Status.OK, Status.OK)
    assert second.start_ns == first.end_ns
    assert len(bytes.fromhex(first.raw.decode())) == 9 * 4


def test_after_a_pause_the_mean_begins_anew(meter: SimulatedNsrt) -> None:
    paused = 0

    def clock() -> int:
        return hurried_ns() + paused

    source = Nsrt(
        given(DRIVER, "meter", device=meter.path), clock=clock, sleep=no_sleep
    )
    source.open()
    paused = 20_000_000_000
    resumed = clock()
    assert source.read().start_ns >= resumed
    source.close()


@pytest.mark.parametrize("level", [400.0, -math.inf])
def test_a_level_that_cannot_be_is_none(source: Nsrt, level: float) -> None:
    meter = SimulatedNsrt(lambda: level)
    source = Nsrt(
        given(DRIVER, "meter", device=meter.path), clock=hurried_ns, sleep=no_sleep
    )
    if math.isinf(level):
        with pytest.raises(SourceError, match="not an answer of an NSRT"):
            source.open()
    else:
        source.open()
        reading = source.read()
        assert reading.statuses == (Status.ERROR, Status.ERROR)
        assert all(map(math.isnan, reading.values))
    source.close()
    meter.close()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault.SILENT, "no answer within 0.4 s"),
        (Fault.CUT, "2 of 4 bytes within 0.4 s"),
        (Fault.GARBAGE, "not an answer of an NSRT|weighting is no longer"),
    ],
)
def test_a_fault_is_a_lost_source_and_it_comes_back(
    meter: SimulatedNsrt, source: Nsrt, fault: Fault, reason: str
) -> None:
    source.open()
    meter.fault = fault
    with pytest.raises(SourceError, match=reason):
        source.read()
    meter.fault = Fault.NONE
    source.open()
    assert source.read().statuses == (Status.OK, Status.OK)


def test_a_level_that_never_changes_is_stale(meter: SimulatedNsrt) -> None:
    skipped = 0

    def clock() -> int:
        return hurried_ns() + skipped

    source = Nsrt(
        given(DRIVER, "meter", device=meter.path), clock=clock, sleep=no_sleep
    )
    meter.fault = Fault.FROZEN
    source.open()
    assert source.read().statuses == (Status.OK, Status.OK)
    skipped = STUCK_NS
    source.read()
    skipped *= 2
    assert source.read().statuses == (Status.STALE, Status.STALE)
    meter.fault = Fault.NONE
    assert source.read().statuses == (Status.OK, Status.OK)
    source.close()


def test_a_late_answer_is_not_taken_for_the_next(
    meter: SimulatedNsrt, source: Nsrt
) -> None:
    source.open()
    meter.send(struct.pack("<f", 80.0))
    wait_for_bytes(meter.path)
    assert source.read().values == pytest.approx((46.0, 46.0), abs=1.5)


def test_another_meter_there_is_refused() -> None:
    other = SimulatedDt8852(fan_noise)
    source = Nsrt(
        given(DRIVER, "meter", device=other.path), clock=hurried_ns, sleep=no_sleep
    )
    with pytest.raises(SourceError, match=r"of an NSRT|not an answer of an NSRT"):
        source.open()
    other.close()


def test_unplugged_and_back(tmp_path: Path) -> None:
    plug = Plug(tmp_path)
    first = SimulatedNsrt()
    plug.plug_in(first.path)
    source = Nsrt(
        given(DRIVER, "meter", device=str(plug.device)),
        clock=hurried_ns,
        sleep=no_sleep,
    )
    source.open()
    first.close()
    with pytest.raises(SourceError, match="the serial port is gone"):
        source.read()
    second = SimulatedNsrt()
    plug.plug_in(second.path)
    source.open()
    assert source.read().statuses == (Status.OK, Status.OK)
    source.close()
    second.close()


def test_a_port_that_may_not_be_opened_or_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such serial port"):
        Nsrt(given(DRIVER, "meter", device=str(tmp_path / "ttyACM9"))).open()
    plain = tmp_path / "plain"
    plain.write_text("no port")
    with pytest.raises(SourceError, match=str(plain)):
        Nsrt(given(DRIVER, "meter", device=str(plain))).open()
