"""Steps, ranging and capture: against a script, and against the simulated meter."""

import math
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from instruments.base import Stepped
from instruments.errors import SourceError
from instruments.power.hmc8015.config import Config
from instruments.power.hmc8015.driver import HMC8015
from instruments.power.hmc8015.functions import find_functions
from instruments.power.ranging import Capturing, Ranging
from instruments.reading import ONCE_NS, SECOND, Reading, Status
from instruments.simulated.bench import BenchConfig
from instruments.simulated.server import SimulatedBench
from tests.instruments.power.dialect_bench import Clock
from tests.instruments.power.hmc8015_script import (
    DATA,
    END,
    INTEGRATE,
    NO_ERROR,
    ORDER,
    confirmed,
    data,
    meter,
    opening,
    ranges,
    read,
    use,
)
from tests.instruments.scripted import Line

PATIENCE_S = 60.0


def named(reading: Reading) -> dict[str, float]:
    names = (channel.quantity for channel in reading.channels)
    return dict(zip(names, reading.values, strict=True))


def statuses(reading: Reading) -> dict[str, Status]:
    names = (channel.quantity for channel in reading.channels)
    return dict(zip(names, reading.statuses, strict=True))


def test_a_step_integrates_from_its_begin_to_its_end() -> None:
    last = DATA.replace(",1.0E+00", ",3.6E+03").replace("16E-03", "580E+00")
    lines: list[Line] = [
        *opening(),
        *INTEGRATE,
        *read(),
        *(*confirmed("INT:STOP"), *read(last), *INTEGRATE),
        *END,
    ]
    clock = Clock()
    driver, script = meter(lines, clock=clock)
    driver.open()
    driver.begin_step("Idle", under_load=False)
    driver.read()
    (reading,) = driver.end_step()
    driver.close()
    script.finish()
    assert named(reading) == {"Wh_step": 580.0, "integration_time": 3600.0}
    assert set(reading.statuses) == {Status.OK}
    assert [channel.unit for channel in reading.channels] == ["Wh", "s"]
    assert {channel.period_ns for channel in reading.channels} == {ONCE_NS}
    assert reading.raw == last.encode()


def test_a_step_with_ranges_of_its_own_sets_them_and_the_next_sets_them_back() -> None:
    lines: list[Line] = [
        *opening(),
        *(*ranges("300", "0.2"), data(), *INTEGRATE),
        *INTEGRATE,
        *(*ranges(), data(), *INTEGRATE),
        *END,
    ]
    config = Config(step_ranges={"Off": (300.0, 0.2)})
    driver, script = meter(lines, config=config)
    driver.open()
    for label in ("Off", "Off", "Idle"):
        driver.begin_step(label, under_load=False)
    driver.close()
    script.finish()


def test_further_functions_are_read_by_ten_between_two_steps() -> None:
    names = [f"I_h{order}" for order in range(1, 12)]
    first = ",".join(f"IK{order}" for order in range(1, 11))
    ten = ",".join(f"{order}E-03" for order in range(1, 11))
    in_amounts = [*confirmed("VIEW:HARM:SCAL ABS"), NO_ERROR]
    lines: list[Line] = [
        *opening(),
        *(*confirmed("INT:STOP"), *read()),
        *(*in_amounts, *use(first), data(ten), *read(ten, first)),
        *(*in_amounts, *use("IK11"), data("11E-03"), *read("11E-03", "IK11")),
        *(*use(ORDER), data(), *INTEGRATE),
        *END,
    ]
    config = Config(extra=find_functions(names, "extra"))
    driver, script = meter(lines, config=config)
    driver.open()
    energy, most, rest = driver.end_step()
    driver.close()
    script.finish()
    # It began to integrate before the step, so the energy is not the step's.
    assert set(energy.statuses) == {Status.ERROR}
    assert all(math.isnan(value) for value in energy.values)
    assert {**named(most), **named(rest)} == {
        f"I_h{order}": pytest.approx(order / 1000) for order in range(1, 12)
    }
    resident = {channel.quantity for channel in driver.channels}
    assert not resident & set(names)


def test_a_range_that_is_not_taken_at_a_step_loses_the_source() -> None:
    refused = [*ranges("300", "0.2")]
    refused[-1] = ("SYST:ERR?", '-222,"Data out of range"')
    lines = [*opening(), *refused, NO_ERROR, *END]
    driver, script = meter(lines, config=Config(step_ranges={"Off": (300.0, 0.2)}))
    driver.open()
    with pytest.raises(SourceError, match="-222"):
        driver.begin_step("Off", under_load=False)
    driver.close()
    script.finish()


def test_a_beat_just_before_the_refresh_waits_for_it() -> None:
    fresh = DATA.replace("580.2", "581.3")
    clock = Clock()
    driver, script = meter(
        [*opening(), *read(), data(), *read(fresh), *END], clock=clock
    )
    driver.open()
    driver.read()
    assert driver.read().values[0] == 581.3
    driver.close()
    script.finish()
    assert clock.slept[-1] == 0.02


def test_a_slow_link_has_its_functions_checked_once_a_second() -> None:
    class Slow(Clock):
        def __call__(self) -> int:
            self.now += SECOND // 25
            return self.now

    clock = Slow()
    fresh = [DATA.replace("580.2", f"58{n}.2") for n in range(1, 3)]
    lines = [*opening(), *(data(answer) for answer in fresh), *END]
    driver, script = meter(lines, clock=clock)
    driver.open()
    assert [driver.read().values[0] for _ in fresh] == [581.2, 582.2]
    driver.close()
    script.finish()


def test_a_lost_link_does_not_leave_it_ranging_or_capturing(
    bench: SimulatedBench,
) -> None:
    with closing(meter_of(bench, Config(period_s=0.5))) as driver:
        driver.open()
        driver.begin_ranging()
        driver.close()
        with pytest.raises(SourceError, match="not open"):
            driver.end_ranging("Idle")
        with pytest.raises(SourceError, match="not open"):
            driver.begin_capture()
        with pytest.raises(SourceError, match="not open"):
            driver.end_capture()
        assert driver.period_s == 0.5
        driver.open()
        assert named(driver.read())["I_range"] == 10.0
        assert not bench.model.acquisition.current.automatic


def test_it_can_all_that_a_meter_may() -> None:
    driver, _ = meter()
    assert isinstance(driver, Stepped)
    assert isinstance(driver, Ranging)
    assert isinstance(driver, Capturing)


@pytest.fixture
def bench() -> Iterator[SimulatedBench]:
    with SimulatedBench(BenchConfig(speedup=20)) as running:
        yield running


def meter_of(bench: SimulatedBench, config: Config | None = None) -> HMC8015:
    resource = f"TCPIP::127.0.0.1::{bench.meter_port}::SOCKET"
    return HMC8015("mains", resource, config)


def test_a_ranging_pass_finds_the_ranges_of_standby(bench: SimulatedBench) -> None:
    with bench.model.lock:
        bench.model.enclosure.switch(on=False)
    with closing(meter_of(bench)) as driver:
        driver.open()
        driver.begin_ranging()
        seen = [driver.read() for _ in range(5)]
        plan = driver.end_ranging("Standby")
        assert named(driver.read())["I_range"] == 10.0
        driver.begin_step("Standby", under_load=False)
        reading = driver.read()
    assert (plan.voltage.range, plan.current.range) == (300.0, 0.2)
    assert plan.current.suffices
    assert plan.current.seen.crest_factor == pytest.approx(1.5, abs=0.1)
    assert set(named(seen[0])) == {"P", "U", "I", "U_range", "I_range"}
    assert named(seen[-1])["I_range"] == 0.2
    assert named(reading)["I_range"] == 0.2
    assert named(reading)["P"] == pytest.approx(15, abs=1)
    assert not bench.model.acquisition.current.automatic


def test_a_ranging_pass_without_values_is_an_error(bench: SimulatedBench) -> None:
    with closing(meter_of(bench)) as driver:
        driver.open()
        driver.begin_ranging()
        with pytest.raises(SourceError, match="no value for voltage or current"):
            driver.end_ranging("Standby")
        assert statuses(driver.read())["P"] is Status.OK


def test_an_overflow_while_ranging_asks_for_more(bench: SimulatedBench) -> None:
    with closing(meter_of(bench)) as driver:
        driver.open()
        driver.begin_ranging()
        with bench.model.lock:
            bench.model.acquisition.share = 40.0  # some 100 A, more than it can take
        deadline = time.monotonic() + PATIENCE_S
        while statuses(driver.read())["I"] is not Status.OVERRANGE:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with bench.model.lock:
            bench.model.acquisition.share = 1.0
        while statuses(driver.read())["I"] is not Status.OK:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        plan = driver.end_ranging("Start-up")
    assert plan.current.range == 20.0
    assert not plan.current.suffices


def test_a_capture_waits_for_each_refresh_and_reads_it_once() -> None:
    few = "P,URMS,IRMS"
    first, second = "580.2E+00,230.1E+00,2.58E+00", "981.0E+00,229.8E+00,4.36E+00"
    lines: list[Line] = [
        *opening(),
        *(*use(few), data(first)),
        *read(first, few),
        *(data(first), data(first), *read(second, few)),
        *(*use(ORDER), data(), *read()),
        *END,
    ]
    clock = Clock()
    driver, script = meter(lines, clock=clock, config=Config(period_s=0.5))
    driver.open()
    driver.begin_capture()
    assert driver.period_s == 0.1
    before = len(clock.slept)
    assert named(driver.read())["P"] == 580.2
    assert clock.slept[before:] == []
    assert named(driver.read())["P"] == 981.0
    assert clock.slept[before:] == [0.02, 0.02]
    driver.end_capture()
    assert driver.period_s == 0.5
    assert "lambda" in named(driver.read())
    driver.close()
    script.finish()


def test_a_capture_of_the_simulated_meter_has_every_value(
    bench: SimulatedBench,
) -> None:
    with closing(meter_of(bench, Config(period_s=0.5))) as driver:
        driver.open()
        driver.begin_capture()
        readings = [driver.read() for _ in range(6)]
        driver.end_capture()
        assert "lambda" in named(driver.read())
    assert {statuses(reading)["P"] for reading in readings} == {Status.OK}
    # The last ones are those of later refreshes, however late a busy machine is.
    assert len({reading.raw for reading in readings}) > 1


def test_a_lost_link_in_a_step_keeps_its_ranges_but_not_its_energy(
    bench: SimulatedBench,
) -> None:
    config = Config(step_ranges={"Off": (300.0, 5.0)})
    with closing(meter_of(bench, config)) as driver:
        with pytest.raises(SourceError, match="not open"):
            driver.begin_step("Off", under_load=True)
        driver.open()  # as after an error
        assert named(driver.read())["I_range"] == 5.0
        (energy,) = driver.end_step()
    assert bench.model.acquisition.current.range == 5.0
    assert set(energy.statuses) == {Status.ERROR}


def test_a_clipped_peak_makes_power_overrange_and_energy_uncertain(
    bench: SimulatedBench,
) -> None:
    with bench.model.lock:
        bench.model.acquisition.crest = 20.0
    with closing(meter_of(bench)) as driver:
        driver.open()
        seen = statuses(driver.read())
    assert seen["P"] is seen["I"] is seen["I_peak_max"] is Status.OVERRANGE
    assert seen["U"] is Status.OK
    assert seen["Wh"] is Status.WARN


def test_twenty_polls_a_second_mark_every_second_one(bench: SimulatedBench) -> None:
    with closing(meter_of(bench, Config(period_s=0.05))) as driver:
        driver.open()
        found: list[Status] = []
        deadline = time.monotonic() + PATIENCE_S
        while min(map(found.count, (Status.OK, Status.STALE))) < 8:
            assert time.monotonic() < deadline, found
            found.append(statuses(driver.read())["P"])
            time.sleep(0.05)
    assert set(found) == {Status.OK, Status.STALE}


def test_the_front_panel_is_free_after_the_end(bench: SimulatedBench) -> None:
    meter = bench.model.meter
    with closing(meter_of(bench)) as driver:
        driver.open()
        assert getattr(meter, "remote")  # noqa: B009  (not of every model)
    deadline = time.monotonic() + PATIENCE_S
    while getattr(meter, "remote"):  # noqa: B009
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert not bench.model.acquisition.integrator.running
