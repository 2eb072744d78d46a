"""Lags of the simulated instruments: known offsets of power and sound, late answers."""

import time

import pytest

from instruments.errors import SourceError
from instruments.simulated.bench import BenchConfig, BenchModel
from instruments.simulated.client import LineClient
from instruments.simulated.lag import DelayLine, Lags
from instruments.simulated.physics import FULL_RPM, Load
from instruments.simulated.process import SimulatorProcess
from instruments.simulated.server import SimulatedBench

STEP_S = 0.05


@pytest.mark.parametrize("lag_s", [0.0, 0.05, 0.3, 1.0])
def test_a_value_comes_out_that_much_later(lag_s: float) -> None:
    line = DelayLine[int]()
    out = [line.pass_on(n, STEP_S, lag_s) for n in range(40)]
    behind = round(lag_s / STEP_S)
    assert out == [max(0, n - behind) for n in range(40)]


def test_a_shorter_lag_leaves_out_what_was_held() -> None:
    line = DelayLine[int]()
    for n in range(20):
        line.pass_on(n, STEP_S, 0.5)
    assert line.pass_on(20, STEP_S, 0.0) == 20


def seconds_until_seen(lags: Lags) -> float:
    """Load the bench at full; get the seconds until the power meter shows it."""
    model = BenchModel(BenchConfig(lags=lags))
    model.acquisition.current.choose(10.0)
    for _ in range(60):
        model._step(STEP_S)
    model._load = Load(random_read=1.0)
    for step in range(1, 100):
        model._step(STEP_S)
        if model.acquisition.values["P"] > 750.0:
            return step * STEP_S
    return float("nan")


def seconds_until_heard(lags: Lags) -> float:
    """Let the fans run at full speed; get the seconds until the sound meter hears."""
    model = BenchModel(BenchConfig(lags=lags))
    for _ in range(60):
        model._step(STEP_S)
    model.enclosure.rpm = FULL_RPM
    for step in range(1, 100):
        model._step(STEP_S)
        if model.sound.maximum > 75.0:
            return step * STEP_S
    return float("nan")


def test_the_offset_of_power_and_sound_is_what_was_set() -> None:
    seen, heard = seconds_until_seen(Lags()), seconds_until_heard(Lags())
    assert (seen, heard) == pytest.approx((0.1, 0.05), abs=0.06)
    for lag_s in (0.4, 1.5):
        both = Lags(power=lag_s, sound=lag_s)
        assert seconds_until_seen(both) - seen == pytest.approx(lag_s, abs=0.01)
        assert seconds_until_heard(both) - heard == pytest.approx(lag_s, abs=0.01)


def test_lags_are_set_by_line_and_answers_come_later() -> None:
    with SimulatedBench(BenchConfig()) as bench:
        client = LineClient(f"127.0.0.1:{bench.enclosure_port}", "enclosure")
        for name in ("POWer", "SOUNd"):
            assert client.ask(f"SIMulate:LAG:{name} 0.25") == "OK"
            assert client.ask(f"SIMulate:LAG:{name}?") == "0.25"
        assert bench.model.lags == Lags(0.25, 0.25)
        assert client.ask("SIM:DEL 0.2") == "OK"
        began = time.monotonic()
        client.ask("NOISE?")
        assert time.monotonic() - began >= 0.2
        with pytest.raises(SourceError, match="is not a number from 0 to 60"):
            client.ask("SIM:DEL -1")
        client.close()


def test_a_bench_starts_with_its_lags() -> None:
    with SimulatorProcess(lags=Lags(0.3, 0.2, 0.01)) as running:
        client = LineClient(running.enclosure_address, "enclosure")
        asked = ("SIM:LAG:POW?", "SIM:LAG:SOUN?", "SIM:DEL?")
        assert [client.ask(each) for each in asked] == ["0.3", "0.2", "0.01"]
        client.close()
