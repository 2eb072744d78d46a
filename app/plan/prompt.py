"""An operator prompt: what is asked, and what a campaign runs between its steps."""

import operator
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from instruments.errors import OptionError
from instruments.settings import Kind, Option, read_step

_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_COMPARED = re.compile(r"^(\S+)\s*(<=|>=|<|>)\s*(-?\d+(?:\.\d+)?)$")
_STATED = re.compile(r"^(\S+)\s+(present|absent)$")


@dataclass(frozen=True, slots=True)
class Condition:
    """What all channels of a pattern have to be.

    Attributes:
        pattern: On printed names, such as "*.temperature.slot07".
        relation: "<", "<=", ">", ">=", or "present" (it delivers values), "absent".
        value: What it is compared with, in the channel's unit.
    """

    pattern: str
    relation: str
    value: float = 0.0

    def __str__(self) -> str:
        if self.relation in _RELATIONS:
            return f"{self.pattern} {self.relation} {self.value:g}"
        return f"{self.pattern} {self.relation}"

    def holds(self, value: float | None) -> bool:
        """Tell whether a newest reading is as it should be; None is not a value."""
        if self.relation == "absent":
            return value is None
        if value is None:
            return False
        compare = _RELATIONS.get(self.relation)
        return compare is None or compare(value, self.value)


def parse_conditions(option: str, text: str) -> tuple[Condition, ...]:
    """Read conditions of an option, with semicolons between; raises OptionError."""
    parts = [part.strip() for part in text.split(";")]
    return tuple(_condition(option, part) for part in parts if part)


def _condition(option: str, text: str) -> Condition:
    if match := _COMPARED.match(text):
        return Condition(match[1], match[2], float(match[3]))
    if match := _STATED.match(text):
        return Condition(match[1], match[2])
    raise OptionError(
        option,
        f'"{text}" is not a condition',
        'Expected such as "mains.P < 5", "*.temperature.slot07 present" or '
        '"*.temperature.slot07 absent".',
    )


PROMPT = (
    Option("text", "What the operator is asked to do", Kind.LINES, required=True),
    Option("picture", "A picture beside the campaign's file"),
    Option("check", "What has to hold when it is done; the run waits until it does"),
    Option(
        "simulated",
        "What does it on a simulated bench, such as SIMulate:DRIVe 7,OUT",
    ),
)
"""What [step.prompt] may say."""

COMMAND = (
    Option(
        "run",
        "Program and arguments; no shell reads them",
        Kind.COMMAND,
        required=True,
    ),
    Option("programs", "Further programs that it starts itself"),
)
"""What [step.command] may say."""

_DEMANDED = re.compile(r"\$\{(\w+):?\?([^}]*)\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the operator is asked to do, in [step.prompt].

    Attributes:
        text: What is to be done.
        picture: A picture that shows it, a file beside the campaign; "" for none.
        check: What has to hold when it is done, as `check` of the options says.
        simulated: Lines to the simulator that do it where the bench is simulated.
    """

    text: str
    picture: str = ""
    check: tuple[Condition, ...] = ()
    simulated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UserCommand:
    """A command of the user's, in [step.command].

    Attributes:
        argv: The program and its arguments; no shell reads them.
        programs: Further programs that it starts by itself.
    """

    argv: tuple[str, ...]
    programs: tuple[str, ...] = ()

    @property
    def variables(self) -> dict[str, str]:
        """What it demands of the environment, `${NAME:?message}` in a shell's words.

        A shell without one ends with the message (POSIX, 2.6.2): messages by names.
        """
        return {
            name: message
            for word in self.argv
            for name, message in _DEMANDED.findall(word)
        }


def check_prompt(options: Mapping[str, str]) -> Prompt:
    """Read the options of a prompt; raises OptionError."""
    found = read_step("prompt", PROMPT, options)
    check = parse_conditions("check", found.text("check"))
    lines = [line.strip() for line in found.text("simulated").split(";")]
    lines = [line for line in lines if line]
    if wrong := [line for line in lines if not line.upper().startswith("SIM")]:
        what, way_out = f'"{wrong[0]}" does not steer the simulator', "SIMulate:DRIVe"
        raise OptionError("simulated", what, f"Expected such as {way_out} 7,OUT.")
    return Prompt(found.text("text"), found.text("picture"), check, tuple(lines))


def check_command(options: Mapping[str, str]) -> UserCommand:
    """Read the options of a command; raises OptionError."""
    found = read_step("command", COMMAND, options)
    try:
        argv = tuple(shlex.split(found.text("run")))
    except ValueError:
        raise OptionError("run", "a quote is not closed", "Close it.") from None
    if not argv:
        raise OptionError("run", "no command is given", 'Expected run = "program …".')
    return UserCommand(argv, tuple(found.text("programs").split()))
