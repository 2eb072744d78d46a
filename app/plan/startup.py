"""A cold start: how the device is switched, and when it is ready: [step.startup]."""

from collections.abc import Mapping
from dataclasses import dataclass

from instruments.errors import OptionError
from instruments.settings import Kind, Option, read_step

LEAST_OFF_S = 2.0
"""The trace begins with the device off for so long at least."""

BEFORE_S = 3.0
"""What comes on top: until the device is off, and until the last readings are in."""

OPTIONS = (
    Option("switch", "A [[switch]] of the bench; by default the operator switches"),
    Option("outlet", "Which outlet of it"),
    Option(
        "off_for",
        "Time for which the device stays off",
        Kind.DURATION,
        "10s",
        low=LEAST_OFF_S,
    ),
    Option(
        "ready",
        "The source that shows when it is ready; by default power that has settled",
    ),
    Option(
        "ask",
        "The operator is asked before the switch takes power away",
        Kind.FLAG,
        default=True,
    ),
)
"""What [step.startup] may say."""


@dataclass(frozen=True, slots=True)
class StartupPlan:
    """A cold start; the runtime of its step is recorded from switching on.

    Attributes:
        switch: Name of the bench's [[switch]] that switches; "" asks the operator.
        outlet: Place of that switch; "" for the whole.
        off_s: So long it is recorded while it is off.
        ready: Name of the source that shows when the device is ready, by values of
            all its channels; "" is when power has settled.
        asks: Whether the operator is asked before the switch takes power away.
    """

    switch: str = ""
    outlet: str = ""
    off_s: float = 10.0
    ready: str = ""
    asks: bool = True

    @property
    def waits_for_operator(self) -> bool:
        """Whether somebody has to be there: to switch, or to let it be switched."""
        return self.asks or not self.switch


def check_startup(options: Mapping[str, str]) -> StartupPlan:
    """Read the options of a cold start; raises OptionError."""
    found = read_step("startup", OPTIONS, options)
    plan = StartupPlan(
        found.text("switch"),
        found.text("outlet"),
        found.number("off_for"),
        found.text("ready"),
        found.flag("ask"),
    )
    if plan.outlet and not plan.switch:
        what = "an outlet is given, and no switch"
        raise OptionError("outlet", what, "Add the name of a [[switch]] of the bench.")
    return plan
