"""What the read-outs show at a moment: value, extremes, or the reason of a gap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.analysis.uncertainty import budget_of
from app.record.store import GapRow, Session, StepRow, Trace
from app.report.chart.line import Floats
from app.report.chart.lines import drawn_trace
from app.report.chart.scale import Scale, channel_scale
from app.ui.session.means import MANY, REACH_PERIODS
from app.ui.session.readout import Kind, Quiet, Readout, Shown, is_load_channel
from instruments.reading import SECOND, Channel, Status
from workloads.engines import LOADS

_LEAST_REACH = 2 * SECOND


@dataclass
class Extremes:
    """Lowest and highest value so far, kept up as the playhead moves on."""

    until: int = 0
    low: float = np.inf
    high: float = -np.inf


def read_all(
    session: Session,
    readouts: Sequence[Readout],
    t_ns: int,
    extremes: dict[str, Extremes],
) -> tuple[list[Shown], dict[str, float]]:
    """Read every read-out at a moment; runs in a worker.

    Args:
        session: Where from.
        readouts: What.
        t_ns: The playhead.
        extremes: What was lowest and highest so far, by channel name; brought up
            to date.

    Returns:
        What each says, and the value of each channel, NaN in a gap.
    """
    values: dict[str, float] = {}
    shown = []
    for readout in readouts:
        moment = last_moment(session, readout.channels, t_ns)
        found = _read(session, readout, moment, extremes, values)
        shown.append(found if moment == t_ns else replace(found, at_ns=moment))
    return [_explained(session, one, t_ns, values) for one in shown], values


def _read(
    session: Session,
    readout: Readout,
    t_ns: int,
    extremes: dict[str, Extremes],
    found: dict[str, float],
) -> Shown:
    last = [
        last_value(session, channel, t_ns, readout.fine.get(channel.quantity))
        for channel in readout.channels
    ]
    pairs = zip(readout.channels, last, strict=True)
    found.update((channel.name, value) for channel, (value, _) in pairs)
    values, reason = _apart(last)
    known = values[np.isfinite(values)]
    scale = readout.scale
    if readout.kind is Kind.HIGHEST and known.size:
        return _hottest(known, len(values), scale)
    if readout.kind is Kind.MEAN and known.size:
        low, high = float(known.min()), float(known.max())
        note = f"mean of {known.size}, {scale.text(low)} to {scale.text(high)}"
        return Shown(scale.text(float(known.mean())), scale.unit, note)
    if known.size < len(values):
        return Shown(gap=reason)
    note = ""
    if len(readout.channels) == 1:
        note = _extremes(session, readout, t_ns, extremes)
    elif len(readout.channels) == len(values):
        note = _parts(readout, values)
    unit = f"{scale.unit} {_error(session, readout, t_ns)}".strip()
    return Shown(scale.text(float(values.sum())), unit, note)


def _apart(last: Sequence[tuple[float, str | Quiet]]) -> tuple[Floats, str | Quiet]:
    """Get the values of channels, and why the first without one has none."""
    if any(np.isfinite(value) for value, _ in last):
        # A load that only reads has no write channels: that is not a gap in the sum.
        last = [pair for pair in last if pair[1] is not Quiet.NO_LOAD]
    reasons = (reason for value, reason in last if not np.isfinite(value))
    return np.array([value for value, _ in last]), next(reasons, "")


def _hottest(known: Floats, count: int, scale: Scale) -> Shown:
    note = f"coolest {scale.text(float(known.min()))}"
    if known.size < count:
        note += f"  {known.size} of {count} read"
    return Shown(scale.text(float(known.max())), scale.unit, note)


def _error(session: Session, readout: Readout, t_ns: int) -> str:
    """Write how far off a power may be by its meters; "" where that is not known."""
    if readout.channels[0].quantity != "P":
        return ""
    own = {channel.source for channel in readout.channels}
    feeds = [channel for channel in session.channels() if channel.source in own]
    budget = budget_of(session, feeds, (t_ns - _reach(readout.channels[0]), t_ns))
    return f"± {readout.scale.text(budget.limit_w)}" if budget is not None else ""


def _parts(readout: Readout, values: Floats) -> str:
    """Write what a sum is made of."""
    names = [channel.quantity.split("_")[0] for channel in readout.channels]
    if len(set(names)) < len(names):
        names = [channel.source for channel in readout.channels]
    pairs = zip(names, values, strict=True)
    return "  ".join(f"{name} {readout.scale.text(float(v))}" for name, v in pairs)


def _extremes(
    session: Session, readout: Readout, t_ns: int, extremes: dict[str, Extremes]
) -> str:
    """Write the lowest and highest value up to a moment."""
    [channel] = readout.channels
    fine = readout.fine.get(channel.quantity)
    seen = extremes.setdefault(channel.name, Extremes())
    # Logs that join after a step stand for what was seen of it before.
    if t_ns < seen.until or fine is not None:
        seen = extremes[channel.name] = Extremes()
    if fine is None:
        # A load tells its values late: some are older than what was seen last time.
        since = max(0, seen.until - _reach(channel))
        traces = [session.trace(channel, (since, t_ns), 16)]
    else:
        traces = _drawn_until(session, channel, fine, t_ns)
    for trace in traces:
        known = np.isfinite(trace.mean)
        if known.any():
            seen.low = min(seen.low, float(trace.low[known].min()))
            seen.high = max(seen.high, float(trace.high[known].max()))
    seen.until = t_ns
    scale = channel_scale(channel)
    if not np.isfinite(seen.low):
        return ""
    return f"min {scale.text(seen.low)}  max {scale.text(seen.high)}"


def _drawn_until(
    session: Session, channel: Channel, fine: Channel, t_ns: int
) -> list[Trace]:
    """Get what is drawn up to a moment, the end of it sample by sample."""
    reach = _reach(channel)
    whole = drawn_trace(session, channel, fine, (0, t_ns + reach), MANY)
    if not whole.exact and len(whole) > 1:
        reach += 2 * int(np.median(np.diff(whole.times)))
    window = (t_ns - reach, t_ns + reach)
    recent = drawn_trace(session, channel, fine, window, None)
    return [_until(whole, t_ns), _until(recent, t_ns)]


def _until(trace: Trace, t_ns: int) -> Trace:
    count = int(np.searchsorted(trace.times, t_ns, side="right"))
    return replace(
        trace,
        times=trace.times[:count],
        low=trace.low[:count],
        high=trace.high[:count],
        mean=trace.mean[:count],
    )


def _explained(
    session: Session, shown: Shown, t_ns: int, values: Mapping[str, float]
) -> Shown:
    """Say why a load has no value although a step with a load runs."""
    if shown.gap is not Quiet.NO_LOAD or not _runs_load(session.steps(), t_ns):
        return shown
    rates = [v for name, v in values.items() if _is_rate(name)]
    other = np.isfinite(rates).any()
    return replace(shown, gap=Quiet.OTHER_WAY if other else Quiet.NOT_YET)


def _runs_load(steps: Sequence[StepRow], t_ns: int) -> bool:
    for step in steps:
        if step.engine in LOADS and step.start_ns is not None:
            end = step.window_end_ns or step.end_ns
            if step.start_ns <= t_ns and (end is None or t_ns < end):
                return True
    return False


def _has_ended(steps: Sequence[StepRow], moment: int, t_ns: int) -> bool:
    """Tell whether a load has ended between a value of it and a moment."""
    ends = (one.window_end_ns or one.end_ns for one in steps if one.engine in LOADS)
    return any(end is not None and moment <= end <= t_ns for end in ends)


def last_moment(session: Session, channels: Sequence[Channel], t_ns: int) -> int:
    """Get the moment to read at: at the end of a session that of the last reading.

    Sources are let go of one after the other, and slow ones were read last some time
    before. One that failed before the end has no last reading: it has a gap.
    """
    if session.state == "recording" or is_load_channel(channels[0]):
        return t_ns
    if t_ns < (session.info.ended_ns or session.extent()[1]):
        return t_ns
    known = [
        moment
        for channel in channels
        if (moment := _last_time(session, channel, t_ns)) is not None
        and all(g.end_ns <= moment for g in session.gaps(channel, (moment, t_ns)))
    ]
    last = max(known, default=t_ns)
    return last if last < t_ns - _LEAST_REACH else t_ns


def _last_time(session: Session, channel: Channel, t_ns: int) -> int | None:
    """Get when a channel had a value last, None where it never had one."""
    reach, start = _reach(channel), session.info.monotonic_ns
    while True:
        trace = session.trace(channel, (t_ns - reach, t_ns), None)
        known = np.flatnonzero(np.isfinite(trace.mean))
        if len(known):
            return int(trace.times[known[-1]])
        if t_ns - reach < start:
            return None
        reach *= 16


def last_value(
    session: Session, channel: Channel, t_ns: int, fine: Channel | None = None
) -> tuple[float, str | Quiet]:
    """Get the last value up to a moment, or NaN and why there is none.

    Args:
        session: Where from.
        channel: Which one; where it has a gap there is no value.
        t_ns: The moment.
        fine: The finer one that is drawn in its place, where it has samples.
    """
    reach = _reach(channel)
    trace = session.trace(channel, (t_ns - reach, t_ns), None)
    gaps = session.gaps(channel.name, (t_ns - reach, t_ns))
    if _holds(session, trace, gaps, t_ns):
        value = trace.mean[-1]
        if fine is not None:  # what comes next tells which of them is drawn here
            around = (t_ns - reach, t_ns + reach)
            drawn = _until(drawn_trace(session, channel, fine, around, None), t_ns)
            known = drawn.mean[np.isfinite(drawn.mean)]
            value = known[-1] if known.size else value
        return float(value), ""
    reason = gaps[-1].shown_reason if gaps else ""
    if is_load_channel(channel) and reason in ("", Status.STANDBY):
        return float("nan"), Quiet.NO_LOAD
    return float("nan"), reason or "no reading"


def _holds(session: Session, trace: Trace, gaps: Sequence[GapRow], t_ns: int) -> bool:
    """Tell whether the last value of a trace still holds at a moment."""
    if not len(trace.times) or np.isnan(trace.mean[-1]):
        return False
    at = trace.times[-1]
    if any(gap.start_ns > at for gap in gaps):
        return False
    return not (
        is_load_channel(trace.channel) and _has_ended(session.steps(), at, t_ns)
    )


def _reach(channel: Channel) -> int:
    return max(REACH_PERIODS * channel.period_ns, _LEAST_REACH)


def _is_rate(name: str) -> bool:
    return name.split(".")[1].startswith(("read_", "write_"))
