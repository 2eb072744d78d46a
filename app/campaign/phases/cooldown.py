"""A cool-down while it runs: it ends at the temperature or slope of the plan."""

from collections.abc import Sequence

import numpy as np

from app.analysis.samples import Floats, Times
from app.analysis.steady.cooling import CoolDown, Cooling
from app.analysis.steady.rounds import Rounds
from app.campaign.phases.phase import StepRun
from app.plan.cooldown import CoolDownPlan, check_cooldown
from app.record.store import Result, Session, Window
from instruments.errors import BadInput
from instruments.reading import EXCUSED, SECOND, Channel
from instruments.settings import did_you_mean, some_of
from workloads.base import LoadOutcome, LoadResult

_LOOK_S = 1.0
_LOOKS = 100
"""Looks in the time over which the slope is taken; more would only cost time."""

# A little more than the rule reaches back, so that slow sensors have a reading at its
# start.
_LONGER = 1.2
# An older temperature says nothing of now; slow sources get some of their beats.
_FRESH_S = 10.0
_FRESH_BEATS = 3
"""A temperature holds until the next, but for no longer than these."""

NO_DRIVE = (
    "no source of this bench measures the temperature of a drive, so it lasts its "
    "whole runtime"
)


def cool_down(run: StepRun) -> LoadResult:
    """Wait until the device is cool, as the plan says it; its runtime is the longest.

    Raises:
        BadInput: The channel that is named is not there.
    """
    plan = check_cooldown(run.step.options)
    begin = run.start_ns + round(run.step.ramp_s * SECOND)
    longest = begin + round(run.step.runtime_s * SECOND)
    run.log.expect_window(run.step_id, begin)
    watched = () if plan.only_time else watched_channels(run.session, plan.channel)
    blind = not watched and not plan.only_time
    if blind:
        run.tell(NO_DRIVE)
        run.recorder.event("warning", "campaign", f"{run.label}: {NO_DRIVE}")
    rule = _rule(plan, run.step.runtime_s, watched)
    cooling = _wait(run, rule, watched, begin, longest)
    end = min(longest, run.clock.monotonic_ns())
    window = (begin, end) if end > begin else None
    if run.is_over():
        return LoadResult(LoadOutcome.STOPPED, "stopped before its end", window)
    if watched:
        if not cooling.done:
            cooling = _look(run, rule, watched, begin, end)
        _keep(run, cooling, watched, (begin, end))
    elif blind:
        run.findings.remarks.append(NO_DRIVE)
    return LoadResult(LoadOutcome.DONE, window=window)


def _rule(plan: CoolDownPlan, runtime_s: float, watched: Sequence[Channel]) -> CoolDown:
    slow_s = [_FRESH_BEATS * channel.period_ns / SECOND for channel in watched]
    return CoolDown(
        plan.until_c,
        plan.slope_k_h,
        plan.window_s,
        plan.at_least_s,
        runtime_s,
        fresh_s=max([_FRESH_S, *slow_s]),
    )


def _wait(
    run: StepRun,
    rule: CoolDown,
    watched: tuple[Channel, ...],
    begin: int,
    longest: int,
) -> Cooling:
    """Wait until it is cool, stopped or over; get how it stood at the last look."""
    cooling, pause_s = Cooling(False, ""), _LOOK_S
    if rule.slope_k_h is not None:
        pause_s = max(_LOOK_S, rule.window_s / _LOOKS)
    looked = begin
    while not run.is_over() and (now := run.clock.monotonic_ns()) < longest:
        if watched and now >= looked:
            cooling = _look(run, rule, watched, begin, now)
            if cooling.done:
                break
            looked = now + round(pause_s * SECOND)
        run.sleep(min(0.2, (longest - now) / SECOND))
    return cooling


def _keep(
    run: StepRun, cooling: Cooling, watched: Sequence[Channel], window: tuple[int, int]
) -> None:
    """Keep whether its temperature was reached; the row says so and why."""
    run.findings.remarks.append(cooling.why)
    names = ", ".join(channel.name for channel in watched[:3])
    reached = float(cooling.reached)
    run.findings.results.append(
        Result("cooldown_reached", reached, "", *window, 1, 1, names, cooling.why)
    )
    if not cooling.reached:
        run.recorder.event("warning", "campaign", f"{run.label}: {cooling.why}")


def watched_channels(session: Session, name: str) -> tuple[Channel, ...]:
    """Get the channels of which the hottest counts: the one named, else the drives.

    Raises:
        BadInput: The one that is named is not there.
    """
    if not name:
        return Rounds(session).drives
    known = session.channels()
    found = [channel for channel in known if channel.name == name]
    if not found:
        names = [channel.name for channel in known]
        hint = did_you_mean(name, names)
        raise BadInput(
            f"there is no channel {name}{hint}",
            where="cooldown.channel",
            way_out=f"Name one of {some_of(names)}, or none for the hottest drive.",
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
    since = max(begin_ns, now_ns - round(_LONGER * rule.reach_s * SECOND))
    held_ns = round(rule.fresh_s * SECOND)
    times, values = _hottest(run.session, watched, (since, now_ns), held_ns)
    cooling = rule.judge(begin_ns, now_ns, times, values)
    run.tell(cooling.why)
    return cooling


def _hottest(
    session: Session, channels: tuple[Channel, ...], window: Window, held_ns: int
) -> tuple[Times, Floats]:
    """Get the highest temperature at each time of any of the channels.

    Drives of one enclosure are read together; those read at other times count at
    theirs, so the last value is that of the drive that was read last. Each one's
    latest value therefore goes before: it holds until the next, for a few beats at
    most. While a drive is lost that did not go to sleep, which is the hottest is not
    known.
    """
    start, now_ns = window
    columns = []
    for channel in channels:
        trace = session.trace(channel, (start, now_ns + 1), None)
        known = ~np.isnan(trace.mean)
        columns.append((channel, trace.times[known], trace.mean[known]))
    every = [at for _, at, _ in columns]
    times: Times = np.unique(np.concatenate(every)) if every else np.zeros(0, np.int64)
    hottest: Floats = np.full(times.size, np.nan)
    unknown = np.zeros(times.size, dtype=np.bool_)
    for channel, at, values in columns:
        if not at.size:
            continue
        place = np.searchsorted(at, times, side="right") - 1
        lost = (place >= 0) & (times - at[np.maximum(place, 0)] > held_ns)
        held = np.where((place >= 0) & ~lost, values[np.maximum(place, 0)], np.nan)
        hottest = np.fmax(hottest, held)
        if lost.any():
            gaps = session.gaps(channel.name, (int(at[0]), now_ns))
            if not {gap.reason for gap in gaps} & EXCUSED:
                unknown |= lost
    return times, np.where(unknown, np.nan, hottest)
