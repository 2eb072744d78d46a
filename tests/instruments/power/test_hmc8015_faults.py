"""An HMC8015 that fails: what is said, that the source comes back, and with what."""

import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from instruments.errors import SourceError
from instruments.power.hmc8015.config import Config
from instruments.power.hmc8015.driver import HMC8015
from instruments.reading import Reading, Status
from instruments.simulated.bench import BenchConfig
from instruments.simulated.faults import parse_fault
from instruments.simulated.server import SimulatedBench
from instruments.tools import command

PATIENCE_S = 60.0
CLOSED = "closed at the other end"


@pytest.fixture
def bench() -> Iterator[SimulatedBench]:
    with SimulatedBench(BenchConfig(speedup=20)) as running:
        yield running


@pytest.fixture
def meter(bench: SimulatedBench) -> Iterator[HMC8015]:
    with closing(meter_of(bench)) as made:
        yield made


def meter_of(
    bench: SimulatedBench, clock: Callable[[], int] = time.monotonic_ns
) -> HMC8015:
    resource = f"TCPIP::127.0.0.1::{bench.meter_port}::SOCKET"
    return HMC8015("mains", resource, Config(current_range=20), clock=clock)


def fail(bench: SimulatedBench, text: str) -> None:
    bench.model.faults.set(parse_fault(text))


def power(reading: Reading) -> tuple[float, Status]:
    assert reading.channels[0].quantity == "P"
    return reading.values[0], reading.statuses[0]


def read_until(meter: HMC8015, status: Status) -> Reading:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        reading = meter.read()
        if power(reading)[1] is status:
            return reading
        time.sleep(0.05)
    raise AssertionError(f"it never was {status}")


def open_again(meter: HMC8015) -> Reading:
    """Open as the source's owner does, with a wait in between; read once."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            meter.open()
            return read_until(meter, Status.OK)
        except SourceError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def check_good(reading: Reading) -> None:
    value, status = power(reading)
    assert status is Status.OK
    assert 500 < value < 900
    ranges = dict(
        zip((c.quantity for c in reading.channels), reading.values, strict=True)
    )
    assert ranges["I_range"] == 20.0


def test_a_reset_in_mid_answer(bench: SimulatedBench, meter: HMC8015) -> None:
    meter.open()
    fail(bench, "reset")
    with pytest.raises(SourceError, match=CLOSED) as caught:
        meter.read()
    assert caught.value.status is Status.ERROR  # and no time-out
    bench.model.faults.clear()
    check_good(open_again(meter))


def test_a_slow_meter_is_waited_for(bench: SimulatedBench, meter: HMC8015) -> None:
    meter.open()
    fail(bench, "slow")
    reading = meter.read()
    check_good(reading)
    assert (reading.end_ns - reading.start_ns) / 1e9 > 0.6


def test_a_reboot_is_a_gap_and_all_is_set_again_after_it(
    bench: SimulatedBench, meter: HMC8015
) -> None:
    meter.open()
    fail(bench, "reboot,600,meter")
    errors: set[str] = set()
    deadline = time.monotonic() + PATIENCE_S
    while not any("connection refused" in what for what in errors):
        assert time.monotonic() < deadline
        try:
            meter.read()
        except SourceError as error:
            errors.add(error.what)
        try:
            meter.open()
        except SourceError as error:
            errors.add(error.what)
        time.sleep(0.1)
    bench.model.faults.clear()  # it is up again
    check_good(open_again(meter))
    # What it was told survives in the driver, not in the meter.
    assert bench.model.acquisition.current.range == 20.0
    assert bench.model.acquisition.integrator.running


def test_a_second_client_that_kicks_the_first(
    bench: SimulatedBench, meter: HMC8015
) -> None:
    meter.open()
    fail(bench, "kick")
    with closing(meter_of(bench)) as second:
        second.open()
        with pytest.raises(SourceError, match=CLOSED):
            meter.read()
        check_good(second.read())
    bench.model.faults.clear()
    check_good(open_again(meter))


def test_a_late_answer_is_never_taken_for_the_next(
    bench: SimulatedBench, meter: HMC8015
) -> None:
    meter.open()
    fail(bench, "late")
    with pytest.raises(SourceError, match="no answer within") as caught:
        meter.read()
    assert caught.value.status is Status.TIMEOUT
    bench.model.faults.clear()
    with pytest.raises(SourceError, match="closed after an error"):
        meter.read()  # even where its owner would ask again
    check_good(open_again(meter))


def test_a_frozen_meter_is_noticed_and_comes_back(bench: SimulatedBench) -> None:
    # Ten times as fast a clock: three seconds pass in 0.3.
    with closing(meter_of(bench, lambda: 10 * time.monotonic_ns())) as meter:
        meter.open()
        fail(bench, "frozen")
        reading = read_until(meter, Status.STALE)
        assert math.isnan(power(reading)[0])
        bench.model.faults.clear()
        read_until(meter, Status.OK)


def test_bursts_without_values_are_gaps_and_nothing_else(
    bench: SimulatedBench, meter: HMC8015
) -> None:
    meter.open()
    fail(bench, "nan")
    gap = read_until(meter, Status.NAN)
    assert math.isnan(power(gap)[0])
    assert b"NAN" in gap.raw
    check_good(read_until(meter, Status.OK))


def test_a_range_changed_by_hand_is_set_back(
    bench: SimulatedBench, meter: HMC8015
) -> None:
    meter.open()
    with bench.model.lock:
        bench.model.acquisition.current.choose(10.0)
    read_until(meter, Status.NAN)
    with pytest.raises(SourceError, match="has become 10E\\+00 instead of 20"):
        read_until(meter, Status.ERROR)
    check_good(open_again(meter))


def test_functions_changed_by_another_program_are_never_mistaken(
    bench: SimulatedBench, meter: HMC8015
) -> None:
    meter.open()
    functions = "URMS,IRMS,P,S,LAMB,WH,Q,FU,IPP,TIME"
    bench.answer_meter(f"CHAN1:MEAS:FUNC {functions}")
    with pytest.raises(SourceError, match="set up by somebody else"):
        meter.read()
    check_good(open_again(meter))


CRASHING = """
import os, signal, sys
from instruments.power.hmc8015.driver import HMC8015
HMC8015("mains", sys.argv[1]).open()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_after_a_crash_the_next_one_cleans_up(bench: SimulatedBench) -> None:
    resource = f"TCPIP::127.0.0.1::{bench.meter_port}::SOCKET"
    argv = [sys.executable, "-c", CRASHING, resource]
    with command.start(argv) as crashing:
        assert crashing.wait(PATIENCE_S) == -signal.SIGKILL
    assert bench.model.acquisition.integrator.running
    bench.answer_meter("NONSENSE")  # left in the error queue
    with closing(meter_of(bench)) as meter:
        reading = open_again(meter)
        check_good(reading)
        names = [channel.quantity for channel in reading.channels]
        assert reading.values[names.index("Wh")] < 1.0
    deadline = time.monotonic() + PATIENCE_S
    while bench.model.acquisition.integrator.running:
        assert time.monotonic() < deadline
        time.sleep(0.02)
