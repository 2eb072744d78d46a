"""The engines that put no load on anything: what their steps may say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.plan.alignment import check_align
from app.plan.cooldown import check_cooldown
from app.plan.prompt import check_command, check_prompt
from app.plan.startup import BEFORE_S, check_startup
from instruments.errors import OptionError


@dataclass(frozen=True, slots=True)
class PhaseKind:
    """One kind of step without a load.

    Attributes:
        name: As in the plan: `engine = "idle"`, with its options in [step.idle].
        check: Checks its options; raises OptionError.
        timed: Whether its step has to say a runtime.
        measured: Whether it has a measured window, and so results.
        on_target: Whether it reads from the target.
        extra_s: Seconds it takes beside its runtime, from its options.
        asks: Whether it waits for a word of the operator, from its options.
    """

    name: str
    check: Callable[[Mapping[str, str]], object]
    timed: bool = True
    measured: bool = True
    on_target: bool = False
    extra_s: Callable[[Mapping[str, str]], float] = lambda _: 0.0
    asks: Callable[[Mapping[str, str]], bool] = lambda _: False


def _nothing(options: Mapping[str, str]) -> None:
    for option in options:
        raise OptionError(option, "it takes no options", "Remove it.")


PHASES: Mapping[str, PhaseKind] = {
    kind.name: kind
    for kind in (
        PhaseKind("idle", _nothing),
        PhaseKind("cooldown", check_cooldown),
        PhaseKind(
            "prompt",
            check_prompt,
            timed=False,
            measured=False,
            asks=lambda _: True,
        ),
        PhaseKind("command", check_command, timed=False, measured=False),
        PhaseKind(
            "align",
            check_align,
            timed=False,
            measured=False,
            on_target=True,
            extra_s=lambda options: check_align(options).duration_s,
        ),
        PhaseKind(
            "startup",
            check_startup,
            extra_s=lambda options: check_startup(options).off_s + BEFORE_S,
            asks=lambda options: check_startup(options).waits_for_operator,
        ),
    )
}
"""Engines without a load, by their names in the plan."""
