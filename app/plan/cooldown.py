"""A cool-down: what it waits for, in [step.cooldown]."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.plan.phase_options import number, only, seconds
from instruments.errors import OptionError

WINDOW_S = 300.0
"""Over so long the slope is taken, unless the plan says otherwise."""


@dataclass(frozen=True, slots=True)
class CoolDownPlan:
    """What ends a cool-down before its runtime, which is its longest time.

    Attributes:
        until_c: It is over at this temperature in degC; None does not ask for one.
        slope_k_h: It is over when the temperature changes by no more than so many
            kelvin an hour; None does not ask for that.
        window_s: Over so long the slope is taken.
        at_least_s: It lasts at least so long.
        channel: The channel that is looked at; "" is the hottest drive.
    """

    until_c: float | None = None
    slope_k_h: float | None = None
    window_s: float = WINDOW_S
    at_least_s: float = 0.0
    channel: str = ""

    @property
    def only_time(self) -> bool:
        """Whether nothing but the runtime ends it."""
        return self.until_c is None and self.slope_k_h is None


def check_cooldown(options: Mapping[str, str]) -> CoolDownPlan:
    """Read the options of a cool-down; raises OptionError."""
    only(options, "until", "slope", "window", "at_least", "channel")
    plan = CoolDownPlan(
        number(options, "until", low=-40.0, high=150.0),
        number(options, "slope", low=0.01, high=1000.0),
        seconds(options, "window", WINDOW_S),
        seconds(options, "at_least"),
        options.get("channel", ""),
    )
    if plan.only_time and options:
        what = f"{next(iter(options))} needs a temperature or a slope to wait for"
        way_out = "Add until = 35 (degC) or slope = 2 (K/h)."
        raise OptionError(next(iter(options)), what, way_out)
    if plan.window_s <= 0:
        raise OptionError("window", "window is 0", 'Expected such as "5m".')
    return plan
