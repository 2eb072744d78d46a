"""A cool-down while it runs: it ends at the temperature or slope of the plan."""

import numpy as np

from app.analysis.samples import Floats, Times
from app.analysis.steady.cooling import CoolDown, Cooling
from app.analysis.steady.rounds import Rounds
from app.campaign.phases.phase import StepRun
from app.plan.cooldown import check_cooldown
from app.record.store import Result, Session
from instruments.errors import BadInput
from instruments.reading import SECOND, Channel
from workloads.base import LoadOutcome, LoadResult

_LOOK_S = 1.0
_LOOKS = 100
"""Looks in the time over which the slope is taken; more would only cost time."""

_LONGER = 1.2
NO_DRIVE = (
    "no source of this bench tells the temperature of a drive, so it lasts its whole "
    "runtime"
)


def cool_down(run: StepRun) -> LoadResult:
    """Wait until the device is cool, as the plan says it; its runtime is the longest.

    Raises:
        BadInput: The channel that is named is not there.
    """
    plan = check_cooldown(run.step.options)
    begin = run.start_ns + round(run.step.ramp_s * SECOND)
    longest = begin + round(run.step.runtime_s * SECOND)
    rule = CoolDown(
        plan.until_c,
        plan.slope_k_h,
        plan.window_s,
        plan.at_least_s,
        run.step.runtime_s,
    )
    run.book.expect_window(run.step_id, begin)
    watched = () if plan.only_time else watched_channels(run.session, plan.channel)
    blind = not watched and not plan.only_time
    if blind:
        run.tell(NO_DRIVE)
        run.recorder.event("warning", "campaign", f"{run.label}: {NO_DRIVE}")
    cooling = Cooling(False, "")
    pause_s = _LOOK_S
    if plan.slope_k_h is not None:
        pause_s = max(_LOOK_S, plan.window_s / _LOOKS)
    looked = begin
    while not run.is_over() and (now := run.clock.monotonic_ns()) < longest:
        if watched and now >= looked:
            cooling = _look(run, rule, watched, begin, now)
            if cooling.done:
                break
            looked = now + round(pause_s * SECOND)
        run.sleep(min(0.2, (longest - now) / SECOND))
    end = min(longest, run.clock.monotonic_ns())
    window = (begin, end) if end > begin else None
    if run.is_over():
        return LoadResult(LoadOutcome.STOPPED, "stopped before its end", window)
    if watched:
        if not cooling.done:
            cooling = _look(run, rule, watched, begin, end)
        run.found.remarks.append(cooling.why)
        run.found.results.append(
            Result(
                "cooldown_reached",
                float(cooling.reached),
                "",
                *(begin, end),
                *(1, 1),
                ", ".join(channel.name for channel in watched[:3]),
                cooling.why,
            )
        )
        if not cooling.reached:
            run.recorder.event("warning", "campaign", f"{run.label}: {cooling.why}")
    elif blind:
        run.found.remarks.append(NO_DRIVE)
    return LoadResult(LoadOutcome.DONE, window=window)


def watched_channels(session: Session, name: str) -> tuple[Channel, ...]:
    """Get the channels of which the hottest counts: the one named, else the drives.

    Raises:
        BadInput: The one that is named is not there.
    """
    if not name:
        return Rounds(session).drives
    found = [channel for channel in session.channels() if channel.name == name]
    if not found:
        raise BadInput(
            f"there is no channel {name}",
            where="cooldown.channel",
            way_out="Name one of the session's, or none for the hottest drive.",
        )
    return tuple(found)


def _look(
    run: StepRun,
    rule: CoolDown,
    watched: tuple[Channel, ...],
    begin_ns: int,
    now_ns: int,
) -> Cooling:
    run.refresh()
    # What was before the time over which the slope is taken decides nothing.
    since = max(begin_ns, now_ns - round(_LONGER * rule.window_s * SECOND))
    times, values = _hottest(run.session, watched, since, now_ns)
    cooling = rule.judge(begin_ns, now_ns, times, values)
    run.tell(cooling.why)
    return cooling


def _hottest(
    session: Session, channels: tuple[Channel, ...], begin_ns: int, now_ns: int
) -> tuple[Times, Floats]:
    """Get the highest temperature at each time of any of the channels.

    Drives of one enclosure are read together; those read at other times count at
    theirs, so the last value is that of the drive that was read last. Each one's
    latest value therefore goes before: it holds until the next.
    """
    columns = []
    every: set[int] = set()
    for channel in channels:
        trace = session.trace(channel, (begin_ns, now_ns + 1), None)
        known = ~np.isnan(trace.mean)
        columns.append((trace.times[known], trace.mean[known]))
        every.update(trace.times[known].tolist())
    times: Times = np.array(sorted(every), dtype=np.int64)
    hottest: Floats = np.full(times.size, np.nan)
    for at, values in columns:
        if not at.size:
            continue
        place = np.searchsorted(at, times, side="right") - 1
        held = np.where(place >= 0, values[np.maximum(place, 0)], np.nan)
        hottest = np.fmax(hottest, held)
    return times, hottest
