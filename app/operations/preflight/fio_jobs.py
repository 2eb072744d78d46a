"""Pre-flight of the fio jobs: what fio says only when it runs, or never."""

from app.bench.model import Bench
from app.operations.editing.fio_check import find_in_steps
from app.operations.preflight.finding import Finding, Help, ok, stop, warn
from app.plan.campaign import Campaign
from instruments.errors import BadInput

TOPIC = "fio jobs"


def check_fio_jobs(campaign: Campaign, bench: Bench) -> list[Finding]:
    """Say what of the fio jobs would fail, measure something else, or do nothing.

    Args:
        campaign: The plan.
        bench: Where it is to run.

    Returns:
        One line a thing, whichever steps have it; nothing without a fio step.
    """
    jobs = [row for row, step in campaign.runs if step.engine == "fio"]
    if not jobs:
        return []
    try:
        found = find_in_steps(campaign, bench)
    except BadInput as error:
        return [stop(TOPIC, str(error), Help.TARGET)]
    told: dict[tuple[str, str, bool], list[str]] = {}
    for one in found:
        key = (one.finding.quote, one.sentence, one.finding.decide)
        labels = told.setdefault(key, [])
        if one.label not in labels:
            labels.append(one.label)
    lines = []
    for (quote, sentence, decide), labels in told.items():
        more = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
        text = f"{labels[0]}{more}: {f'{quote}: ' if quote else ''}{sentence}"
        lines.append((stop if decide else warn)(TOPIC, text, Help.CAMPAIGN))
    rows = f"{len(jobs)} row{'s' * (len(jobs) > 1)}"
    return lines or [ok(TOPIC, f"{rows}, fio takes every job")]
