"""A campaign shortened for a rehearsal: the same steps, its times divided."""

from collections.abc import Mapping
from dataclasses import replace

from app.plan.campaign import Campaign, rehearsal_warning
from app.plan.cooldown import OPTIONS as OF_COOLDOWN
from app.plan.phases import PHASES
from app.plan.rounds import LEAST as LEAST_ROUNDS
from app.plan.startup import LEAST_OFF_S
from app.plan.steady import SteadyPlan
from app.plan.step import Step
from app.plan.writing import campaign_text
from instruments.durations import format_duration, parse_duration
from instruments.errors import OptionError
from workloads.engines import LOADS, check_ramp

LEAST_S = 2.0
"""No step is shorter than that: with a ramp of one second one is measured."""

_RAMP_S = 1.0
_ROUND_S = 1.0
_STEADY_S = 12.0
"""Longest time at least of a step that has to be steady: 12 rounds of a second."""

_WINDOW_S = 10.0
_COOL_S = 3 * _WINDOW_S
"""Longest time at least of a cool-down that waits for a slope."""

_SLOPE = next(one for one in OF_COOLDOWN if one.key == "slope")
_WINDOW = next(one for one in OF_COOLDOWN if one.key == "window")

_TIMES: Mapping[str, tuple[tuple[str, float], ...]] = {
    "cooldown": (("at_least", 0.0), ("window", _WINDOW_S)),
    "startup": (("off_for", LEAST_OFF_S),),
}
"""Options that are times, by engine, with the least that they may be."""


_AT_ITS_PACE = ("startup",)
"""Engines whose runtime is the device's own: it starts no sooner in a rehearsal."""


def shortened(campaign: Campaign, divisor: float) -> Campaign:
    """Derive the campaign with its times divided; it says so in its name and text.

    Times that something may take at most, such as those of copies, prompts and
    commands, stay as they are, and so does that of a start. Of repeats and rounds there
    are the fewest that the plan allows.
    """
    if divisor <= 1:
        return campaign
    found = replace(
        campaign,
        name=f"{campaign.name} (SHORTENED 1:{divisor:g})",
        description=f"{rehearsal_warning(divisor)} {campaign.description}".strip(),
        steps=tuple(_step(step, divisor) for step in campaign.steps),
        ranging_s=min(campaign.ranging_s, LEAST_S),
        shortened=campaign.shortened * divisor,
    )
    return replace(found, text=campaign_text(found))


def _step(step: Step, divisor: float) -> Step:
    if _is_a_limit(step):
        return step
    least = LEAST_S if step.steady is None else _STEADY_S
    if step.engine == "cooldown" and _SLOPE.key in step.options:
        least = _COOL_S
    runtime_s = min(step.runtime_s, max(least, _whole(step.runtime_s / divisor)))
    if step.engine in _AT_ITS_PACE:
        runtime_s = step.runtime_s
    repeats = step.repeats
    if repeats is not None:
        repeats = replace(repeats, most=repeats.least)
    rounds = step.rounds and replace(step.rounds, most=LEAST_ROUNDS)
    return replace(
        step,
        runtime_s=runtime_s,
        ramp_s=min(step.ramp_s, max(_RAMP_S, _whole(step.ramp_s / divisor))),
        rampdown_s=min(step.rampdown_s, _whole(step.rampdown_s / divisor)),
        options=_options(step, divisor),
        steady=None if step.steady is None else _steady(step.steady, divisor),
        repeats=repeats,
        rounds=rounds,
    )


def _is_a_limit(step: Step) -> bool:
    """Tell whether a step's runtime is the longest time that it may take.

    A load that runs to its own end can have no ramp.
    """
    if step.engine not in LOADS:
        return not PHASES[step.engine].timed
    try:
        check_ramp(step.engine, step.options, _RAMP_S)
    except OptionError:
        return True
    return False


def _options(step: Step, divisor: float) -> Mapping[str, str]:
    options = dict(step.options)
    if step.engine == "cooldown" and _SLOPE.key in options:
        # Kelvin an hour: over a shorter time it changes by as much at a steeper slope.
        steeper = float(options[_SLOPE.key]) * divisor
        options[_SLOPE.key] = f"{min(steeper, _SLOPE.high or steeper):g}"
        options.setdefault(_WINDOW.key, str(_WINDOW.default))
    for name, least in _TIMES.get(step.engine, ()):
        if name in options:
            seconds = parse_duration(options[name])
            shorter = max(least, _whole(seconds / divisor))
            options[name] = format_duration(min(seconds, shorter))
    return options


def _steady(plan: SteadyPlan, divisor: float) -> SteadyPlan:
    measure = plan.measure_s and max(LEAST_S, _whole(plan.measure_s / divisor))
    return replace(plan, round_s=_ROUND_S, measure_s=min(plan.measure_s, measure))


def _whole(seconds: float) -> float:
    """Round to whole seconds: loads take no parts of them."""
    return float(round(seconds))
