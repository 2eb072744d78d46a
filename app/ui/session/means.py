"""What the read-outs show of a stretch of time: means, sums and extremes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.analysis.feeds import sum_of_means, summed, together
from app.analysis.frozen import VARYING
from app.analysis.results import energy_mean
from app.analysis.samples import Samples, cut_documents, reaching, samples_of
from app.record.store import Session, Trace, Window
from app.report.chart.line import Floats
from app.report.chart.lines import drawn_trace
from app.report.chart.scale import Scale
from app.ui.session.readout import Kind, Quiet, Readout, Shown, is_load_channel
from instruments.reading import Channel
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
    is_load = is_load_channel(readout.channels[0])
    if is_load and len(windows) > 1:
        return Shown(gap=Quiet.PER_STEP)
    window = windows[0] if is_load and windows else part
    traces = _traces(session, readout, window)
    if not traces:
        return Shown(gap=Quiet.NO_LOAD if is_load else "no reading")
    # A load that only reads has no writes, but two feeds of three are not all.
    missing = "" if is_load else _missing(readout, traces)
    if missing and readout.kind is Kind.SUM:
        return Shown(gap=f"no reading of {missing}")
    if readout.kind is Kind.HIGHEST:
        return _highest(traces, readout.scale)
    if readout.kind is Kind.MEAN:
        return _mean_of_sensors(traces, readout.scale)
    samples = [_samples(session, trace, window) for trace in traces]
    return _sum(traces, samples, readout.scale)


def _traces(session: Session, readout: Readout, window: Window | None) -> list[Trace]:
    """Get the traces that have a value at all."""
    points = None if _is_level(readout.scale) else MANY
    traces = [
        _trace(session, channel, readout.fine.get(channel.quantity), window, points)
        for channel in readout.channels
    ]
    return [trace for trace in traces if np.isfinite(trace.mean).any()]


def _trace(
    session: Session,
    channel: Channel,
    fine: Channel | None,
    window: Window | None,
    points: int | None,
) -> Trace:
    """Get one trace; of a load with as much of its documents as lies in the window."""
    if window is not None and is_load_channel(channel):
        periods = channel.period_ns, (fine or channel).period_ns
        reach = reaching(window, max(periods))
        wide = drawn_trace(session, channel, fine, reach, points)
        if (told := cut_documents(wide, window, min(periods))) is not None:
            return told
    return drawn_trace(session, channel, fine, window, points)


def _is_level(scale: Scale) -> bool:
    """Tell levels: they are averaged by energy, which the mean of a cell has lost."""
    return scale.unit == "dB(A)"


def _missing(readout: Readout, traces: Sequence[Trace]) -> str:
    """Name the channels without any value."""
    names = {channel.name for channel in readout.channels}
    return ", ".join(sorted(names - {trace.channel.name for trace in traces}))


def _highest(traces: Sequence[Trace], scale: Scale) -> Shown:
    low, high = _extent(traces)
    return Shown(scale.text(high), scale.unit, f"max  (min {scale.text(low)})")


def _mean_of_sensors(traces: Sequence[Trace], scale: Scale) -> Shown:
    """Take the mean as the report has it: each sensor by its own mean."""
    low, high = _extent(traces)
    mean = float(np.mean([np.nanmean(trace.mean) for trace in traces]))
    note = f"mean of {len(traces)}, {scale.text(low)} to {scale.text(high)}"
    return Shown(scale.text(mean), scale.unit, note)


def _extent(traces: Sequence[Trace]) -> tuple[float, float]:
    return (
        min(float(np.nanmin(trace.low)) for trace in traces),
        max(float(np.nanmax(trace.high)) for trace in traces),
    )


def _sum(traces: Sequence[Trace], samples: Sequence[Samples], scale: Scale) -> Shown:
    """Add up what a load did both ways, or the outlets or feeds of a device."""
    if len({trace.channel.source for trace in traces}) == 1:
        return _sum_of_source(traces, samples, scale)
    if not is_load_channel(traces[0].channel):
        # One feed while the other was away has a mean of another load.
        samples = together(samples)
    total = sum_of_means(samples)
    if total is None:
        return Shown(gap="no reading of all at once")
    return Shown(scale.text(total), scale.unit)


def _sum_of_source(
    traces: Sequence[Trace], samples: Sequence[Samples], scale: Scale
) -> Shown:
    """Add up moment by moment: the channels of one source share their times."""
    all_times = np.concatenate([trace.times for trace in traces])
    values = np.concatenate([trace.mean for trace in traces])
    known = np.isfinite(values)
    _, place, parts = np.unique(
        all_times[known], return_inverse=True, return_counts=True
    )
    sums: Floats = np.bincount(place, values[known]).astype(np.float64)
    is_joint = parts == len(traces)
    if is_load_channel(traces[0].channel):
        mean = sum_of_means(samples) or 0.0
        # Logs of reads and writes have windows of their own.
        told = _range_of_sums(traces, sums, scale) if is_joint.all() else ""
        return Shown(scale.text(mean), scale.unit, told)
    # One outlet of two is not the power of both.
    sums = sums[is_joint]
    joint = None if _is_level(scale) else summed(samples)
    if joint is not None:
        mean, sums = joint.weighed.mean, joint.values
    elif _is_level(scale) and sums.size:
        mean = energy_mean(sums)
    else:
        return Shown(gap="no reading")
    return Shown(scale.text(mean), scale.unit, _range_of_sums(traces, sums, scale))


def _range_of_sums(traces: Sequence[Trace], sums: Floats, scale: Scale) -> str:
    """Write the extremes; what those of several cells add up to was never measured."""
    if len(traces) == 1:
        low, high = _extent(traces)
    elif all(trace.exact for trace in traces):
        low, high = float(sums.min()), float(sums.max())
    else:
        return ""
    return f"min {scale.text(low)}  max {scale.text(high)}"


def _samples(session: Session, trace: Trace, part: Window | None) -> Samples:
    """Get the values of a trace, of which an overview has a cell for many samples."""
    first, last = session.extent()
    window = part or (first, last + 1)
    if trace.exact and trace.channel.unit in VARYING:
        return samples_of(session, trace.channel, window)
    known = np.isfinite(trace.mean)
    steps = np.diff(trace.times)
    period = max(trace.channel.period_ns, int(np.median(steps)) if steps.size else 0)
    return Samples(
        replace(trace.channel, period_ns=period),
        trace.times[known],
        trace.mean[known],
        len(trace.times),
        window,
        trace.spans[known] if trace.spans.size else trace.spans,
    )
