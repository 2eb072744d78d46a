"""Judging a step: what its load, its limits and its channels say of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from app.analysis.coverage import Coverage, unmeasured
from app.analysis.io_checks import IoFinding
from app.analysis.tail import WORDS as TAILS
from app.analysis.tail import Tail, percentile_head, thin_percentiles
from app.campaign.phases.step_log import StepEnd
from app.plan.limits import Limit
from app.plan.verdict import Cause, Outcome, Verdict, worst
from instruments.reading import Channel
from instruments.sizes import listed
from workloads.base import LoadCause, LoadOutcome, LoadResult

STOPPED = StepEnd(
    Outcome.ABORTED,
    Verdict.ABORTED,
    "stopped by the operator before its end",
    Cause.STOPPED,
)

NOTHING_DONE = (
    "not one read or write was finished in its window, so nothing was measured; "
    "give it a longer runtime, or see whether its target hangs"
)

_CAUSES: Mapping[LoadCause, Cause] = {
    LoadCause.OVERTIME: Cause.OVERTIME,
    LoadCause.GUARD: Cause.GUARD,
    LoadCause.BUDGET: Cause.BUDGET,
    LoadCause.HOST: Cause.HOST,
}
"""What made a load fail; its program and its results did where none of these."""


def judge(
    result: LoadResult,
    values: Mapping[str, float | None],
    limits: Sequence[Limit],
    silent: Sequence[Channel],
    io: Sequence[IoFinding] = (),
    *,
    coverage: Sequence[Coverage] = (),
    lost: Mapping[str, str] | None = None,
) -> StepEnd:
    """Judge a step: the operator first, then the bench, then the device.

    Args:
        result: How the load, or the time in which nothing runs, ended.
        values: The step's results by their names in report_table.
        limits: What the plan demands of them.
        silent: Configured channels that delivered nothing.
        io: What the comparison with the disk itself says.
        coverage: How much of the window each measured result covers.
        lost: Sources of which nothing at all was measured, and why; their channels
            need not be among `silent`.
    """
    if result.outcome is LoadOutcome.STOPPED:
        return STOPPED
    if result.outcome is LoadOutcome.DEVICE_FAILED:
        return StepEnd(Outcome.DONE, Verdict.FAIL, result.reason, Cause.DEVICE)
    if result.outcome is LoadOutcome.FAILED:
        cause = _CAUSES.get(result.cause, Cause.LOAD)
        return StepEnd(Outcome.ERROR, Verdict.ERROR, result.reason, cause)
    if result.window is None:
        reason = "the load ended without a measured window"
        return StepEnd(Outcome.ERROR, Verdict.ERROR, reason, Cause.UNMEASURED)
    if values.get("iops", values.get("bandwidth_mb_s")) == 0:
        return StepEnd(Outcome.ERROR, Verdict.ERROR, NOTHING_DONE, Cause.UNMEASURED)
    away = lost or {}
    broken = [channel for channel in silent if channel.source not in away]
    missing = "; ".join([*map(_lost, away.items()), *_delivered_nothing(broken)])
    return judge_values(values, limits, missing, io, coverage)


def judge_values(
    values: Mapping[str, float | None],
    limits: Sequence[Limit],
    missing: str,
    io: Sequence[IoFinding],
    coverage: Sequence[Coverage],
) -> StepEnd:
    """Judge what was measured of a step that came to its end; see `judge`."""
    if void := [finding.text for finding in io if finding.is_void]:
        return StepEnd(Outcome.VOID, Verdict.ERROR, "; ".join(void), Cause.CACHED)
    if missing:
        return StepEnd(Outcome.DONE, Verdict.ERROR, missing, Cause.SILENT)
    if reason := unmeasured(coverage):
        return StepEnd(Outcome.ERROR, Verdict.ERROR, reason, Cause.UNMEASURED)
    if reason := _unjudged(limits, values, coverage):
        return StepEnd(Outcome.DONE, Verdict.ERROR, reason, Cause.UNJUDGED)
    broken = [text for limit in limits if (text := limit.broken_by(values))]
    near = [text for limit in limits if (text := limit.near(values))]
    reasons = "; ".join([*broken, *near, *_of_few(limits, values)])
    if broken:
        return StepEnd(Outcome.DONE, Verdict.FAIL, reasons, Cause.LIMIT)
    return StepEnd(Outcome.DONE, Verdict.PASS, reasons, Cause.NONE)


def _unjudged(
    limits: Sequence[Limit],
    values: Mapping[str, float | None],
    coverage: Sequence[Coverage],
) -> str:
    """Say why a limit cannot be judged; "" where all can."""
    missing = next(filter(None, (one.unjudged_by(values) for one in limits)), "")
    return missing or _thinly(limits, coverage) or _by_the_longest(limits, values)


def _lost(source: tuple[str, str]) -> str:
    """Say that a source was lost all the time: its sensors are not what is broken."""
    name, why = source
    return f"{name} delivered nothing in this step{f': {why}' if why else ''}"


def context_remarks(silent: Sequence[Channel], lost: Mapping[str, str]) -> list[str]:
    """Say what lacks of machines; it is told beside a row, for no result is made of it.

    Args:
        silent: Channels of section "host" without a value.
        lost: Their sources that delivered nothing at all, and why, "" where unknown.
    """
    told = [_lost(source) for source in lost.items()]
    some = [channel for channel in silent if channel.source not in lost]
    told += [f"{_names(some)} delivered nothing in this step"] if some else []
    return [f"{text}; no result is made of it" for text in told]


def _delivered_nothing(silent: Sequence[Channel]) -> list[str]:
    if not silent:
        return []
    return [f"{_names(silent)} delivered nothing in this step{_way_out(silent)}"]


def _thinly(limits: Sequence[Limit], coverage: Sequence[Coverage]) -> str:
    """Say which limit is on a result that covers too little; "" for none."""
    thin = {one.result: one for one in coverage if one.is_poor}
    for limit in limits:
        if one := thin.get(limit.result):
            return (
                f"{one.result} is made of {one.n_valid} of {one.n_expected} samples "
                f"only, {limit} cannot be judged"
            )
    return ""


def _by_the_longest(limits: Sequence[Limit], values: Mapping[str, float | None]) -> str:
    """Say which limit rests on a percentile being as low as the longest I/O; or "".

    Of so few I/Os nobody knows how much longer it would be of more. Where the longest
    one is beyond a number more I/Os were than the percentile allows: that holds.
    """
    thin = thin_percentiles(values)
    for limit in limits:
        needs_less = limit.comparison.startswith("<") != bool(limit.broken_by(values))
        if thin.get(limit.result) is Tail.LONGEST and needs_less:
            return (
                f"{percentile_head(limit.result)}: {TAILS[Tail.LONGEST]}; "
                f"{limit} cannot be judged, "
                "let the step run longer"
            )
    return ""


def _of_few(
    limits: Sequence[Limit], values: Mapping[str, float | None]
) -> Iterator[str]:
    """Say of which percentiles with a limit another run may give quite another one."""
    thin = thin_percentiles(values)
    for name in dict.fromkeys(limit.result for limit in limits):
        if name in thin:
            yield f"{percentile_head(name)}: {TAILS[thin[name]]}"


def _way_out(silent: Sequence[Channel]) -> str:
    """Say how to go on with a sensor that stays broken; "" where none is one of many.

    What has no location is what its source is there for, and is not left out.
    """
    sensors = [channel for channel in silent if channel.location]
    if not sensors:
        return ""
    source = sensors[0].source
    own = [f'"{c.quantity}.{c.location}"' for c in sensors if c.source == source]
    more = ", ..." if len(own) > 3 or len(own) < len(sensors) else ""
    return (
        "; what is broken for good is excluded by ignore = "
        f"[{', '.join(own[:3])}{more}] of {source} in the bench"
    )


def _names(channels: Sequence[Channel]) -> str:
    return listed([channel.name for channel in channels], 3)


def with_found(
    end: StepEnd, remarks: Sequence[str], missed: str, cause: Cause = Cause.UNREACHED
) -> StepEnd:
    """Add to the end of a step what its phase has to say.

    A step that ran to its end, but not to what the plan asked for, cannot be quoted as
    if it had: that is an ERROR, which is not a verdict on the device.

    Args:
        end: How the step was judged.
        remarks: Sentences for the row.
        missed: What was asked for and not reached; "" where nothing was.
        cause: The code for that.
    """
    if end.outcome is not Outcome.DONE or end.verdict is None:
        return end
    reason = "; ".join(filter(None, (missed, end.reason, *remarks)))
    if not missed:
        return replace(end, reason=reason)
    verdict = worst([end.verdict, Verdict.ERROR])
    return replace(end, verdict=verdict, reason=reason, cause=cause)
