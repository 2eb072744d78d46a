"""One fault of one source, recorded for real: what the session says of it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from app.bench.build import build_sources
from app.bench.file import parse_bench
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, Window
from instruments.base import Source
from instruments.reading import SECOND
from tests.faults.part import Fault, Part
from tests.session_info import session_info

LONG_S = 20.0
FROZEN_S = 40.0
"""Longer than the longest time in which a level may really stay the same."""

BACK_S = 40.0
_LOOK_S = 0.1


@dataclass(frozen=True)
class Outcome:
    """What one fault did.

    Attributes:
        source: The source.
        fault: The fault.
        reasons: Reasons of the gaps it made, none where values went on.
        told: The event that names it; "" for none.
        noticed_s: Seconds from its beginning to the event, None where none came.
        back_s: Seconds from its end to the next valid value, None where none came.
        missing_s: Seconds without a value of the first channel that it touched.
    """

    source: str
    fault: str
    reasons: tuple[str, ...]
    told: str
    noticed_s: float | None
    back_s: float | None
    missing_s: float


def build(part: Part) -> list[Source]:
    """Make the sources of a part, on its machine."""
    bench = parse_bench(
        f'name = "x"\n[dut]\nname = "x"\ntarget = "/tmp/x"\n{part.text}', "part"
    )
    host = part.host
    if host is None:
        return build_sources(bench)
    return [
        config.driver.build(config.driver.settings(config.name, config.keys, host))
        for config in bench.sources
    ]


def try_fault(part: Part, name: str, fault: Fault, folder: Path) -> list[Outcome]:
    """Record a part's sources while one of its faults comes and goes."""
    path = folder / f"{part.names[0]}-{name.replace(' ', '-')}.bayscope"
    clock = SystemClock()
    recorder = Recorder(
        path, replace(session_info(), monotonic_ns=clock.monotonic_ns()), clock=clock
    )
    recorder.start()
    try:
        for source in build(part):
            recorder.watch(source)
        _await(recorder, part.names, clock.monotonic_ns(), 30.0)
        begin = clock.monotonic_ns()
        fault.begin()
        time.sleep(_lasting(name, part))
        fault.end()
        end = clock.monotonic_ns()
        _await(recorder, part.names, end, BACK_S)
        # A reading that began before the mending may have been among them.
        _await(recorder, part.names, clock.monotonic_ns(), 10.0)
    finally:
        fault.end()
        recorder.close()
    with Session.open(path) as session:
        return [_told(session, one, name, (begin, end)) for one in part.names]


def _lasting(fault: str, part: Part) -> float:
    """Get the seconds that a fault lasts."""
    if fault.startswith("back"):
        return LONG_S
    return FROZEN_S if "frozen" in fault else part.hold_s


def _has_values(session: Session, channel: str, window: Window) -> bool:
    return not np.isnan(session.trace(channel, window).mean).all()


def _await(
    recorder: Recorder, names: Sequence[str], after_ns: int, seconds: float
) -> None:
    """Wait until each source has a reading that ended after a moment."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        health = recorder.health()
        done = (
            health[name].state == "ok" and health[name].last_ns > after_ns
            for name in names
        )
        if all(done):
            return
        time.sleep(_LOOK_S)


def _told(session: Session, source: str, fault: str, window: Window) -> Outcome:
    begin, end = window
    channels = [
        channel
        for channel in session.channels()
        if channel.source == source and channel.quantity != "poll"
    ]
    events = [
        event
        for event in session.events()
        if event.source == source and event.t_ns >= begin and event.level != "info"
    ]
    gaps = {
        channel.name: [
            gap for gap in session.gaps(channel, (begin, end)) if gap.end_ns > begin
        ]
        for channel in channels
    }
    # The channel that lacks most, of those that had values before.
    had = {name for name in gaps if _has_values(session, name, (0, begin))}
    missing = {
        name: sum(gap.end_ns - max(gap.start_ns, begin) for gap in own)
        for name, own in gaps.items()
        if name in had
    }
    worst = max(missing, key=lambda name: missing[name], default="")
    back = None
    if worst:
        trace = session.trace(worst, (end, end + 60 * SECOND))
        valid = trace.times[~np.isnan(trace.mean)]
        back = float(valid[0] - end) / SECOND if valid.size else None
    first = events[0] if events else None
    return Outcome(
        source,
        fault,
        tuple(sorted({gap.reason for name in had for gap in gaps[name]})),
        first.message if first else "",
        (first.t_ns - begin) / SECOND if first else None,
        back,
        missing.get(worst, 0) / SECOND,
    )
