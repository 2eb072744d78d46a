"""The row of a start-up step: its power, when it was ready, and how loud it was."""

from dataclasses import dataclass, replace

import numpy as np

from app.analysis.results import energy_mean
from app.analysis.samples import channels_of, result_of, samples_of
from app.analysis.startup import ready_moment, startup_results
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
        ready: The source whose last value tells that it is ready; "" where settled
            power does.
    """
    since_on = (on_ns, window[1])
    moment, note = ready_moment(session, ready, since_on) if ready else (None, "")
    found = startup_results(session, window, moment)
    if ready and moment is None:
        # What is told of power that settled is not the time that was asked for.
        found = [
            replace(result, value=None, note="it was not ready")
            if result.name in _TO_READY
            else result
            for result in found
        ]
    if not any(result.value is not None for result in found):
        missed = "no meter measured the power of the start"
    elif ready and moment is None:
        missed = f"it was not ready: {note}"
    else:
        times = [result for result in found if result.name == _TO_READY[0]]
        missed = "; ".join(time.note for time in times if time.value is None)
    if note:
        found = [
            replace(result, note=f"{result.note}, {note}")
            if result.name == _TO_READY[0]
            else result
            for result in found
        ]
    return StartupRow((*found, *_noise(session, since_on)), missed)


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
