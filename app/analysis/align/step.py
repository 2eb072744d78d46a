"""The alignment step of a session: offsets of power and sound, found and kept."""

from collections.abc import Sequence

import numpy as np

from app.analysis.align.bursts import Burst, find_bursts
from app.analysis.align.delay import align
from app.analysis.align.result import Alignment
from app.analysis.samples import Floats, Times
from app.record.store import Notebook, Session, Window
from instruments.reading import SECOND, Channel

MARGIN_NS = SECOND
"""How much before and after the step is looked at, too."""

_QUANTITIES = {"power": ("P", "W"), "noise": ("LAeq", "dB")}


def bursts_of(session: Session, window: Window) -> tuple[Burst, ...]:
    """Find the bursts of load in a window, from rates in B/s.

    Of several traces of one load that with the shortest period counts, such as fio's
    log beside its documents; reads and writes of it are summed.
    """
    loads = {s.name for s in session.sources() if s.section == "load"}
    traces = [
        session.trace(channel, window, None)
        for channel in session.channels()
        if channel.source in loads and channel.unit == "B/s"
    ]
    traces = [trace for trace in traces if not np.isnan(trace.mean).all()]
    if not traces:
        return ()
    best = min((trace.channel for trace in traces), key=lambda one: one.period_ns)
    total: dict[int, float] = {}
    for trace in traces:
        if trace.channel.source != best.source:
            continue
        known = ~np.isnan(trace.mean)
        for at, rate in zip(
            trace.times[known].tolist(), trace.mean[known].tolist(), strict=True
        ):
            total[at] = total.get(at, 0.0) + rate
    times: Times = np.array(sorted(total), dtype=np.int64)
    rates: Floats = np.array([total[at] for at in sorted(total)], dtype=np.float64)
    return find_bursts(times, rates, best.period_ns)


def align_step(
    session: Session,
    window: Window,
    bursts: Sequence[Burst] = (),
    *,
    range_s: float = 3.0,
) -> list[Alignment]:
    """Find the offset of each power analyser and sound meter over an alignment step.

    Every other source keeps its period as its uncertainty: a shelf that is read
    every ten seconds is not given an offset.

    Args:
        session: The session; call `refresh` first while it is recorded.
        window: From the start of the step to its end in ns.
        bursts: The measured windows of the loads, where they are known; found in the
            traces of the loads where they are not given.
        range_s: The greatest offset looked for.
    """
    found = tuple(bursts) or bursts_of(session, window)
    around = (window[0] - MARGIN_NS, window[1] + MARGIN_NS)
    results = []
    for channel in _candidates(session):
        trace = session.trace(channel, around, None)
        results.append(align(found, channel, trace.times, trace.mean, range_s=range_s))
    return results


def keep_alignment(
    session: Session, notebook: Notebook, found: Sequence[Alignment]
) -> None:
    """Store what was found beside the data; it is applied on reading from then on.

    Traces are read with the offset that is stored already, so the new one is added.
    A source without an offset keeps what it has.
    """
    stored = {row.source: row.offset_ns for row in session.offsets()}
    for one in found:
        if one.offset_ns is None:
            continue
        source = one.channel.source
        whole = stored.get(source, 0) + one.offset_ns
        notebook.offset(source, whole, one.spread_ns, f"alignment step, {one}")


def _candidates(session: Session) -> list[Channel]:
    """Get the first channel of each source that may show the load."""
    chosen: dict[str, Channel] = {}
    sections = {source.name: source.section for source in session.sources()}
    for channel in session.channels():
        wanted = _QUANTITIES.get(sections[channel.source])
        if (channel.quantity, channel.unit) == wanted:
            chosen.setdefault(channel.source, channel)
    return list(chosen.values())
