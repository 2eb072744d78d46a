"""Are the channels of a recorded bench as a prompt wants them, and since when."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from app.plan.conditions import Condition
from app.record.store import Session
from instruments.reading import Channel, Status


@dataclass(frozen=True, slots=True)
class ConditionState:
    """How it stands with the conditions of a prompt.

    Attributes:
        missing: What is not as it should be, in words; "" where all is.
        since_ns: Time of the last reading that made it so; None where it is not.
    """

    missing: str
    since_ns: int | None = None


def check_conditions(
    session: Session, conditions: Sequence[Condition], since_ns: int, now_ns: int
) -> ConditionState:
    """Look at the readings of a span; older ones tell nothing of what was asked.

    A channel is as it should be where its newest reading is; the moment told is that
    of the first reading since which it has been so without a break.

    Args:
        session: The session while it is recorded, refreshed.
        conditions: What has to hold, all of it.
        since_ns: Readings before this moment do not count.
        now_ns: Up to here.
    """
    missing: list[str] = []
    moments = [since_ns]
    for condition in conditions:
        matching = [
            channel
            for channel in session.channels()
            if fnmatchcase(channel.name, condition.pattern)
        ]
        if not matching:
            missing.append(f"no channel of the bench is called {condition.pattern}")
        for channel in matching:
            told, moment = _look(session, channel, condition, (since_ns, now_ns))
            if told:
                missing.append(told)
            elif moment is not None:
                moments.append(moment)
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        return ConditionState("; ".join(missing[:3]) + more)
    return ConditionState("", max(moments))


def _look(
    session: Session, channel: Channel, condition: Condition, window: tuple[int, int]
) -> tuple[str, int | None]:
    """Look at one channel: what is missing, or since when nothing is."""
    trace = session.trace(channel, window)
    if not len(trace):
        return f"{channel.name} has not been read since", None
    values = [float(v) if np.isfinite(v) else None for v in trace.mean]
    if values[-1] is None and (why := _not_told(session, channel, window)):
        return f"{channel.name} cannot be read just now ({why})", None
    good = [condition.holds(value) for value in values]
    if not good[-1]:
        newest = values[-1]
        told = "" if newest is None else f"{newest:.4g} {channel.printed_unit}"
        is_now = "absent" if newest is None else told.rstrip()
        return f"{channel.name} is {is_now}, wanted: {_wanted(condition)}", None
    first = len(good) - 1
    while first and good[first - 1]:
        first -= 1
    return "", int(trace.times[first])


def _not_told(session: Session, channel: Channel, window: tuple[int, int]) -> str:
    """Get why a channel has no value, "" where its source says it is absent."""
    gaps = session.gaps(channel, window)
    newest = max(gaps, key=lambda gap: gap.end_ns, default=None)
    if newest is None or newest.reason == Status.ABSENT:
        return ""
    return newest.detail or newest.reason


def _wanted(condition: Condition) -> str:
    return str(condition).removeprefix(condition.pattern).strip()
