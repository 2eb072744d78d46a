"""An operator prompt: what is asked, and what a campaign runs between its steps."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from app.plan.conditions import Condition, parse_conditions
from instruments.errors import OptionError
from instruments.settings import Kind, Option, read_step

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
