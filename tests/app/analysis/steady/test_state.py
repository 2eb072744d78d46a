"""Steady state: each rule on known rounds, all quantities together, live and stored."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from app.analysis.steady.fio import cross_check
from app.analysis.steady.rounds import Rounds, rounds_of
from app.analysis.steady.rules import LastOfRule, SlopeRule, Tolerance, WindowRule
from app.analysis.steady.state import KELVIN, METHODS, Quantity, SteadyWatch
from app.record.store import Session, SessionInfo, Writer
from instruments.reading import SECOND, Channel, Identity
from workloads.fio.steady import fio_steady_states

START = 1_000 * SECOND
NOBODY = Identity("", "", "", "", "")


def test_the_window_is_steady_at_its_limits_and_not_beyond() -> None:
    rule = WindowRule()
    # Range 20 % of the mean, no slope: 90, 110, 100, 110, 90.
    assert rule.judge([90, 110, 100, 110, 90], "W").steady
    found = rule.judge([89, 111, 100, 111, 89], "W")
    assert not found.steady
    assert found.why == "range 22 % is above 20 % (rounds 1 to 5)"
    # A line that rises by 10 % of its mean over four steps, and one steeper.
    assert rule.judge([95, 97.5, 100, 102.5, 105], "W").steady
    found = rule.judge([94, 97, 100, 103, 106], "W")
    assert found.why == "rise +12 % is beyond ±10 % (rounds 1 to 5)"


def test_only_the_last_five_rounds_count() -> None:
    found = WindowRule().judge([500, 300, 100, 100, 100, 100, 100], "1/s")
    assert found.steady
    assert found.rounds == (3, 7)
    assert WindowRule().judge([500, 300, 100, 100, 100, 100], "1/s").steady is False


def test_why_not_yet_is_told_with_figures() -> None:
    rule = WindowRule()
    assert rule.judge([100, 100], "W").why == "2 of 5 rounds so far"
    gap = [100, 100, float("nan"), 100, 100]
    assert rule.judge(gap, "W").why == "round 3 has no value"
    assert "the mean is 0" in rule.judge([0, 0, 0, 0, 0], "W").why
    both = rule.judge([50, 75, 100, 125, 150], "W").why
    assert both.startswith("range 100 % is above 20 % and rise +100 % is beyond ±10 %")


def test_a_temperature_is_judged_in_kelvin() -> None:
    watch = SteadyWatch(METHODS["sss-pts"], [Quantity("temperature", "degC")])
    state = watch.state()
    for value in (40, 41, 42, 43, 44):  # 10 % of the mean, and four kelvin
        state = watch.add({"temperature": value})
    assert "range 4 K is above 2 K and rise +4 K is beyond ±1 K" in state.why
    for later in (44.1, 44.2, 44.2, 44.3):
        state = watch.add({"temperature": later})
    assert state.steady


def test_what_falls_is_told_with_its_sign() -> None:
    kelvin = WindowRule(KELVIN)
    assert (
        "rise -3 K is beyond ±1 K"
        in kelvin.judge([43, 42.25, 41.5, 40.75, 40], "degC").why
    )
    assert (
        "rise -0.4 K is within ±1 K"
        in kelvin.judge([40.4, 40.3, 40.2, 40.1, 40], "degC").why
    )
    assert "rise 0 K is within ±1 K" in kelvin.judge([40] * 5, "degC").why


def test_fios_rule_looks_at_the_slope_a_round_and_the_deviation() -> None:
    rule = SlopeRule(Tolerance(0.05, 0.003))
    rising = [100 + 0.2 * n for n in range(10)]
    assert rule.judge(rising, "1/s").steady
    steeper = rule.judge([100 + 0.5 * n for n in range(10)], "1/s")
    assert "slope a round +0.489 % is beyond ±0.3 %" in steeper.why
    peak = [100.0] * 4 + [120.0] + [100.0] * 5
    assert "deviation 17.6 % is above 5 %" in rule.judge(peak, "1/s").why


def test_seven_of_25_parts_grow_with_the_run() -> None:
    rule = LastOfRule()
    assert rule.judge([100.0] * 24, "1/s").why == "24 of 25 rounds so far"
    assert rule.judge([10.0] * 18 + [100.0] * 7, "1/s").steady
    assert not rule.judge([10.0] * 18 + [100.0] * 6 + [110.0], "1/s").steady
    # Fifty rounds: seven parts are fourteen rounds.
    found = rule.judge([10.0] * 36 + [100.0] * 14, "1/s")
    assert found.steady
    assert found.rounds == (37, 50)
    drift = [1000.0 + 10 * n for n in range(200)]
    assert not rule.judge(drift, "1/s").steady


def test_a_lost_round_does_not_keep_the_parts_from_being_steady() -> None:
    rule, lost = LastOfRule(), float("nan")
    # In a part that is not compared, and as one of several of a part that is.
    assert rule.judge([70.0, lost, *[70.0] * 23], "W").steady
    for place in (3, 160, 199):
        rounds = [500.0] * 200
        rounds[place] = lost
        assert rule.judge(rounds, "W").steady
    # What is left of a part counts: 8 rounds a part, the last one 20 % higher.
    rounds = [500.0] * 192 + [lost, 600.0, 600.0, lost, 600.0, 600.0, lost, lost]
    found = rule.judge(rounds, "W")
    assert not found.steady
    assert "distance from the last part 16.7 % is above 7.5 %" in found.why
    # Less than half of a part tells nothing of it, nor does a lost part.
    rounds = [500.0] * 200
    rounds[170:175] = [lost] * 5
    assert not rule.judge(rounds, "W").steady
    assert rule.judge([80.0] * 19 + [lost] + [80.0] * 5, "W").why == (
        "round 20 has no value"
    )


def test_all_quantities_have_to_be_steady_at_once() -> None:
    kinds = [Quantity("performance", "1/s"), Quantity("power", "W")]
    watch = SteadyWatch(METHODS["sss-pts"], kinds)
    state = watch.state()
    for number in range(5):
        state = watch.add({"performance": 1000.0, "power": 600.0 + 40 * number})
    assert state.findings["performance"].steady
    assert state.why == (
        "not yet steady; power: range 23.5 % is above 20 % and "
        "rise +23.5 % is beyond ±10 % (rounds 1 to 5)"
    )
    for _ in range(3):
        state = watch.add({"performance": 1000.0, "power": 760.0})
    assert state.steady
    assert state.reached == 8
    assert state.why.startswith("steady; performance: range 0 % is within 20 %")


def test_it_is_said_that_none_was_reached() -> None:
    watch = SteadyWatch(METHODS["sss-pts"], [Quantity("performance", "1/s")])
    state = watch.state()
    for number in range(25):
        state = watch.add({"performance": 1000.0 * (1 + number % 2)})
    assert state.is_over
    assert state.why.startswith("steady state not reached in 25 rounds; performance")
    assert SteadyWatch(METHODS["7-of-25"], []).state().steady is False


def session(folder: Path, watts: list[float]) -> Path:
    """One reading a second; each value of power holds for a round of 60 s."""
    path = folder / "x.bayscope"
    info = SessionInfo("x", "", "", "", "0", True, "dut", "boot", START, START)
    writer = Writer.create(path, info)
    writer.add_source("mains", "power", "t", NOBODY, "")
    writer.add_source("server", "power", "t", NOBODY, "", measures="server")
    writer.add_source("ses", "thermal", "t", NOBODY, "")
    writer.introduce_load("fio")
    count = 60 * len(watts)
    times = START + (np.arange(count) * SECOND) + SECOND // 2
    one = np.ones(count)
    for channel, values in (
        (Channel("mains", "P", "W"), np.repeat(watts, 60)),
        (Channel("server", "P", "W"), one * 300),
        (Channel("ses", "temperature", "degC", "slot00"), one * 38),
        (Channel("ses", "temperature", "degC", "slot01"), one * 41),
        (Channel("ses", "temperature", "degC", "inlet"), one * 50),
        (Channel("fio", "read_iops", "1/s"), one * 5000),
        (Channel("fio", "write_iops", "1/s"), one * np.nan),
    ):
        writer.append_trace((channel,), times, times, values.reshape(-1, 1))
    writer.commit()
    writer.finish()
    return path


def test_rounds_of_a_session_are_judged_by_their_means(tmp_path: Path) -> None:
    watts = [700.0, 640.0, 600.0, 601.0, 600.0, 599.0, 600.0]
    window = (START, START + 60 * len(watts) * SECOND + 30 * SECOND)
    with Session.open(session(tmp_path, watts)) as stored:
        rounds = Rounds(stored)
        watch = SteadyWatch(METHODS["sss-pts"], rounds.quantities)
        state = watch.state()
        for each in rounds_of(window, 60.0):
            state = watch.add(rounds.means(each))
        # From one round to the next power goes straight, over a second.
        assert watch.means["power"] == pytest.approx(watts, rel=1e-3)
        assert watch.means["performance"] == [5000.0] * 7
        assert watch.means["temperature"] == [41.0] * 7
        assert state.steady
        assert state.reached == 6


def test_a_round_with_too_few_samples_has_no_mean(tmp_path: Path) -> None:
    with Session.open(session(tmp_path, [600.0])) as stored:
        rounds = Rounds(stored)
        half = (START + 31 * SECOND, START + 91 * SECOND)
        assert rounds.means(half) == {}
        assert rounds.means((START, START + 60 * SECOND))["power"] == 600.0


def test_fios_own_verdict_is_read_from_its_json(tmp_path: Path) -> None:
    job = (
        *("fio", "--name=ss", f"--filename={tmp_path / 'x'}", "--size=1m"),
        *("--rw=randread", "--bs=4k", "--ioengine=psync", "--rate_iops=500"),
        *("--time_based", "--runtime=5", "--thread", "--output-format=json"),
        *("--steadystate=iops:50%", "--ss_dur=2"),
    )
    done = subprocess.run(job, capture_output=True, check=True, text=True)
    [fio] = fio_steady_states(json.loads(done.stdout))
    assert (fio.job, fio.duration_s, fio.attained) == ("ss", 2.0, True)
    assert fio.rule.startswith("iops:50")
    watch = SteadyWatch(METHODS["sss-pts"], [Quantity("performance", "1/s")])
    state = watch.state()
    for value in (500.0,) * 5:
        state = watch.add({"performance": value})
    assert cross_check(state, fio).endswith("Bayscope agrees on performance")
    state = watch.add({"performance": 5000.0})
    assert "Bayscope finds performance not steady" in cross_check(state, fio)


def test_a_job_without_the_option_has_no_verdict() -> None:
    assert fio_steady_states({"jobs": [{"jobname": "x"}]}) == []
    assert fio_steady_states({}) == []
