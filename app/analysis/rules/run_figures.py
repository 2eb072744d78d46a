"""Figures that say how a row was run and recorded, and what a gate or a rule bounds."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime

import numpy as np

from app.analysis.rules.row_figures import FIGURES, Figure, Lack, RowRecord
from app.analysis.steady.matrix import Tracked, matrices
from app.analysis.uncertainty import COVERAGE
from app.plan.campaign import stored_campaign
from app.plan.gates import Measure
from app.plan.verdict import Outcome
from app.record.store import Basis, Session
from instruments.base import DUT
from instruments.errors import BadInput
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.reading import SECOND
from workloads.hosts.clocks import EVIDENCE

_RATES = ("iops", "bandwidth_mb_s")


def figure_of(row: RowRecord, measure: Measure) -> Figure:
    """Work out what a gate bounds, in the unit of its bounds."""
    return {**FIGURES, **_FIGURES}[measure](row)


def _seconds(row: RowRecord) -> Figure:
    return row.seconds


def _prepared(row: RowRecord) -> Figure:
    """How long the step went on before its measured window began."""
    step = next(one for one in row.session.steps() if one.id == row.step_id)
    if step.start_ns is None:
        return Lack.NO_START
    return (row.window[0] - step.start_ns) / SECOND


def _integrated(row: RowRecord) -> Figure:
    """1 where its energy is by the meter's own integrator, else 0."""
    energy = row.results.get("energy_wh")
    if energy is None or energy.value is None:
        return Lack.NO_INTEGRATOR
    return float(energy.basis != Basis.MEAN_POWER)


def _meter(row: RowRecord) -> Figure:
    """The expanded uncertainty of power by the meter alone, in percent."""
    power = row.results.get("power_w")
    if power is None or power.value is None:
        return Lack.NO_POWER
    if power.u_meter is None:
        return Lack.NO_ACCURACY
    if power.value <= 0:
        return Lack.NOT_POSITIVE
    return 100 * COVERAGE * power.u_meter / power.value


def _interval(row: RowRecord) -> Figure:
    """Between two readings of the slowest power meter, in percent of the window."""
    if not row.power or row.seconds <= 0:
        return Lack.NO_POWER
    slowest = max(part.channel.period_ns for part in row.power)
    return 100 * slowest / SECOND / row.seconds


def _valid(row: RowRecord) -> Figure:
    power = row.results.get("power_w")
    if power is None or not power.n_expected:
        return Lack.NO_POWER
    return 100 * (power.n_valid or 0) / power.n_expected


def _latency(name: str) -> Callable[[RowRecord], Figure]:
    def figure(row: RowRecord) -> Figure:
        value = row.value(name)
        return Lack.NO_LATENCY if value is None else value

    return figure


def _ranges(row: RowRecord) -> Figure:
    """How often a range of a power meter was another one in the window."""
    ranges = ("U_range", "I_range")
    found = row.of(channel for channel in row.feeds if channel.quantity in ranges)
    if not any(part.values.size for part in found):
        return Lack.NO_RANGE
    return float(sum(np.count_nonzero(np.diff(part.values)) for part in found))


def _steady(row: RowRecord) -> Figure:
    """1 where it was steady over its own rounds, or those that it is tracked in."""
    found = [r.value for name, r in row.results.items() if name.startswith("steady.")]
    if found:
        return float(all(found))
    tracked = _tracked(row)
    return tracked if isinstance(tracked, Lack) else float(tracked.finding.steady)


def _rounds(row: RowRecord) -> Figure:
    rounds = row.value("steady_rounds")
    if rounds is not None:
        return rounds
    tracked = _tracked(row)
    return tracked if isinstance(tracked, Lack) else float(len(tracked.values))


def _spread(row: RowRecord) -> Figure:
    """Highest less lowest of the tracked values in the window, of their mean."""
    tracked = _tracked(row)
    if isinstance(tracked, Lack):
        return tracked
    if not tracked.mean:
        return Lack.NO_ROUNDS
    return 100 * float(np.ptp(tracked.in_window)) / tracked.mean


def _slope(row: RowRecord) -> Figure:
    """The rise of the best-fit line over the window, of the mean; below 0 it falls."""
    tracked = _tracked(row)
    if isinstance(tracked, Lack):
        return tracked
    if not tracked.mean or tracked.line is None:
        return Lack.NO_ROUNDS
    first, last = tracked.line
    return 100 * (last - first) / tracked.mean


def _tracked(row: RowRecord) -> Tracked | Lack:
    """Get the rounds of a row that is tracked in them; else why there are none.

    What else a session in rounds ran is judged by the row that is tracked.
    """
    found = row.session.once(_tracked_rows)
    return found.get(row.label, Lack.NOT_TRACKED if found else Lack.NO_ROUNDS)


def _tracked_rows(session: Session) -> dict[str, Tracked]:
    """Get the tracking variables of a session by the labels of steps in its plan."""
    campaign = stored_campaign(session.info.campaign)
    found: dict[str, Tracked] = {}
    for matrix in matrices(campaign.runs) if campaign else ():
        found.setdefault(matrix.plan.track, matrix.judge(session))
    return found


def _idle(row: RowRecord) -> Figure:
    """How many idle rows of the session are done."""
    steps = row.session.steps()
    done = [s for s in steps if s.engine == "idle" and s.outcome == Outcome.DONE]
    return float(len(done))


def _together(row: RowRecord) -> Figure:
    """1 where power and the load's rate are of the same window, 0 where one lacks."""
    has_rate = any(row.value(name) is not None for name in _RATES)
    return float(has_rate and row.value("power_w") is not None)


def _simulated(row: RowRecord) -> Figure:
    return float(sum(source.simulated for source in row.session.sources()))


def _calibration(row: RowRecord) -> Figure:
    """Days since the power meter was calibrated whose day is the longest ago."""
    ages = []
    for source in row.session.sources():
        if source.section != "power" or source.measures != DUT:
            continue
        try:
            day = date.fromisoformat(str(source.keys.get("calibrated")))
        except ValueError:
            return Lack.NO_CALIBRATION
        start = datetime.fromtimestamp(row.session.info.realtime_ns / SECOND, UTC)
        ages.append((start.date() - day).days)
    return float(max(ages)) if ages else Lack.NO_POWER


def _clock(row: RowRecord) -> Figure:
    """How far times of a load host may be off, once its offset is applied, in ms.

    That offset is the mean of those before and after the load: half of what it moved,
    and what is not known of both, is left.
    """
    found = clock_parts(row)
    return found if isinstance(found, Lack) else found[0] / 2 + found[1]


def clock_parts(row: RowRecord) -> tuple[float, float] | Lack:
    """Get by how much the clock of the worst host moved, and its spread, in ms."""
    try:
        hosts = parsed_json(row.session.artefact(EVIDENCE, row.step_id))
        apart = [
            (
                abs(host["drift_ns"]) / 1e6,
                max(host["spread_before_ns"], host["spread_after_ns"]) / 1e6,
            )
            for host in hosts.values()
        ]
    except BadInput:
        return Lack.NO_HOSTS
    except MISSHAPEN:
        return Lack.NO_CLOCK
    return max(apart, key=lambda one: one[0] / 2 + one[1], default=Lack.NO_HOSTS)


def _room_rate(row: RowRecord) -> Figure:
    """Readings a minute of the sensor of the room that has the most of them."""
    counts = [part.values.size for part in row.room]
    if not any(counts) or row.seconds <= 0:
        return Lack.NO_ROOM
    return 60.0 * max(counts) / row.seconds


_FIGURES: Mapping[Measure, Callable[[RowRecord], Figure]] = {
    Measure.SECONDS: _seconds,
    Measure.PREPARED: _prepared,
    Measure.INTEGRATED: _integrated,
    Measure.METER: _meter,
    Measure.INTERVAL: _interval,
    Measure.VALID: _valid,
    Measure.LATENCY: _latency("latency_mean_ms"),
    Measure.LATENCY_MAX: _latency("latency_max_ms"),
    Measure.RANGES: _ranges,
    Measure.STEADY: _steady,
    Measure.ROUNDS: _rounds,
    Measure.SPREAD: _spread,
    Measure.SLOPE: _slope,
    Measure.IDLE: _idle,
    Measure.TOGETHER: _together,
    Measure.SIMULATED: _simulated,
    Measure.CALIBRATION: _calibration,
    Measure.ROOM_RATE: _room_rate,
    Measure.CLOCK: _clock,
}
