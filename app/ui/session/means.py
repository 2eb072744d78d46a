"""What the read-outs show of a stretch of time: means, sums and extremes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.analysis.results import energy_mean
from app.analysis.samples import Samples, sum_of_means, together
from app.record.store import Session, Trace, Window
from app.report.chart.line import Floats
from app.report.chart.lines import drawn_trace
from app.report.chart.scale import Scale
from app.ui.session.readout import Kind, Quiet, Readout, Shown, is_load_channel
from workloads.engines import LOADS

REACH_PERIODS = 3
"""Periods without a sample after which a value no longer holds."""

MANY = 4000
"""Up to twice this many samples are averaged one by one, more from the overview."""


def read_whole(
    session: Session, readouts: Sequence[Readout], part: Window | None = None
) -> list[Shown]:
    """Read the means of the whole session, or of a part of it; runs in a worker.

    Of a load there is one only where one step measured a load: what blocks of 4 MiB
    and of 4 KiB have in common is not a result of either.

    It takes about as long for many hours as for one: long traces come from the
    overview, whose cells are equally long, so that the mean of their means differs
    from that of all samples by what the first and the last cell lack.
    """
    windows = [
        (step.window_start_ns, step.window_end_ns)
        for step in session.steps()
        if step.engine in LOADS and step.window_start_ns and step.window_end_ns
    ]
    if part is not None:
        inside = [(max(a, part[0]), min(b, part[1])) for a, b in windows]
        windows = [(a, b) for a, b in inside if a < b]
    return [_whole(session, readout, windows, part) for readout in readouts]


def _whole(
    session: Session,
    readout: Readout,
    windows: Sequence[tuple[int, int]],
    part: Window | None,
) -> Shown:
    scale = readout.scale
    window = part
    is_load = is_load_channel(readout.channels[0])
    if is_load:
        if len(windows) > 1:
            return Shown(gap=Quiet.PER_STEP)
        window = windows[0] if windows else part
    # Levels are averaged by their energy, which the mean of a cell has lost.
    points = None if scale.unit == "dB(A)" else MANY
    traces = [
        drawn_trace(
            session, channel, readout.fine.get(channel.quantity), window, points
        )
        for channel in readout.channels
    ]
    traces = [trace for trace in traces if np.isfinite(trace.mean).any()]
    if not traces:
        return Shown(gap=Quiet.NO_LOAD if is_load else "no reading")
    missing = {channel.name for channel in readout.channels} - {
        t.channel.name for t in traces
    }
    if missing and readout.kind is Kind.SUM and not is_load:
        return Shown(gap=f"no reading of {', '.join(sorted(missing))}")
    low, high = _extent(traces)
    if readout.kind is Kind.HIGHEST:
        note = f"max  (min {scale.text(low)})"
        return Shown(scale.text(high), scale.unit, note)
    if readout.kind is Kind.MEAN:
        # As the report has it: each sensor by its own mean.
        mean = float(np.mean([np.nanmean(trace.mean) for trace in traces]))
        note = f"mean of {len(traces)}, {scale.text(low)} to {scale.text(high)}"
        return Shown(scale.text(mean), scale.unit, note)
    return _whole_sum(traces, scale, is_load=is_load, by_energy=points is None)


def _extent(traces: Sequence[Trace]) -> tuple[float, float]:
    return (
        min(float(np.nanmin(trace.low)) for trace in traces),
        max(float(np.nanmax(trace.high)) for trace in traces),
    )


def _whole_sum(
    traces: Sequence[Trace], scale: Scale, *, is_load: bool, by_energy: bool
) -> Shown:
    """Add up what a load did both ways, or the outlets or feeds of a device."""
    if len({trace.channel.source for trace in traces}) == 1:
        times = np.concatenate([trace.times for trace in traces])
        values = np.concatenate([trace.mean for trace in traces])
        known = np.isfinite(values)
        _, place, parts = np.unique(
            times[known], return_inverse=True, return_counts=True
        )
        sums: Floats = np.bincount(place, values[known]).astype(np.float64)
        weights = _weights(np.unique(times[known]))
        is_joint = parts == len(traces)
        if is_load and not is_joint.all():  # logs of reads and writes have own windows
            joint = sum(_mean_by_time(trace) for trace in traces)
            return Shown(scale.text(joint), scale.unit)
        if not is_load:  # one outlet of two is not the power of both
            moments = replace(
                _samples(traces[0]),
                times=np.unique(times[known])[is_joint],
                values=sums[is_joint],
                spans=np.empty(0),
            )
            sums, weights = moments.values, moments.weights
        if not len(sums):
            return Shown(gap="no reading")
        low, high = float(sums.min()), float(sums.max())
        if len(traces) == 1:  # what extremes of cells add up to was never measured
            low, high = _extent(traces)
        exact = len(traces) == 1 or all(trace.exact for trace in traces)
        note = f"min {scale.text(low)}  max {scale.text(high)}" if exact else ""
        mean = (
            energy_mean(sums) if by_energy else float(np.average(sums, None, weights))
        )
        return Shown(scale.text(mean), scale.unit, note)
    samples = [_samples(trace) for trace in traces]
    # One feed while the other was away has a mean of another load.
    total = sum_of_means(samples if is_load else together(samples))
    if total is None:
        return Shown(gap="no reading of all at once")
    return Shown(scale.text(total), scale.unit)


def _weights(times: NDArray[np.int64]) -> Floats:
    """Weigh samples by the time since the one before: some series are finer."""
    if len(times) < 2:
        return np.ones(len(times))
    steps = np.diff(times)
    usual = float(np.median(steps))
    weights: Floats = np.r_[usual, np.minimum(steps, REACH_PERIODS * usual)]
    return weights


def _mean_by_time(trace: Trace) -> float:
    known = np.isfinite(trace.mean)
    weights = _weights(trace.times[known])
    return float(np.average(trace.mean[known], None, weights))


def _samples(trace: Trace) -> Samples:
    """Get the values of a trace, of which an overview has a cell for many samples."""
    known = np.isfinite(trace.mean)
    steps = np.diff(trace.times)
    period = max(trace.channel.period_ns, int(np.median(steps)) if steps.size else 0)
    return Samples(
        replace(trace.channel, period_ns=period),
        trace.times[known],
        trace.mean[known],
        len(trace.times),
        trace.spans[known] if trace.spans.size else trace.spans,
    )
