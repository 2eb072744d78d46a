"""The row of a start-up step: its power, when it was ready, and how loud it was."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from app.analysis.feeds import result_of
from app.analysis.results import energy_mean
from app.analysis.samples import Times, channels_of, samples_of
from app.analysis.startup import startup_results
from app.record.store import GapRow, Result, Session, Window
from instruments.base import DUT
from instruments.reading import MISSED_PERIODS, POLL, SECOND, Channel, Status
from instruments.sizes import listed

NOISE = "startup_noise_db"
"""The noise from switching on: its window begins with that moment."""

_TO_READY = ("time_to_ready_s", "energy_to_ready_wh")


@dataclass(frozen=True, slots=True)
class StartupRow:
    """What a start-up resulted in."""

    results: tuple[Result, ...]
    missed: str  # what was asked for and not found, "" where all was


def startup_row(session: Session, window: Window, on_ns: int, ready: str) -> StartupRow:
    """Compute the row of a start-up.

    Args:
        session: The session; call `refresh` first while it is recorded.
        window: From before the device was switched on until the end.
        on_ns: When it was switched on.
        ready: The source whose last value shows that it is ready; "" where settled
            power does.
    """
    moment, note = ready_moment(session, ready, window, on_ns) if ready else (None, "")
    results = {one.name: one for one in startup_results(session, window, moment)}
    is_late = bool(ready) and moment is None
    for name in _TO_READY if is_late else ():
        # When power settled is not the time that was asked for.
        if name in results:
            results[name] = replace(results[name], value=None, note="it was not ready")
    time = results.get(_TO_READY[0])
    if all(result.value is None for result in results.values()):
        missed = "no meter measured the power of the start"
    elif is_late:
        missed = f"it was not ready: {note}"
    else:
        missed = time.note if time is not None and time.value is None else ""
    if note and time is not None:
        results[time.name] = replace(time, note=f"{time.note}, {note}")
    return StartupRow((*results.values(), *_noise(session, (on_ns, window[1]))), missed)


def _noise(session: Session, window: Window) -> list[Result]:
    """Compute how loud it was from switching on."""
    own = {s.name for s in session.sources() if s.measures == DUT}
    levels = [
        c for c in channels_of(session.channels(), "LAeq", "dB") if c.source in own
    ]
    if not levels:
        return []
    samples = samples_of(session, levels[0], window)
    if not samples.values.size:
        return []
    seconds = (levels[0].window_ns or levels[0].period_ns) / SECOND
    mean, most = energy_mean(samples.values), float(np.max(samples.values))
    return [
        result_of(
            NOISE,
            mean,
            "dB",
            window,
            [samples],
            note="energy mean of LAeq from switching on",
        ),
        result_of(
            "startup_noise_max_db",
            most,
            "dB",
            window,
            [samples],
            note=f"highest LAeq over {seconds:g} s",
        ),
    ]


_BEFORE_NS = 600 * SECOND
"""What had a value so long before a device was off was there. [judged]"""

_SHUT_DOWN_NS = 60 * SECOND
"""So long before it was off a drive may be put to sleep to be switched off. [judged]"""

_NAMED = 3

_NOT_AWAY = (Status.MISSED, Status.STANDBY)
_FAILED = (Status.TIMEOUT, Status.ERROR)


def ready_moment(
    session: Session, source: str, window: Window, on_ns: int
) -> tuple[int | None, str]:
    """Find when the last channel of a source had its first value after a cold start.

    Only what was asked after switching on tells of it. A channel that had a value
    before and none at the end has not come back, whether its source was not read since
    or did not have it; nor has a drive that was awake before, and has slept ever since:
    it waits for its turn to spin up. One that had no value before, such as an empty
    slot, or slept then as well, counts for nothing. Nor does one that had a value while
    the device was off, such as a sensor of the BMC: it tells nothing of the start.

    Args:
        session: The session.
        source: The name of the source.
        window: From when the device was off to the end, in ns.
        on_ns: When it was switched on.

    Returns:
        The moment in ns, None where no channel tells it; and a phrase that says what it
        is, or why there is none.
    """
    firsts: list[int] = []
    missing: list[str] = []
    waiting: list[str] = []
    is_always_on = False
    for channel in session.channels():
        if channel.source != source or channel.quantity == POLL:
            continue
        if _answers_while_off(session, channel, (window[0], on_ns)):
            is_always_on = True
            continue
        first = _first_answer(session, channel, (on_ns, window[1]))
        if first is not None:
            firsts.append(first)
        elif _had_value(session, channel, window):
            is_asleep = _asleep(session, channel, (on_ns, window[1]))
            (waiting if is_asleep else missing).append(channel.name)
    if missing:
        names = listed(missing, _NAMED)
        return None, f"{names} did not answer at the end, as before it was off"
    if waiting:
        seconds = (window[1] - on_ns) / SECOND
        names = listed(waiting, _NAMED)
        return None, f"{names} slept to the end, {seconds:.1f} s after switching on"
    if not firsts and is_always_on:
        return None, f"{source} had its values while the device was off, too"
    if not firsts:
        return None, f"{source} had no value at the end"
    return max(firsts), f"the last of {len(firsts)} values of {source}"


def _answers_while_off(session: Session, channel: Channel, off: Window) -> bool:
    """Tell whether a channel was asked, and had a value, while a device was off."""
    found = samples_of(session, channel, off)
    asked, told = found.times - found.spans / 2, found.times + found.spans / 2
    return bool(((asked >= off[0]) & (told <= off[1])).any())


def _first_answer(session: Session, channel: Channel, window: Window) -> int | None:
    """Get the first of the values that a channel has had ever since; None for none.

    One that was asked for before the window may be of before the device was off. A beat
    that was missed says nothing of the device, a drive that sleeps is there, and one
    reading that fails between others is no drive that went away; more of them are, also
    where they fail as a whole and there is no reading of that time.
    """
    trace = session.trace(channel, window, None)
    gaps = session.gaps(channel, window)
    asked = trace.times - np.nan_to_num(trace.spans) / 2
    missing = np.isnan(trace.mean)
    counts = asked >= window[0]
    counts &= ~(missing & _within(gaps, _NOT_AWAY, trace.times))
    failed = (missing & _within(gaps, _FAILED, trace.times))[counts]
    alone = failed & ~np.r_[False, failed[:-1]] & ~np.r_[failed[1:], False]
    times, known = trace.times[counts][~alone], ~missing[counts][~alone]
    lost = _lost(gaps, channel, times, window)
    at = np.searchsorted(times, lost, "right")
    times, known = np.insert(times, at, lost), np.insert(known, at, False)
    if not known.any() or not known[-1]:
        return None
    away = np.flatnonzero(~known)
    return int(times[away[-1] + 1 if away.size else 0])


def _lost(
    gaps: Sequence[GapRow], channel: Channel, times: Times, window: Window
) -> list[int]:
    """Get when a channel was lost for longer than a beat or two, with no reading."""
    found = []
    for gap in gaps:
        start = max(gap.start_ns, window[0])
        later = times[times > start]
        until = min(gap.end_ns, window[1], int(later[0]) if later.size else window[1])
        if gap.reason in _FAILED and until - start > MISSED_PERIODS * channel.period_ns:
            found.append(start)
    return sorted(found)


def _within(
    gaps: Sequence[GapRow], reasons: Collection[str], times: Times
) -> npt.NDArray[np.bool_]:
    """Tell which times lie in gaps of these reasons."""
    found = np.zeros(times.size, dtype=np.bool_)
    for gap in gaps:
        if gap.reason in reasons:
            found |= (times >= gap.start_ns) & (times <= gap.end_ns)
    return found


def _had_value(session: Session, channel: Channel, window: Window) -> bool:
    """Tell whether a channel had a value not long before a device was off.

    One that sleeps at the end and slept before, too, is there.
    """
    since = window[0] - max(_BEFORE_NS, MISSED_PERIODS * channel.period_ns)
    times = samples_of(session, channel, (round(since), window[0])).times
    if not times.size:
        return False
    before = int(times[-1]), window[0] - _SHUT_DOWN_NS
    slept = before[0] < before[1] and _asleep(session, channel, before)
    return not (slept and _asleep(session, channel, window))


def _asleep(session: Session, channel: Channel, window: Window) -> bool:
    """Tell whether what was last said of a drive within a window is that it sleeps."""
    gaps = [g for g in session.gaps(channel, window) if g.reason != Status.MISSED]
    last = max(gaps, key=lambda gap: gap.end_ns, default=None)
    return last is not None and last.reason == Status.STANDBY
