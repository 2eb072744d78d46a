"""Every simulated meter with the driver that is for it, over a real socket."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np  # before the threads: approx looks at what is there of it
import pytest

from app.bench.meters import load_meters
from instruments.base import Source
from instruments.driver import Driver
from instruments.errors import SourceError
from instruments.power import connect
from instruments.power.dialects import chroma, hioki, lmg, yokogawa
from instruments.power.dialects.described import described_driver
from instruments.power.hmc8015.driver import NPA_DRIVER
from instruments.reading import Reading, Status
from instruments.simulated.bench import BenchConfig
from instruments.simulated.faults import parse_fault
from instruments.simulated.meters.model import MODELS
from instruments.simulated.server import SimulatedBench
from instruments.tools.hosts import LocalHost


@dataclass(frozen=True)
class Pair:
    """A simulated meter, how a bench names it, and the model that answers."""

    meter: str
    driver: str
    keys: dict[str, object]
    model: str


DRIVERS: dict[str, Driver] = {
    "yokogawa": yokogawa.DRIVER,
    "hioki": hioki.DRIVER,
    "chroma": chroma.DRIVER,
    "npa": NPA_DRIVER,
    "lmg": lmg.DRIVER,
    "described": described_driver(load_meters(Path("no such folder"))),
}
PAIRS = (
    Pair("yokogawa", "yokogawa", {"element": ["1", "3"], "rate": 0.1}, "WT310"),
    Pair("gwinstek", "yokogawa", {"rate": 0.1}, "GPM-8213"),
    Pair("hioki", "hioki", {"element": ["1", "2"]}, "PW3336"),
    Pair("chroma", "chroma", {"element": ["2"]}, "66204"),
    Pair("npa", "npa", {}, "NPA101"),
    Pair("lmg", "lmg", {"cycle": 0.2}, "LMG95"),
    Pair("pa1000", "described", {"meter": "pa1000"}, "PA1000"),
)


def for_each(check: Callable[[Pair], None], *without: str) -> None:
    """Check all pairs at once, because most of the time is spent waiting."""
    pairs = [pair for pair in PAIRS if pair.meter not in without]
    with ThreadPoolExecutor(len(pairs)) as pool:
        futures = {pair.meter: pool.submit(check, pair) for pair in pairs}
    failed = {meter: f.exception() for meter, f in futures.items() if f.exception()}
    assert not failed, failed


@contextmanager
def bench(meter: str, *faults: str) -> Iterator[SimulatedBench]:
    with SimulatedBench(BenchConfig(meter=meter, faults=faults)) as running:
        yield running


def source(pair: Pair, running: SimulatedBench) -> Source:
    port = running.meter_port
    key, address = "resource", f"TCPIP::127.0.0.1::{port}::SOCKET"
    if pair.driver == "lmg":
        key, address = "address", f"127.0.0.1:{port}"
    driver = DRIVERS[pair.driver]
    settings = driver.settings("mains", {**pair.keys, key: address}, LocalHost())
    return driver.build(settings)


def value(reading: Reading, quantity: str) -> float:
    found = [channel.quantity for channel in reading.channels]
    return reading.values[found.index(quantity)]


def until(made: Source, good: Callable[[Reading], bool]) -> Reading:
    deadline = time.monotonic() + 60.0
    while True:
        reading = made.read()
        if good(reading):
            return reading
        assert time.monotonic() < deadline, reading
        time.sleep(0.05)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a meter be late: all answer in this one process, on a busy machine."""
    monkeypatch.setattr(connect, "TIMEOUT_S", 60.0)
    monkeypatch.setattr(lmg, "ANSWER_S", 60.0)


def test_each_model_has_its_driver() -> None:
    assert {pair.meter for pair in PAIRS} == set(MODELS) - {"hmc8015"}


@pytest.mark.usefixtures("patient")
def test_what_the_mains_see_is_what_is_read() -> None:
    def check(pair: Pair) -> None:
        with bench(pair.meter) as running:
            made = source(pair, running)
            identity = made.open()
            reading = until(made, lambda r: set(r.statuses) == {Status.OK})
            made.close()
        assert identity.simulated
        assert identity.model == pair.model
        assert 500.0 < value(reading, "P") < 1000.0
        assert 228.0 < value(reading, "U") < 232.0
        apparent = value(reading, "U") * value(reading, "I")
        assert value(reading, "S") == pytest.approx(apparent, rel=0.05)
        assert value(reading, "f") == pytest.approx(50.0, abs=0.1)
        assert 0.9 < value(reading, "lambda") <= 1.0
        assert reading.raw

    for_each(check)


@pytest.mark.usefixtures("patient")
def test_energy_is_counted_from_the_opening_to_the_close() -> None:
    def check(pair: Pair) -> None:
        with bench(pair.meter) as running:
            made = source(pair, running)
            made.open()
            first = until(made, lambda r: value(r, "Wh") > 0.0)
            assert value(first, "Wh") < 0.5  # 580 W for a second are 0.16 Wh
            until(made, lambda r: value(r, "Wh") > value(first, "Wh"))
            made.close()
            wait_until(lambda: not running.model.acquisition.integrator.running)

    for_each(check, "lmg")


def wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60.0
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("drop", Status.ERROR),
        ("reset", Status.ERROR),
        ("garbage", Status.ERROR),
        ("half", Status.TIMEOUT),
        ("late", Status.TIMEOUT),
        ("refuse", Status.ERROR),
    ],
)
def test_a_fault_ends_in_one_sentence_and_the_meter_comes_back(
    fault: str, status: Status
) -> None:
    def check(pair: Pair) -> None:
        with bench(pair.meter) as running:
            made = source(pair, running)
            made.open()
            made.read()
            running.model.faults.set(parse_fault(fault))
            error = failure(made)
            assert error.status is status, error
            assert "\n" not in str(error)
            assert "mains" in str(error)
            running.model.faults.clear()
            made.close()
            reopen(made)
            reading = until(made, lambda r: r.statuses[0] is Status.OK)
            assert 500.0 < value(reading, "P") < 1000.0
            made.close()

    for_each(check)


def failure(made: Source) -> SourceError:
    """Read until it fails; what was on its way before the fault still arrives."""
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline:
        try:
            made.read()
        except SourceError as error:
            return error
    raise AssertionError("it never failed")


def reopen(made: Source) -> None:
    """Open again as its owner does, which waits a while where it does not succeed."""
    deadline = time.monotonic() + 60.0
    while True:
        try:
            made.open()
            return
        except SourceError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("fault", ["pieces", "slow"])
def test_an_answer_in_pieces_or_a_slow_one_is_legal(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All meters answer at once here, and each byte's pause is longer on a busy machine.
    monkeypatch.setattr("instruments.simulated.faults.PIECE_PAUSE_S", 0.0)

    def check(pair: Pair) -> None:
        with bench(pair.meter) as running:
            made = source(pair, running)
            made.open()
            until(made, lambda r: r.statuses[0] is Status.OK)
            running.model.faults.set(parse_fault(fault))
            reading = made.read()
            running.model.faults.clear()
            made.close()
        assert 500.0 < value(reading, "P") < 1000.0

    # A slow answer to each of nine questions takes seconds.
    for_each(check, "chroma")


@pytest.mark.usefixtures("patient")
def test_values_that_stay_away_are_gaps() -> None:
    def check(pair: Pair) -> None:
        with bench(pair.meter, "nan") as running:
            made = source(pair, running)
            made.open()
            reading = until(made, lambda r: Status.NAN in r.statuses)
            made.close()
        for number, status in zip(reading.values, reading.statuses, strict=True):
            assert bool(np.isnan(number)) is (status is Status.NAN)

    for_each(check)


@pytest.mark.usefixtures("patient")
def test_a_frozen_meter_says_so_where_it_can() -> None:
    def check(pair: Pair) -> None:
        with bench(pair.meter) as running:
            made = source(pair, running)
            made.open()
            running.model.faults.set(parse_fault("frozen"))
            reading = until(made, lambda r: Status.STALE in r.statuses)
            made.close()
        assert pair.meter == "lmg" or np.isnan(value(reading, "Wh"))

    # These do not tell how long they have integrated.
    for_each(check, "chroma", "pa1000")


@pytest.mark.usefixtures("patient")
def test_another_meter_is_refused_and_left_alone() -> None:
    def check(pair: Pair) -> None:
        with bench("hioki" if pair.meter != "hioki" else "yokogawa") as running:
            made = source(pair, running)
            with pytest.raises(SourceError, match="answers there"):
                made.open()
            made.close()
            assert not running.model.acquisition.integrator.running

    for_each(check)
