"""Pre-flight of interlocks: what watches nothing, is blind, or would hold at once."""

import shutil
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from app.bench.model import Bench
from app.operations.bench.check import SourceCheck
from app.operations.preflight.finding import Finding, Help, ok, stop, warn
from app.plan.campaign import Campaign
from app.plan.interlocks import Interlock
from workloads.sizes import describe_size

IDLE_ONLY = ("smart",)
"""Drivers that by default leave drives alone while a load runs."""


def check_interlocks(
    interlocks: Sequence[Interlock],
    bench: Bench,
    checks: Sequence[SourceCheck],
    folder: Path,
) -> list[Finding]:
    """Say which interlocks watch nothing, nothing under load, or trip as it is now.

    Args:
        interlocks: Those of the bench and of the campaign.
        bench: Its sources.
        checks: What they answered.
        folder: Where the session is to be stored.
    """
    found = [
        stop("Interlocks", f"{one.name} would hold at once: {why}", Help.CAMPAIGN)
        for one in interlocks
        for why in _tripped(one, checks, folder)
    ]
    idle_only = {
        source.name
        for source in bench.sources
        if source.driver.name in IDLE_ONLY and not source.keys.get("under_load")
    }
    names = {source.name for source in bench.sources}
    channels = [channel for check in checks for channel, _, _ in check.values]
    for one in interlocks:
        if one.lost:
            watched = [n for n in names if any(fnmatchcase(n, p) for p in one.lost)]
            if not watched:
                text = f"{one.name} watches {', '.join(one.lost)}, which is not there"
                found.append(stop("Interlocks", text, Help.CAMPAIGN))
        if not one.channels:
            continue
        seen = [
            channel
            for channel in channels
            if any(fnmatchcase(channel.name, pattern) for pattern in one.channels)
        ]
        if not seen:
            text = f"{one.name} watches {', '.join(one.channels)}, which is not there"
            found.append(stop("Interlocks", text, Help.CAMPAIGN))
        elif all(channel.source in idle_only for channel in seen):
            text = (
                f"{one.name} is blind while a load runs: {seen[0].source} does not "
                "read drives then; add a source that does, such as drives or hwmon"
            )
            found.append(stop("Interlocks", text, Help.BENCH, seen[0].source))
    if interlocks and not found:
        found.append(ok("Interlocks", f"{len(interlocks)} watch the run"))
    if not interlocks:
        text = "none: nothing holds the run when drives get hot or a meter is lost"
        found.append(warn("Interlocks", text, Help.CAMPAIGN))
    return found


def check_cold_starts(
    interlocks: Sequence[Interlock], bench: Bench, campaign: Campaign
) -> list[Finding]:
    """Say which interlocks a cold start would trip by taking the power away.

    What is lost or low because the device is off does not come back by itself: the
    step would be held, with the device off, until the interlock gives up.
    """
    starts = [label for label, step in campaign.runs if step.engine == "startup"]
    if not starts:
        return []
    powered = [s.name for s in bench.sources if s.section == "thermal"]
    found = []
    for one in interlocks:
        lost = [n for n in powered if any(fnmatchcase(n, p) for p in one.lost)]
        if not lost and one.below is None:
            continue
        what = f"{lost[0]} is lost" if lost else f"values are {one.limit}"
        text = (
            f'{one.name} may hold "{starts[0]}" with the device off: {what} while it '
            "has no power; watch the meter, or values that are too high"
        )
        found.append(warn("Interlocks", text, Help.CAMPAIGN))
    return found


def _tripped(
    one: Interlock, checks: Sequence[SourceCheck], folder: Path
) -> Iterator[str]:
    """Say what is beyond an interlock's threshold already."""
    bad = [
        (channel, value)
        for check in checks
        for channel, value, status in check.values
        if status.is_value and any(fnmatchcase(channel.name, p) for p in one.channels)
        if one.trips_at(value)
    ]
    if bad:
        (channel, value), more = bad[0], len(bad) - 1
        also = f" (and {more} more)" if more else ""
        unit = channel.unit.replace("degC", "°C")
        yield f"{channel.name} is {value:.4g} {unit}, {one.limit}{also}"
    if one.disk_free:
        free = shutil.disk_usage(folder).free
        if free < one.disk_free:
            wanted = describe_size(one.disk_free)
            yield f"{describe_size(free)} are free in {folder}, below {wanted}"
