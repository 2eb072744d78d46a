"""A cool-down: what it waits for, in [step.cooldown]."""

from collections.abc import Mapping
from dataclasses import dataclass

from instruments.errors import OptionError
from instruments.settings import Kind, Option, read_step

OPTIONS = (
    Option(
        "until",
        "Ends at this temperature; the runtime is its maximum",
        Kind.NUMBER,
        low=-40.0,
        high=150.0,
        unit="\N{DEGREE SIGN}C",
    ),
    Option(
        "slope",
        "Ends when the temperature changes by no more than this",
        Kind.NUMBER,
        low=0.01,
        high=1000.0,
        unit="K/h",
    ),
    Option(
        "window", "Time over which the slope is taken", Kind.DURATION, "5m", low=0.001
    ),
    Option("at_least", "Minimum time", Kind.DURATION, "0s"),
    Option("channel", "The channel that is watched; the hottest drive by default"),
)
"""What [step.cooldown] may say."""


@dataclass(frozen=True, slots=True)
class CoolDownPlan:
    """What ends a cool-down before its runtime, which is its longest time.

    Attributes:
        until_c: It is over at this temperature in degC; None does not ask for one.
        slope_k_h: Ends when the temperature changes by no more than this many
            kelvin an hour; None does not ask for that.
        window_s: Over so long the slope is taken.
        at_least_s: Minimum time.
        channel: The channel that is looked at; "" is the hottest drive.
    """

    until_c: float | None = None
    slope_k_h: float | None = None
    window_s: float = 300.0
    at_least_s: float = 0.0
    channel: str = ""

    @property
    def only_time(self) -> bool:
        """Whether nothing but the runtime ends it."""
        return self.until_c is None and self.slope_k_h is None


def check_cooldown(options: Mapping[str, str]) -> CoolDownPlan:
    """Read the options of a cool-down; raises OptionError."""
    found = read_step("cooldown", OPTIONS, options)
    plan = CoolDownPlan(
        found.optional("until"),
        found.optional("slope"),
        found.number("window"),
        found.number("at_least"),
        found.text("channel"),
    )
    if plan.only_time and options:
        what = f"{next(iter(options))} needs a temperature or a slope to wait for"
        way_out = "Add until = 35 (degC) or slope = 2 (K/h)."
        raise OptionError(next(iter(options)), what, way_out)
    return plan
