"""What every command shares: its parser, plain values out, errors as a sentence."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar

from app import default_folder
from app.terminal import say, warn
from instruments.durations import parse_duration
from instruments.errors import BadInput, BenchError
from instruments.settings import did_you_mean

T = TypeVar("T")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence and exit code 2."""

    def parse_known_args(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        namespace: argparse.Namespace | None = None,
    ) -> tuple[argparse.Namespace, list[str]]:
        """Name an option that is none; argparse tells of what is missing before."""
        words = sys.argv[1:] if args is None else list(args)
        known = self._option_string_actions
        for word in words:
            if word == "--" or (self._subparsers and not word.startswith("-")):
                break  # What stands behind a command is its own parser's.
            name = word.partition("=")[0]
            if name.startswith("--") and not any(one.startswith(name) for one in known):
                self.error(f"there is no option {name}{did_you_mean(name, known)}")
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse what is none of the choices; of commands --help has the list."""
        if action.choices is None or value in action.choices:
            return
        known = list(map(str, action.choices))
        hint = did_you_mean(str(value), known)
        if not action.option_strings:
            self.error(f'there is no command "{value}"{hint}')
        option = action.option_strings[-1]
        raise BadInput(
            f'{option} is "{value}"{hint}',
            where=self.prog.removeprefix("bayscope").strip(),
            way_out=f"Expected one of {', '.join(known)}.",
        )

    def error(self, message: str) -> NoReturn:
        """Raise BadInput instead of ending the program."""
        what = message[0].lower() + message[1:]
        command = self.prog.removeprefix("bayscope").strip()
        raise BadInput(what, where=command, way_out=f"See {self.prog} --help.")


class Add(Protocol):
    """Adds a command: its name, its help, and what runs it."""

    def __call__(
        self, name: str, text: str, run: Callable[[argparse.Namespace], int]
    ) -> argparse.ArgumentParser:
        """Add the command; return its parser for further arguments."""
        ...


def complain(error: BenchError, *, as_json: bool) -> None:
    """Write an error: a sentence on stderr, or plain values."""
    if as_json:
        print_json(
            {
                "error": str(error),
                "what": error.what,
                "where": error.where,
                "way_out": error.way_out,
                "exit_code": error.exit_code,
                **error.facts,
            }
        )
    else:
        warn(f"bayscope: {error}")


def print_json(value: object) -> None:
    """Write plain values as JSON."""
    say(json.dumps(value, indent=2, allow_nan=False))


def show(
    arguments: argparse.Namespace,
    found: T,
    as_json: Callable[[T], object],
    as_text: Callable[[T], str],
) -> None:
    """Write what a command found, as --json wants it or for people."""
    if arguments.json:
        print_json(as_json(found))
    else:
        say(as_text(found))


def add_out(command: argparse.ArgumentParser) -> None:
    """Add --out, the folder of sessions."""
    command.add_argument(
        "--out", type=Path, default=default_folder(), metavar="DIR", help="folder"
    )


def seconds_of(option: str, text: str) -> float:
    """Read a length of time in seconds, such as "90s", "1h30m" or "10".

    Raises:
        BadInput: It is none.
    """
    try:
        number: str | float = float(text)
    except ValueError:
        number = text
    try:
        return parse_duration(number)
    except ValueError as error:
        raise BadInput(
            f'{option} is "{text}"',
            way_out='Expected a time such as "90s" or "1h30m", or a number of seconds.',
        ) from error


def names_of(text: str) -> list[str]:
    """Get the names of an option that takes several, with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def add_form(command: argparse.ArgumentParser) -> None:
    """Add --form, the form of the tables, and --lab, which is the lab's."""
    command.add_argument(
        "--form", default="", metavar="NAME", help="tables in this form, such as lab"
    )
    command.add_argument(
        "--lab",
        action="store_const",
        const="lab",
        dest="form",
        help="the form of a lab report, with its blanks: --form lab",
    )


def add_uncertainty(command: argparse.ArgumentParser) -> None:
    """Add --uncertainty, which puts it beside each figure."""
    command.add_argument(
        "--uncertainty",
        action="store_true",
        help="figures with their expanded uncertainty where it is known, such as "
        "698.9 ± 3.2; CSV and --json have plain numbers",
    )


def add_template(command: argparse.ArgumentParser) -> None:
    """Add --template and --language, of what writes reports."""
    command.add_argument(
        "--template",
        default="standard",
        metavar="NAME",
        help="pages, words and title block of the report",
    )
    add_language(command)


def add_language(command: argparse.ArgumentParser) -> None:
    """Add --language, of what is written for people."""
    command.add_argument(
        "--language", default="", metavar="NAME", help="en or de, for words and numbers"
    )
