"""What a load did in a part of its window: rates from its traces, the rest labelled."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.analysis.coverage import MEASURED
from app.analysis.feeds import result_of, sum_of_means
from app.analysis.samples import Floats, Samples, samples_of
from app.plan.cleanness import REST_IOPS, REST_MB_S
from app.plan.step import RESTING
from app.record.store import Result, Session, Window
from instruments.files.foreign_text import MISSHAPEN
from instruments.metric import BOTH
from instruments.reading import SECOND
from workloads.base import LoadResult, Measured
from workloads.disk_trace import SOURCE as DISK
from workloads.fio.kept import part_counted
from workloads.fio.output import latencies, together
from workloads.fio.table import OUTPUT

RATES: Mapping[str, tuple[str, tuple[str, ...], float]] = {
    "iops": ("1/s", ("read_iops", "write_iops"), 1.0),
    "read_iops": ("1/s", ("read_iops",), 1.0),
    "write_iops": ("1/s", ("write_iops",), 1.0),
    "bandwidth_mb_s": ("MB/s", ("read_bw", "write_bw"), 1e-6),
    "read_mb_s": ("MB/s", ("read_bw",), 1e-6),
    "write_mb_s": ("MB/s", ("write_bw",), 1e-6),
}
"""Results that are sums of traces: unit, their quantities, and the factor."""

_TOTALS: Mapping[str, str] = {"iops": "iops", "bandwidth_mb_s": "bw"}
"""Traces of both directions together, of engines that tell them."""

_DIRECTIONS = ("read", "write")
_LATENCY = "latency_mean_ms"
LATENCIES: Mapping[str, tuple[str, ...]] = {
    _LATENCY: _DIRECTIONS,
    "read_latency_ms": ("read",),
    "write_latency_ms": ("write",),
}
"""Mean latencies, and the directions they are of."""

_COPY = "copy"
"""What is copied is read and written, and counts once."""

MOVED: Mapping[str, tuple[str, str]] = {
    "device_reads": ("read_iops", ""),
    "device_writes": ("write_iops", ""),
    "device_read_bytes": ("read_bw", "B"),
    "device_write_bytes": ("write_bw", "B"),
}
"""What the disk of a load moved: the trace that tells its rate, and the unit."""

_MEAN = "means of the load's traces over the measured part of it"
_NONE = "known only for the whole load, of which this row is a part"

_LEAST_SHARE = 0.9
"""Of the part so much has to lie between two documents, for its percentiles."""

WHOLE_LOAD = ("buffered", REST_MB_S, REST_IOPS)
"""What is told of all of a load, or of a rest: it keeps that window."""


def part_results(
    session: Session,
    source: str,
    whole: Window,
    part: Window,
    results: Sequence[Result],
    *,
    outputs: Mapping[str, bytes],
) -> list[Result]:
    """Get a load's results over a part of its window.

    Rates are the means of the load's traces over the part, each document weighted by
    how much of it lies in the part, and the mean latency that of its traces weighted by
    transfers; they have no value where these tell less than half of it. While it rests
    no disk is traced, also where another row of the session does. Percentiles are
    those of fio's histograms between its documents, from `outputs`, the artefacts of
    the step by name. Anything else has no value: one of another window is none of this
    row.
    """
    if part == whole:
        return list(results)
    names = {result.name for result in results}
    did = {one for one in _DIRECTIONS if {f"{one}_iops", f"{one}_mb_s"} & names}
    traces = _traces(session, source, part, did)
    counted = _percentiles(outputs, whole, part)
    found = []
    for result in results:
        if result.name in WHOLE_LOAD:
            found.append(result)
        elif result.name in RATES:
            found.append(_rate(result.name, source, traces, part))
        elif result.name in LATENCIES:
            found.append(_latency(traces, part, result.name))
        elif result.name in MOVED and source not in RESTING:
            found.append(_moved(session, part, result.name))
        elif result.name in counted:
            found.append(counted[result.name])
        else:
            found.append(
                Result(
                    result.name, None, result.unit, *part, 0, 1, result.origin, _NONE
                )
            )
    return found


def _moved(session: Session, part: Window, name: str) -> Result:
    """Get what the disk of a load moved, from the trace of its rate."""
    quantity, unit = MOVED[name]
    chosen = [
        samples_of(session, channel, part)
        for channel in session.channels()
        if (channel.source, channel.quantity) == (DISK, quantity)
        and not channel.location
    ]
    rate, seconds = _total(chosen), (part[1] - part[0]) / SECOND
    value = None if rate is None else rate * seconds
    if not chosen:
        return Result(name, None, unit, *part, 0, 1, DISK)
    return _covered(result_of(name, value, unit, part, chosen), chosen)


def part_load(
    engine: str, load: LoadResult, part: Window, results: Sequence[Result]
) -> LoadResult:
    """Get a load as if it had been that part of it which is measured.

    A rest stays whole: nothing traces its disk, which is looked at around it. What its
    disk moved is left out of a direction that the load itself does not tell.

    Args:
        engine: What made it.
        load: The load.
        part: The part of its window.
        results: Its results over the part, see `part_results`.
    """
    if part == load.window or engine in RESTING:
        return load
    told = {one.name: one for one in results}
    counts_itself = any(name.startswith("engine_") for name in told)
    for way in _DIRECTIONS:
        own = told.get(f"{way}_mb_s")
        is_known = not counts_itself if own is None else own.value is not None
        if not is_known:
            told.pop(f"device_{way}_bytes", None)
    values = {
        name: Measured(one.value, one.unit, one.origin)
        for name, one in told.items()
        if one.value is not None
    }
    return replace(load, window=part, values=values)


_BETWEEN = "from histograms between two documents of fio within the measured part"


def _percentiles(
    outputs: Mapping[str, bytes], whole: Window, part: Window
) -> dict[str, Result]:
    """Get the percentiles of a part of a fio load, where its documents tell them."""
    try:
        found = part_counted(outputs, whole, part)
    except MISSHAPEN:  # fio's output is damaged: nothing is known of its parts.
        found = None
    if found is None or found.share < _LEAST_SHARE:
        return {}
    sides = {**found.counters, BOTH: together(list(found.counters.values()))}
    values = {
        name: value
        for of, counted in sides.items()
        for name, value in latencies(counted, of).items()
        if name not in LATENCIES
    }
    return {
        name: Result(name, value, "ms", *found.window, 1, 1, OUTPUT, _BETWEEN)
        for name, value in values.items()
    }


def traced_results(session: Session, source: str, window: Window) -> list[Result]:
    """Get the rates of a load that was ended before it told any, from its traces."""
    traces = _traces(session, source, window)
    # Blocks of a copy are its own, so its calls a second say nothing of the disk.
    names = [name for name in RATES if source != _COPY or name.endswith("mb_s")]
    every = [
        *(_rate(name, source, traces, window) for name in names),
        _latency(traces, window),
    ]
    # One of which too much lacks says so; of one without any trace nothing is told.
    return [one for one in every if one.value is not None or one.n_valid]


def _traces(
    session: Session, source: str, window: Window, did: Collection[str] = ()
) -> dict[str, Samples]:
    """Get a load's traces by quantity, without those of a direction it did not do.

    The channels are the session's: an earlier step may have written where this one
    reads. Where the load has not told its directions, one without any value is none.
    """
    traces = {
        channel.quantity: samples_of(session, channel, window)
        for channel in session.channels()
        if channel.source == source and not channel.location
    }
    known = did or {_direction(name) for name, one in traces.items() if one.values.size}
    others = {*_DIRECTIONS} - {*known}
    return {name: one for name, one in traces.items() if _direction(name) not in others}


def _direction(quantity: str) -> str:
    return quantity.partition("_")[0]


def _rate(
    name: str, source: str, traces: Mapping[str, Samples], part: Window
) -> Result:
    unit, names, factor = RATES[name]
    if name == "bandwidth_mb_s" and source == _COPY:
        names = ("write_bw",)
    elif _TOTALS.get(name) in traces:
        names = (_TOTALS[name],)
    chosen = [traces[one] for one in names if one in traces]
    total = _total(chosen)
    value = None if total is None else factor * total
    if not chosen:
        return Result(name, None, unit, *part, 0, 1, "its traces")
    return _covered(result_of(name, value, unit, part, chosen), chosen)


def _covered(result: Result, chosen: Sequence[Samples]) -> Result:
    """Count what documents tell of by its length: a late one covers all of it."""
    share = min(one.share for one in chosen)
    valid = round(share * (result.n_expected or 0))
    if not all(one.is_of_documents for one in chosen):
        valid = max(result.n_valid or 0, valid)
    note = (result.note or _MEAN) if result.value is not None else ""
    return replace(result, n_valid=valid, note=note)


def _total(chosen: Sequence[Samples]) -> float | None:
    """Add up the means of traces; None where one tells too little of the part."""
    is_known = all(one.share >= MEASURED for one in chosen)
    return sum_of_means(chosen) if is_known else None


def with_transfers(latency: Samples, rate: Samples) -> tuple[Floats, Floats]:
    """Get the latencies of documents in s, and by how many transfers each counts.

    That is their rate times the length of the document in ns, or the rate alone.
    """
    _, first, second = np.intersect1d(latency.times, rate.times, return_indices=True)
    return latency.values[first], rate.values[second] * rate.lengths[second]


def _latency(
    traces: Mapping[str, Samples], part: Window, name: str = _LATENCY
) -> Result:
    chosen: list[Samples] = []
    is_known = True
    total = weight = 0.0
    for direction in LATENCIES[name]:
        latency, rate = traces.get(f"{direction}_lat"), traces.get(f"{direction}_iops")
        if latency is None or rate is None:
            # Transfers of unknown latency are part of the mean, unless there were none.
            is_known &= rate is None or not rate.values.any()
            continue
        values, transfers = with_transfers(latency, rate)
        total += float((values * transfers).sum())
        own = float(transfers.sum())
        weight += own
        # Transfers without a latency are of a direction whose latency is not known.
        every = float((rate.values * rate.lengths).sum())
        is_known &= rate.share >= MEASURED and own >= MEASURED * every
        chosen.append(latency)
    if not chosen:
        return Result(name, None, "ms", *part, 0, 1, "its traces")
    value = 1e3 * total / weight if is_known and weight > 0 else None
    note = "mean of the trace, weighted by transfers"
    return _covered(result_of(name, value, "ms", part, chosen, note=note), chosen)
