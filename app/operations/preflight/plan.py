"""Pre-flight of the plan: does it fit the bench, when does it end, what guards it."""

import shutil
from collections.abc import Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from app.bench import Bench
from app.campaign.engine_checks import check_engines
from app.campaign.preflight import check_plan
from app.operations.check import SourceCheck
from app.operations.preflight.finding import Finding, Help, ok, stop, warn
from app.plan.campaign import Campaign
from app.plan.durations import clock_text
from app.plan.interlocks import Interlock
from app.plan.prompt import check_command
from instruments.errors import BenchError

IDLE_ONLY = ("smart",)
"""Drivers that by default leave drives alone while a load runs."""


def check_campaign(
    campaign: Campaign, bench: Bench, without: Sequence[str], erase: Sequence[str]
) -> list[Finding]:
    """Say what keeps the campaign from starting, and which programs are missing."""
    try:
        check_plan(campaign, bench, without)
        troubles = check_engines(campaign, erase)
    except BenchError as error:
        return [stop("Plan", str(error), Help.CAMPAIGN)]
    missing = [str(error) for error in troubles.values()]
    missing += _missing_commands(campaign)
    if missing:
        return [stop("Plan", text, Help.CAMPAIGN) for text in missing]
    return [ok("Plan", f"{len(campaign.runs)} rows, every program is there")]


def _missing_commands(campaign: Campaign) -> list[str]:
    """Say which programs of the user's own commands are not there."""
    found: dict[str, str] = {}
    for label, step in campaign.runs:
        if step.engine == "command":
            program = check_command(step.options).argv[0]
            if shutil.which(program) is None:
                found.setdefault(program, label)
    return [
        f'the step "{label}" runs {program}, which is not here or not executable'
        for program, label in found.items()
    ]


def check_end(campaign: Campaign, now: datetime) -> list[Finding]:
    """Say when the campaign will have ended."""
    end = now + timedelta(seconds=campaign.duration_s)
    day = "" if end.date() == now.date() else f" on {end:%A, %d %B}"
    told = f"about {end:%H:%M}{day}, in {clock_text(campaign.duration_s)}"
    asking = [label for label, step in campaign.runs if step.asks]
    if asking:
        text = f"{told}, and when {len(asking)} prompts have been answered"
        return [ok("Estimated end", text)]
    return [ok("Estimated end", told)]


def check_interlocks(
    interlocks: Sequence[Interlock], bench: Bench, checks: Sequence[SourceCheck]
) -> list[Finding]:
    """Say which interlocks watch nothing, or nothing while a load runs."""
    found: list[Finding] = []
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
