"""Start-up numbers of a recorded cold start, each with its window and how it came."""

from collections.abc import Sequence

import numpy as np

from app.analysis.peak import highest_mean, peak_note
from app.analysis.result import Result
from app.analysis.samples import Samples, channels_of, result_of, samples_of
from app.analysis.startup.trace import Feed, StartTrace
from app.record.store import Session, Window
from instruments.base import DUT
from instruments.reading import SECOND

PEAK_WINDOWS_S = (0.1, 0.2, 0.5, 1.0, 5.0)
"""Peaks are quoted over these; a meter that is too slow for one has none there."""


def startup_results(
    session: Session, window: Window, ready_ns: int | None = None
) -> list[Result]:
    """Compute the start-up numbers of a session's power trace.

    Args:
        session: The session; call `refresh` first while it is recorded.
        window: From before the device was switched on until it has settled.
        ready_ns: When it was ready, where something else tells that, such as the
            last drive that answered; else power has to settle.

    Returns:
        startup_peak_..., startup_steps, time_to_ready_s and energy_to_ready_wh. A
        value is None where the trace does not support it, and the note says why.
    """
    sources = {source.name: source for source in session.sources()}
    feeds = [
        samples_of(session, channel, window)
        for channel in channels_of(session.channels(), "P", "W")
        if sources[channel.source].section == "power"
        and sources[channel.source].measures == DUT
    ]
    if not feeds:
        return []
    return _peaks(feeds, window) + _course(feeds, window, ready_ns)


def _peaks(feeds: Sequence[Samples], window: Window) -> list[Result]:
    arrays = _arrays(feeds)
    found = []
    for seconds in PEAK_WINDOWS_S:
        peak = highest_mean(arrays, seconds)
        note = peak_note(arrays, seconds, peak)
        name = f"startup_peak_{round(1000 * seconds)}ms_w"
        found.append(result_of(name, peak, "W", window, feeds, note=note))
    return found


def _course(
    feeds: Sequence[Samples], window: Window, ready_ns: int | None
) -> list[Result]:
    trace = StartTrace(_arrays(feeds))
    on = trace.switched_on() if trace.times.size else None
    if on is None:
        why = "the trace does not begin with the device off for a second"
        return [
            result_of(name, None, unit, window, feeds, note=why)
            for name, unit in (
                ("startup_steps", ""),
                ("time_to_ready_s", "s"),
                ("energy_to_ready_wh", "Wh"),
            )
        ]
    on_ns, _ = on
    return [
        _steps(trace, on, ready_ns or trace.settled_ns(), feeds, window),
        *_ready(trace, on_ns, feeds, window, ready_ns),
    ]


def _steps(
    trace: StartTrace,
    on: tuple[int, float],
    until_ns: int | None,
    feeds: Sequence[Samples],
    window: Window,
) -> Result:
    """Count the steps in which power rises: groups of drives that spin up."""
    name = "startup_steps"
    if until_ns is None:
        note = "where the start ended is not known: nothing told, power did not settle"
        return result_of(name, None, "", window, feeds, note=note)
    on_ns, off_w = on
    rises = trace.rises(on_ns, off_w, until_ns)
    smooth = [rise for rise in rises if not rise.is_step]
    if smooth:
        longest = max(rise.end_ns - rise.start_ns for rise in smooth) / SECOND
        note = f"power rises for {longest:.1f} s on end, there are no distinct steps"
        return result_of(name, None, "", window, feeds, note=note)
    if not rises:
        note = "no rise stands out of the noise"
        return result_of(name, None, "", window, feeds, note=note)
    told = ", ".join(
        f"{rise.watts:.0f} W after {(rise.end_ns - on_ns) / SECOND:.1f} s"
        for rise in rises[:12]
    )
    note = f"rises until it was ready, the electronics' own among them: {told}"
    if len(rises) > 12:
        note += f" and {len(rises) - 12} more"
    return result_of(name, float(len(rises)), "", window, feeds, note=note)


def _ready(
    trace: StartTrace,
    on_ns: int,
    feeds: Sequence[Samples],
    window: Window,
    ready_ns: int | None,
) -> list[Result]:
    how = "the moment that was given"
    if ready_ns is None:
        ready_ns = trace.settled_ns()
        how = "power within 5 % of its level at the end"
    if ready_ns is None or ready_ns <= on_ns:
        note = "power did not settle for ten seconds"
        if ready_ns is not None:
            note = "it was ready before it was switched on"
        return [
            result_of("time_to_ready_s", None, "s", window, feeds, note=note),
            result_of("energy_to_ready_wh", None, "Wh", window, feeds, note=note),
        ]
    span = (on_ns, ready_ns)
    seconds = (ready_ns - on_ns) / SECOND
    energy = _energy_wh(feeds, span)
    note = f"from the rise of power to {how}"
    told = f"{note}, trapezoids between real samples"
    if energy is None:
        told = "samples are missing on the way"
    return [
        result_of("time_to_ready_s", seconds, "s", span, feeds, note=note),
        result_of("energy_to_ready_wh", energy, "Wh", span, feeds, note=told),
    ]


def _energy_wh(feeds: Sequence[Samples], span: Window) -> float | None:
    """Integrate each feed by trapezoids; None over a gap of more than 2.5 periods."""
    total = 0.0
    for part in feeds:
        step = part.channel.period_ns
        near = (part.times >= span[0] - step) & (part.times <= span[1] + step)
        times, values = part.times[near], part.values[near]
        if times.size < 3 or np.diff(times).max() > 2.5 * step:
            return None
        if times[0] > span[0] + step or times[-1] < span[1] - step:
            return None
        inside = np.clip(times, *span)
        total += float(np.trapezoid(values, inside / SECOND)) / 3600
    return total


def _arrays(feeds: Sequence[Samples]) -> list[Feed]:
    return [(part.times, part.values) for part in feeds]
