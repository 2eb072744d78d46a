"""The gates of a row, its quality and the spread of its power, from session files."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from app.analysis.results import step_results
from app.analysis.rules.gates import GateState, judge_gates
from app.analysis.rules.quality import Part, Quality, quality_of
from app.analysis.rules.row_figures import (
    RANGING,
    Lack,
    RowRecord,
    row_record,
)
from app.analysis.rules.run_figures import figure_of
from app.plan.gates import Measure, gates
from app.plan.verdict import Outcome
from app.record.store import Result, Session, Writer
from instruments.reading import SECOND, Channel, Identity, Status
from tests.session_info import session_info
from workloads.hosts.clocks import EVIDENCE

LENGTH = 20
START = 100 * SECOND
WINDOW = (START, START + LENGTH * SECOND)
BENCH = "[dut]\nmains_voltage = 230\n"
NO_PLAN = 'label = "Read"\n'

STEADY: Mapping[str, tuple[str, float]] = {
    "P": ("W", 500.0),
    "U": ("V", 231.0),
    "I": ("A", 2.5),
    "f": ("Hz", 50.0),
    "U_range": ("V", 300.0),
    "I_range": ("A", 5.0),
}


class Row:
    """A session with one row: what its meter, its room and its load told."""

    def __init__(self, folder: Path, bench: str = BENCH) -> None:
        self.path = folder / "s.bayscope"
        self.writer = Writer.create(self.path, session_info(bench=bench))
        who = Identity("", "", "", "", "")
        self.writer.add_source("mains", "power", "hmc8015", who, "")
        self.writer.add_source("rack", "thermal", "snmp", who, "")
        self.step = self.writer.add_step(1, "Read", "fio", NO_PLAN)
        self.writer.update_step(
            self.step, window_start_ns=WINDOW[0], window_end_ns=WINDOW[1]
        )
        self.told: list[Result] = []

    def add(
        self, name: str, unit: str, values: Sequence[float], period: int = 1
    ) -> None:
        """Add a reading each `period` seconds, the first in the first half second."""
        source, quantity, where = f"{name}.".split(".")[:3]
        one = Channel(source, quantity, unit, where, period_ns=period * SECOND)
        places = np.arange(len(values), dtype=np.int64)
        times = START + SECOND // 2 + places * period * SECOND
        table = np.array(values, dtype=float).reshape(-1, 1)
        self.writer.append_trace((one,), times, times, table)

    def measure(self, **other: Sequence[float]) -> None:
        """Add what a meter tells: steady values, but for the quantities given."""
        for quantity, (unit, value) in STEADY.items():
            values = other.get(quantity, [value] * LENGTH)
            self.add(f"mains.{quantity}", unit, values)

    def tell(self, name: str, value: float) -> None:
        self.told.append(Result(name, value, "", *WINDOW, 1, 1))

    def integrate(self, watts: float) -> None:
        """Add an integrator's readings each tenth of a second, from before to after."""
        beat = SECOND // 10
        energy = Channel("mains", "Wh", "Wh", period_ns=beat)
        times = WINDOW[0] - 5 * beat + beat * np.arange(10 * LENGTH + 10)
        values = watts * (times - times[0]) / SECOND / 3600
        self.writer.append_trace((energy,), times, times, values.reshape(-1, 1))

    def close(self) -> Session:
        self.writer.commit()
        with Session.open(self.path) as live:
            names = {one.name for one in self.told}
            known = [r for r in step_results(live, WINDOW) if r.name not in names]
        for result in (*known, *self.told):
            self.writer.result(self.step, result)
        self.writer.finish()
        return Session.open(self.path)

    def judged(self) -> dict[str, tuple[GateState, object]]:
        with self.close() as session:
            return {
                one.gate.name: (one.state, one.lack or one.value)
                for one in judge_gates(partial(figure_of, record_of(session)))
            }

    def quality(self) -> Quality:
        with self.close() as session:
            return quality_of(record_of(session))


def record_of(session: Session) -> RowRecord:
    step = next(one for one in session.steps() if one.label == "Read")
    found = row_record(session, step)
    assert found is not None
    return found


@pytest.fixture
def row(tmp_path: Path) -> Row:
    return Row(tmp_path)


def test_every_gate_has_a_source_and_a_bound() -> None:
    names = [gate.name for gate in gates()]
    assert len(names) == len(set(names))
    for gate in gates():
        assert gate.source
        assert (gate.low, gate.high) != (None, None)
        assert not gate.lets(float("nan"))


def test_a_row_that_was_measured_well_passes_what_was_recorded(row: Row) -> None:
    row.measure()
    row.integrate(500.0)
    row.add("rack.temperature.inlet", "degC", [22.0] * LENGTH)
    found = row.judged()
    passed = {name for name, (state, _) in found.items() if state is GateState.PASS}
    assert passed == {
        *("uncertainty", "energy", "voltage", "frequency", "room", "room-drift"),
        *("rate", "readings"),
    }
    # 0.05 % of 500 W and of 300 V x 5 A, each as a rectangle, twice.
    expected = 200 * np.hypot(0.25, 0.75) / np.sqrt(3) / 500
    assert found["uncertainty"][1] == pytest.approx(expected)
    assert found["voltage"][1] == pytest.approx(100 / 230)
    assert found["rate"][1] == pytest.approx(1)
    assert found["ranging"] == (GateState.NOT_JUDGED, Lack.NO_RANGING)
    assert found["clock"] == (GateState.NOT_JUDGED, Lack.NO_HOSTS)
    assert found["sound"] == (GateState.NOT_JUDGED, Lack.NO_SOUND)


def test_little_power_in_a_great_range_is_too_uncertain(row: Row) -> None:
    row.measure(P=[15.0] * LENGTH)
    state, value = row.judged()["uncertainty"]
    assert state is GateState.FAIL
    assert value == pytest.approx(5.8, abs=0.1)


@pytest.mark.parametrize(
    ("watts", "state"), [(504.0, GateState.PASS), (511.0, GateState.FAIL)]
)
def test_energy_and_mean_power_are_held_against_each_other(
    row: Row, watts: float, state: GateState
) -> None:
    row.measure()
    row.integrate(watts)
    assert row.judged()["energy"] == (state, pytest.approx(100 * (500 / watts - 1)))


def test_energy_of_mean_power_is_no_check_of_it(row: Row) -> None:
    row.measure()
    assert row.judged()["energy"] == (GateState.NOT_JUDGED, Lack.NO_INTEGRATOR)


def test_an_integrator_that_cannot_tell_is_not_judged(row: Row) -> None:
    """Three beats of 5 s in 20 s: one more or less is a quarter of the energy."""
    row.measure()
    times = WINDOW[0] + SECOND * np.arange(-5, 30, 5)
    values = np.floor(520.0 * (times - times[0]) / SECOND / 3600)
    energy = Channel("mains", "Wh", "Wh", period_ns=5 * SECOND)
    row.writer.append_trace((energy,), times, times, values.reshape(-1, 1))
    assert row.judged()["energy"] == (GateState.NOT_JUDGED, Lack.COARSE)


def test_the_mains_are_judged_by_their_farthest_reading(row: Row) -> None:
    row.measure(U=[231.0] * (LENGTH - 1) + [207.0], f=[60.0] * (LENGTH - 1) + [60.7])
    found = row.judged()
    assert found["voltage"] == (GateState.FAIL, pytest.approx(-10))
    assert found["frequency"] == (GateState.FAIL, pytest.approx(0.7 / 0.6))


def test_without_its_nominal_value_a_voltage_is_not_judged(tmp_path: Path) -> None:
    row = Row(tmp_path, bench='[dut]\nmains_voltage = "230 V"\n')
    row.measure()
    assert row.judged()["voltage"] == (GateState.NOT_JUDGED, Lack.NO_NOMINAL)


def test_a_room_that_is_warm_and_gets_warmer(row: Row) -> None:
    row.measure()
    row.add("rack.temperature.inlet", "degC", list(np.linspace(27, 31, LENGTH)))
    found = row.judged()
    assert found["room"] == (GateState.FAIL, pytest.approx(29))
    assert found["room-drift"] == (GateState.FAIL, pytest.approx(4))


def test_a_slow_meter_reads_too_seldom_and_too_little(row: Row) -> None:
    row.add("mains.P", "W", [500.0] * 4, period=5)
    found = row.judged()
    assert found["rate"] == (GateState.FAIL, pytest.approx(0.2))
    assert found["readings"] == (GateState.FAIL, 4)


@pytest.mark.parametrize(
    ("before", "below", "above"),
    [
        (480.0, GateState.PASS, GateState.PASS),
        (470.0, GateState.PASS, GateState.FAIL),
        (530.0, GateState.FAIL, GateState.PASS),
    ],
)
def test_power_is_held_against_the_try_of_the_ranging_pass(
    row: Row, before: float, below: GateState, above: GateState
) -> None:
    row.measure()
    early = Channel("mains", "P", "W", period_ns=SECOND)
    times = SECOND * np.arange(50, 60, dtype=np.int64)
    row.writer.append_trace((early,), times, times, np.full((10, 1), before))
    kept = json.dumps({"Read": [50 * SECOND, 60 * SECOND], "Write": "no"}).encode()
    row.writer.artefact(None, RANGING, "application/json", kept)
    expected = 100 * (500 / before - 1)
    found = row.judged()
    assert found["ranging"] == (below, pytest.approx(expected))
    assert found["ranging-above"] == (above, pytest.approx(expected))


def calibrate(
    row: Row,
    label: str,
    start_s: int,
    level: float | None,
    outcome: Outcome = Outcome.DONE,
) -> None:
    """Add a row in which the sound meter's calibrator was on it."""
    plan = f'label = "{label}"\nengine = "idle"\nrole = "calibration"\n'
    step = row.writer.add_step(2, label, "idle", plan)
    window = start_s * SECOND, (start_s + 10) * SECOND
    found = {"window_start_ns": window[0], "window_end_ns": window[1]}
    row.writer.update_step(step, outcome=outcome, **found)
    row.writer.result(step, Result("noise_db", level, "dB", *window, 10, 10))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (94.0, 94.4, (GateState.PASS, pytest.approx(0.4))),
        (94.0, 93.4, (GateState.FAIL, pytest.approx(-0.6))),
        (94.0, None, (GateState.NOT_JUDGED, Lack.NO_TONE)),
        (38.0, 38.1, (GateState.NOT_JUDGED, Lack.NO_TONE)),
    ],
)
def test_the_calibrator_reads_alike_before_and_after(
    row: Row, before: float, after: float | None, expected: object
) -> None:
    row.measure()
    row.tell("noise_db", 54.0)
    calibrate(row, "Earliest", 20, 97.0)
    calibrate(row, "Before", 50, before)
    calibrate(row, "After", 200, after)
    calibrate(row, "Latest", 250, 97.0)
    assert row.judged()["sound"] == expected


@pytest.mark.parametrize("outcome", [Outcome.VOID, Outcome.ERROR, Outcome.ABORTED])
def test_a_calibration_that_was_cut_short_is_none(row: Row, outcome: Outcome) -> None:
    row.measure()
    row.tell("noise_db", 54.0)
    calibrate(row, "Before", 20, 94.0)
    calibrate(row, "Also before", 50, 97.0, outcome)
    calibrate(row, "After", 200, 97.0, outcome)
    calibrate(row, "Once more", 250, 94.3)
    assert row.judged()["sound"] == (GateState.PASS, pytest.approx(0.3))


def test_the_later_calibration_is_the_row_that_fails(row: Row) -> None:
    """A campaign's gates are judged as each row ends: the rows between cannot know."""
    row.measure()
    calibrate(row, "Before", 50, 94.0)
    calibrate(row, "After", 200, 95.0)
    row.tell("noise_db", 54.0)
    with row.close() as session:
        records = {one.label: row_record(session, one) for one in session.steps()}
        found = {
            label: figure_of(record, Measure.SOUND)
            for label, record in records.items()
            if record is not None
        }
    assert found["Before"] is Lack.NO_RECHECK
    assert found["After"] == pytest.approx(1.0)
    assert found["Read"] == pytest.approx(1.0)


def clock_of(row: Row, **facts: int | None) -> None:
    kept = json.dumps({"load1": facts}).encode()
    row.writer.artefact(row.step, EVIDENCE, "application/json", kept)


def test_clocks_are_judged_by_what_their_offsets_leave_over(row: Row) -> None:
    row.measure()
    clock_of(
        row,
        drift_ns=-600_000_000,
        spread_before_ns=1_000_000,
        spread_after_ns=5_000_000,
    )
    with row.close() as session:
        record = record_of(session)
        found = {one.gate.name: one for one in judge_gates(partial(figure_of, record))}
        clock = quality_of(record).parts[Part.CLOCK]
    assert found["clock"].state is GateState.FAIL
    assert found["clock"].value == pytest.approx(305)
    assert found["clock-most"].state is GateState.PASS
    assert clock == pytest.approx(100 * (1 - 305 / 400))


def test_a_clock_that_is_not_known_afterwards_is_not_judged(row: Row) -> None:
    row.measure()
    clock_of(row, drift_ns=None, spread_before_ns=1, spread_after_ns=None)
    assert row.judged()["clock"] == (GateState.NOT_JUDGED, Lack.NO_CLOCK)


def test_a_row_without_a_reading(row: Row) -> None:
    row.measure(**{quantity: [float("nan")] * LENGTH for quantity in STEADY})
    with row.close() as session:
        record = record_of(session)
        found = {one.gate.name: one for one in judge_gates(partial(figure_of, record))}
        quality = quality_of(record)
    assert found["uncertainty"].lack is Lack.NO_POWER
    assert found["voltage"].lack is Lack.NO_VOLTAGE
    assert found["rate"].state is GateState.FAIL
    assert found["readings"].value == 0
    assert quality.spread is None
    assert (quality.figure, quality.worst) == (0, Part.COVERAGE)


@pytest.mark.parametrize(
    ("watts", "coverage"), [(500.0, 100), (501.0, 100), (-500.0, 0), (450.0, 0)]
)
def test_power_that_its_integrator_contradicts_has_no_quality(
    row: Row, watts: float, coverage: float
) -> None:
    """A counter that falls while power is above 0 is as wrong as one that lags."""
    row.measure(P=[500.0] * LENGTH)
    row.integrate(watts)
    assert row.quality().parts[Part.COVERAGE] == coverage


def test_a_row_of_one_reading(row: Row) -> None:
    lost = [float("nan")] * (LENGTH - 1)
    row.measure(P=[500.0, *lost])
    with row.close() as session:
        record = record_of(session)
        found = {one.gate.name: one for one in judge_gates(partial(figure_of, record))}
        quality = quality_of(record)
    assert found["uncertainty"].lack is Lack.FEW_READINGS
    assert found["energy"].lack is Lack.NO_INTEGRATOR
    assert found["readings"].state is GateState.FAIL
    assert quality.spread is not None
    assert (quality.spread.sd_w, quality.spread.slope_w_per_s) == (None, None)
    assert quality.spread.min_w == quality.spread.max_w == 500
    assert (quality.parts[Part.DRIFT], quality.parts[Part.SCATTER]) == (None, None)
    assert quality.figure == 0


@pytest.mark.parametrize("status", [Status.ABSENT, Status.STANDBY, Status.UNSUPPORTED])
def test_a_meter_that_excuses_itself_leaves_no_row_of_full_quality(
    row: Row, status: Status
) -> None:
    """Nothing is expected of it, and nothing is known of power."""
    row.tell("foreign_percent", 0.0)
    row.tell("buffered", 0.0)
    power = Channel("mains", "P", "W", period_ns=SECOND)
    row.writer.add_channels((power,))
    row.writer.gap((power,), *WINDOW, status, "")
    quality = row.quality()
    assert quality.parts[Part.FOREIGN] == quality.parts[Part.CACHE] == 100
    assert (quality.figure, quality.worst) == (0, Part.COVERAGE)


def test_two_feeds_that_were_never_read_together_have_no_quality(row: Row) -> None:
    lost = [float("nan")] * (LENGTH // 2)
    here = [250.0] * (LENGTH // 2)
    row.measure(P=[*here, *lost])
    row.add("mains.P.b", "W", [*lost, *here])
    assert row.quality().parts[Part.COVERAGE] == 0


@pytest.mark.parametrize(("watts", "expected"), [(-122.3, 0), (-0.5, 100), (0.0, 100)])
def test_negative_power_is_of_no_quality(
    row: Row, watts: float, expected: float
) -> None:
    """Noise about nothing is that of a device that is off."""
    row.measure(P=[watts] * LENGTH)
    assert row.quality().parts[Part.COVERAGE] == expected


@pytest.mark.parametrize("outcome", ["ERROR", "ABORTED"])
def test_a_row_that_did_not_come_to_its_end_has_no_quality(
    row: Row, outcome: str
) -> None:
    row.measure()
    row.writer.update_step(row.step, outcome=outcome)
    quality = row.quality()
    assert (quality.figure, quality.worst) == (0, Part.COVERAGE)


def test_a_session_without_a_meter_lacks_no_power(row: Row) -> None:
    row.tell("buffered", 0.0)
    quality = row.quality()
    assert (quality.parts[Part.COVERAGE], quality.figure) == (None, 100)


def test_negative_power_has_no_share(row: Row) -> None:
    row.measure(P=[-500.0] * LENGTH)
    row.integrate(-500.0)
    with row.close() as session:
        record = record_of(session)
        found = {one.gate.name: one for one in judge_gates(partial(figure_of, record))}
        quality = quality_of(record)
    assert found["uncertainty"].lack is Lack.NOT_POSITIVE
    assert found["energy"].lack is Lack.NO_INTEGRATOR
    assert quality.parts[Part.DRIFT] is None
    assert quality.spread is not None
    assert quality.spread.mean_w == -500


def test_the_spread_of_power_is_that_of_all_feeds(row: Row) -> None:
    row.measure(P=list(np.arange(LENGTH) + 490.0))
    row.add("mains.P.b", "W", [100.0] * LENGTH)
    spread = row.quality().spread
    assert spread is not None
    assert spread.mean_w == pytest.approx(599.5)
    assert spread.slope_w_per_s == pytest.approx(1)
    assert spread.sd_w == pytest.approx(np.arange(LENGTH).std(ddof=1))
    assert (spread.min_w, spread.max_w) == (590, 609)


def test_each_part_is_half_at_the_limit_of_its_rule(row: Row) -> None:
    # Rises by a tenth of the mean over the window, and uses a tenth of the range.
    rise = 50 * (np.arange(LENGTH) - (LENGTH - 1) / 2) / LENGTH
    row.measure(P=list(500 + rise), I=[0.5] * LENGTH)
    row.tell("foreign_percent", 5.0)
    row.tell("buffered", 1.0)
    parts = row.quality().parts
    halves = (Part.DRIFT, Part.UNDER_RANGE, Part.FOREIGN, Part.CACHE)
    assert [parts[part] for part in halves] == pytest.approx([50] * 4)
    assert (parts[Part.COVERAGE], parts[Part.OVER_RANGE]) == (100, 100)
    assert (parts[Part.STEADY], parts[Part.CLOCK]) == (None, None)


def test_others_on_the_disk_of_an_idle_row_count(row: Row) -> None:
    row.measure()
    row.tell("foreign_mb_s", 0.1)
    row.tell("foreign_iops", 45.0)
    assert row.quality().parts[Part.FOREIGN] == pytest.approx(25)


def test_nothing_holds_back_what_lacks_nothing() -> None:
    quality = Quality({Part.CACHE: 100.0, Part.CLOCK: None}, None, None)
    assert (quality.figure, quality.worst) == (100, None)


def test_the_worst_part_is_the_quality(row: Row) -> None:
    row.measure()
    row.tell("steady.power", 1.0)
    row.tell("steady.iops", 0.0)
    quality = row.quality()
    assert (quality.figure, quality.worst) == (0, Part.STEADY)
    assert quality.parts[Part.SCATTER] == 100


def test_what_a_cache_answered_is_worth_nothing(row: Row) -> None:
    row.measure()
    row.tell("buffered", 0.0)
    row.tell("cached_read_bytes", 1e9)
    assert row.quality().parts[Part.CACHE] == 0


def count_heat(row: Row, name: str, *readings: tuple[float, float]) -> None:
    """Add readings of a counter, each with its seconds after the window's begin."""
    source, quantity, where = f"{name}.".split(".")[:3]
    one = Channel(source, quantity, "s", where, period_ns=10 * SECOND)
    times = np.array([START + round(t * SECOND) for t, _ in readings], dtype=np.int64)
    table = np.array([[value] for _, value in readings], dtype=float)
    row.writer.append_trace((one,), times, times, table)


HOT = "rack.warning_temp_time.drive-A"
SPAN = float(LENGTH)


def test_throttling_is_not_known_where_no_drive_tells_it(row: Row) -> None:
    row.measure()
    count_heat(row, "rack.cpu_throttle_count", (-1, 5), (SPAN + 1, 5))
    quality = row.quality()
    assert (quality.parts[Part.THROTTLING], quality.throttled) == (None, None)


@pytest.mark.parametrize(
    ("name", "readings", "part"),
    [
        (HOT, ((-1, 60.0), (5, 60.0), (SPAN + 1, 60.0)), 100.0),
        (HOT, ((-60, 60.0), (SPAN + 60, 180.0)), 0.0),
        (HOT, ((1, 60.0), (9, 120.0)), 0.0),
        # Before and after the last readings it was not looked at.
        (HOT, ((1, 60.0), (9, 60.0)), None),
        (HOT, ((-1, 60.0), (9, 60.0)), None),
        # It grew before and after.
        (HOT, ((-9, 0.0), (-1, 60.0), (SPAN + 1, 60.0), (SPAN + 9, 120.0)), 100.0),
        # Another drive, or a machine that began anew.
        (HOT, ((-1, 60.0), (SPAN + 1, 0.0)), None),
        ("rack.cpu_throttle_count", ((-1, 5.0), (SPAN + 1, 6.0)), 0.0),
    ],
)
def test_a_counter_that_grew_in_the_window_is_throttling(
    row: Row, name: str, readings: Sequence[tuple[float, float]], part: float | None
) -> None:
    row.measure()
    count_heat(row, name, *readings)
    quality = row.quality()
    assert quality.parts[Part.THROTTLING] == part
    assert (quality.throttled or {}).keys() == ({name} if part == 0 else set())


def test_what_heated_a_drive_between_two_rows_belongs_to_no_row(row: Row) -> None:
    row.measure()
    other = row.writer.add_step(2, "Write", "fio", NO_PLAN)
    later = WINDOW[1] + 5 * SECOND
    row.writer.update_step(
        other, window_start_ns=later, window_end_ns=later + 9 * SECOND
    )
    count_heat(row, HOT, (-1, 60), (SPAN + 60, 180))
    assert row.quality().parts[Part.THROTTLING] is None
