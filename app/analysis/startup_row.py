"""The row of a start-up step: its power, when it was ready, and how loud it was."""

from dataclasses import dataclass, replace

import numpy as np

from app.analysis.feeds import result_of
from app.analysis.ready import ready_moment
from app.analysis.results import energy_mean
from app.analysis.samples import channels_of, samples_of
from app.analysis.startup import startup_results
from app.record.store import Result, Session, Window
from instruments.base import DUT
from instruments.reading import SECOND

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
