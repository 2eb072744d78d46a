"""A cold start: how the device is switched, and when it is ready: [step.startup]."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.plan.phase_options import only, seconds
from instruments.errors import OptionError

OFF_S = 10.0
"""So long the device is recorded while it is off, unless the plan says otherwise."""

LEAST_OFF_S = 2.0
BEFORE_S = 3.0
"""What comes on top: until the device is off, and until the last readings are in."""


@dataclass(frozen=True, slots=True)
class StartupPlan:
    """A cold start; the runtime of its step is recorded from switching on.

    Attributes:
        switch: Name of the bench's [[switch]] that switches; "" asks the operator.
        outlet: Place of that switch; "" for the whole.
        off_s: So long it is recorded while it is off.
        ready: Name of the source that tells when the device is ready, by values of
            all its channels; "" is when power has settled.
        asks: Whether the operator is asked before the switch takes power away.
    """

    switch: str = ""
    outlet: str = ""
    off_s: float = OFF_S
    ready: str = ""
    asks: bool = True

    @property
    def waits_for_operator(self) -> bool:
        """Whether somebody has to be there: to switch, or to let it be switched."""
        return self.asks or not self.switch


def check_startup(options: Mapping[str, str]) -> StartupPlan:
    """Read the options of a cold start; raises OptionError."""
    only(options, "switch", "outlet", "off_for", "ready", "ask")
    plan = StartupPlan(
        options.get("switch", ""),
        options.get("outlet", ""),
        seconds(options, "off_for", OFF_S),
        options.get("ready", ""),
        options.get("ask", "1") == "1",
    )
    if options.get("ask", "1") not in ("0", "1"):
        raise OptionError(
            "ask", f'ask is "{options["ask"]}"', "Expected true or false."
        )
    if plan.outlet and not plan.switch:
        what = "an outlet is given, and no switch"
        raise OptionError("outlet", what, "Add the name of a [[switch]] of the bench.")
    if plan.off_s < LEAST_OFF_S:
        what = f"off_for is {plan.off_s:g} s"
        expected = f"Expected {LEAST_OFF_S:g} s at least, the trace begins with it."
        raise OptionError("off_for", what, expected)
    return plan
