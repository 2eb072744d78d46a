"""The engines that put no load on anything: what their steps may say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.plan import alignment, cooldown, prompt, startup
from instruments.settings import Kind, Option, read_step


@dataclass(frozen=True, slots=True)
class PhaseKind:
    """One kind of step without a load.

    Attributes:
        name: As in the plan: `engine = "idle"`, with its options in [step.idle].
        options: All that its table may say.
        check: Checks its options; raises OptionError.
        timed: Whether its step has to say a runtime.
        measured: Whether it has a measured window, and so results.
        on_target: Whether it reads from the target.
        extra_s: Seconds it takes beside its runtime, from its options.
        asks: Whether it waits for a word of the operator, from its options.
    """

    name: str
    options: tuple[Option, ...]
    check: Callable[[Mapping[str, str]], object]
    timed: bool = True
    measured: bool = True
    on_target: bool = False
    extra_s: Callable[[Mapping[str, str]], float] = lambda _: 0.0
    asks: Callable[[Mapping[str, str]], bool] = lambda _: False


_IDLE = (
    Option(
        "until_stopped",
        "Ends when the operator ends it, and then counts as passed; the runtime is its "
        "longest time",
        kind=Kind.FLAG,
        default=False,
    ),
)


def is_open_ended(options: Mapping[str, str]) -> bool:
    """Tell whether an idle step passes where the operator ends it early."""
    return read_step("idle", _IDLE, options).flag("until_stopped")


PHASES: Mapping[str, PhaseKind] = {
    kind.name: kind
    for kind in (
        PhaseKind("idle", _IDLE, is_open_ended),
        PhaseKind("cooldown", cooldown.OPTIONS, cooldown.check_cooldown),
        PhaseKind(
            "prompt",
            prompt.PROMPT,
            prompt.check_prompt,
            timed=False,
            measured=False,
            asks=lambda _: True,
        ),
        PhaseKind(
            "command", prompt.COMMAND, prompt.check_command, timed=False, measured=False
        ),
        PhaseKind(
            "align",
            alignment.OPTIONS,
            alignment.check_align,
            timed=False,
            measured=False,
            on_target=True,
            extra_s=lambda options: alignment.check_align(options).duration_s,
        ),
        PhaseKind(
            "startup",
            startup.OPTIONS,
            startup.check_startup,
            extra_s=lambda options: (
                startup.check_startup(options).off_s + startup.BEFORE_S
            ),
            asks=lambda options: startup.check_startup(options).waits_for_operator,
        ),
    )
}
"""Engines without a load, by their names in the plan."""
