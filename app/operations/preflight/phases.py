"""Pre-flight of what steps wait for and switch: is there what they name, in time."""

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from app.analysis.steady.state import METHODS
from app.bench.model import Bench
from app.operations.bench.check import SourceCheck
from app.operations.preflight.finding import Finding, Help, stop
from app.plan.campaign import Campaign
from app.plan.cooldown import check_cooldown
from app.plan.prompt import check_prompt
from app.plan.startup import check_startup
from app.plan.step import Step
from instruments.durations import format_duration
from instruments.settings import did_you_mean, some_of

Troubles = Iterator[str]


def check_phases(
    campaign: Campaign,
    bench: Bench,
    checks: Sequence[SourceCheck],
    beside: Path | None = None,
) -> list[Finding]:
    """Say what steps name that is not there, and what cannot happen in their time.

    Args:
        campaign: The plan.
        bench: Its switches and sources.
        checks: What its sources answered; where one did not, its channels are not
            known, and none is missed.
        beside: Folder of the campaign's file, for its pictures; None looks for none.
    """
    answered = bool(checks) and all(check.ok for check in checks)
    channels = [c.name for check in checks for c, _, _ in check.values]
    known = channels if answered else None
    looks: dict[str, Callable[[Step], Troubles]] = {
        "startup": lambda step: _startup(step, bench),
        "cooldown": lambda step: _cooldown(step, known),
        "prompt": lambda step: _prompt(step, known, beside),
    }
    findings: dict[str, Finding] = {}
    for label, step in campaign.runs:
        troubles = [*looks[step.engine](step)] if step.engine in looks else []
        troubles += _steady(step)
        for trouble in troubles:
            text = f'"{label}" {trouble}'
            findings.setdefault(trouble, stop("Steps", text, Help.CAMPAIGN))
    return list(findings.values())


def _startup(step: Step, bench: Bench) -> Troubles:
    plan = check_startup(step.options)
    switches = [switch.name for switch in bench.switches]
    sources = [source.name for source in bench.sources]
    if plan.switch and plan.switch not in switches:
        there = _there("switch", plan.switch, switches)
        yield f"switches by {plan.switch}, and {there}"
    if plan.ready and plan.ready not in sources:
        there = _there("source", plan.ready, sources)
        yield f"is ready by {plan.ready}, and {there}"


def _cooldown(step: Step, known: Sequence[str] | None) -> Troubles:
    plan = check_cooldown(step.options)
    if known is not None and plan.channel and plan.channel not in known:
        yield f"waits for {plan.channel}, and {_there('channel', plan.channel, known)}"
    if plan.at_least_s > step.runtime_s:
        yield (
            f"lasts {format_duration(plan.at_least_s)} at least, and its runtime, "
            f"{format_duration(step.runtime_s)}, is less"
        )


def _prompt(step: Step, known: Sequence[str] | None, beside: Path | None) -> Troubles:
    asked = check_prompt(step.options)
    for condition in asked.check if known is not None else ():
        pattern = condition.pattern
        if not any(fnmatchcase(name, pattern) for name in known or ()):
            yield f"looks at {pattern}, and {_there('channel', pattern, known or ())}"
    if asked.picture and beside and not (beside / asked.picture).is_file():
        yield f"shows {asked.picture}, which is not in {beside}"


def _steady(step: Step) -> Troubles:
    if step.steady is None:
        return
    method = METHODS[step.steady.method]
    round_s = step.steady.round_s or method.round_s
    needed = method.rule.rounds
    if needed * round_s > step.runtime_s:
        yield (
            "cannot become steady in its runtime, "
            f"{format_duration(step.runtime_s)}: {step.steady.method} needs {needed} "
            f"rounds of {format_duration(round_s)}"
        )


def _there(kind: str, wanted: str, names: Sequence[str]) -> str:
    """Say what there is instead of what is wanted."""
    if hint := did_you_mean(wanted, names):
        return f"there is no such {kind}{hint}"
    if not names:
        return f"the bench has no {kind}"
    return f"the bench has no such {kind}, only {some_of(names, 4)}"
