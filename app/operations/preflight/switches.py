"""Pre-flight of the switches: does each answer, before a step relies on it."""

from collections.abc import Sequence

from app.operations.bench.switch_check import SwitchCheck
from app.operations.preflight.finding import Finding, Help, ok, stop, warn
from app.plan.campaign import Campaign
from app.plan.startup import check_startup


def check_switches_used(
    checks: Sequence[SwitchCheck], campaign: Campaign
) -> list[Finding]:
    """Say which switches answer; one that a step switches with has to.

    Args:
        checks: What the switches of the bench answered.
        campaign: Its start-up steps name the switches that they need.
    """
    used = {
        check_startup(step.options).switch: label
        for label, step in campaign.runs
        if step.engine == "startup"
    }
    found: list[Finding] = []
    for check in checks:
        name = check.config.name
        if check.ok:
            found.append(ok("Switches", f"{name} answers{_told(check)}"))
        elif name in used:
            text = f'"{used[name]}" switches by {name}: {check.error}'
            found.append(stop("Switches", text, Help.BENCH, name))
        else:
            text = f"no step switches by it, but it does not answer: {check.error}"
            found.append(warn("Switches", text, Help.BENCH, name))
    return found


def _told(check: SwitchCheck) -> str:
    return f", {check.text}" if check.text else ""
