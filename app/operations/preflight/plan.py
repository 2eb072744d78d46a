"""Pre-flight of the plan: does it fit the bench, and when does it end."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from app.bench.model import Bench
from app.campaign.checks.engines import check_engines
from app.campaign.checks.preflight import check_plan
from app.campaign.phases.command import lacking_of_commands
from app.operations.preflight.finding import Finding, Help, ok, stop
from app.plan.campaign import Campaign
from app.plan.durations import clock_text
from instruments.errors import BenchError


def check_campaign(
    campaign: Campaign, bench: Bench, without: Sequence[str], erase: Sequence[str]
) -> list[Finding]:
    """Say what keeps the campaign from starting, and which programs are missing."""
    if lacking := lacking_of_commands(campaign, bench):
        return [stop("Plan", str(error), Help.CAMPAIGN) for error in lacking]
    try:
        check_plan(campaign, bench, without)
        troubles = check_engines(campaign, erase, is_use=False)
    except BenchError as error:
        return [stop("Plan", str(error), Help.CAMPAIGN)]
    missing = [str(error) for error in troubles.values()]
    if missing:
        return [stop("Plan", text, Help.CAMPAIGN) for text in missing]
    return [ok("Plan", f"{len(campaign.runs)} rows, every program is there")]


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
