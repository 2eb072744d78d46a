"""From the words of a command line to a command, and its exit code."""

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from app import version
from app.cli.output import Parser, complain
from app.operations.sweeping import sweep_up
from app.terminal import check_said, warn
from instruments.errors import Aborted, BenchError

COMMANDS = {
    "runs": ("demo", "run", "resume", "simulate"),
    "preflight": ("preflight",),
    "sessions": (
        "sessions",
        "label",
        "show",
        "checklist",
        "verify",
        "recompute",
        "explain",
        "histogram",
        "statistics",
    ),
    "reports": ("export", "compare", "figure"),
    "calc": ("calc",),
    "samples": ("samples",),
    "imports": ("import",),
    "fio": ("fio",),
    "bench": (
        *("check", "release", "discover", "targets", "drivers", "switch"),
        *("calibrate", "password"),
    ),
}
"""The commands of each module of app.cli, which is imported where one is asked for.

Together they take every driver and engine, which costs a second or more.
"""


def build_parser(word: str = "") -> argparse.ArgumentParser:
    """Make the parser with every command, or those of the module of one word."""
    parser = Parser(
        prog="bayscope",
        description="Storage test bench. Without a command the window opens.",
    )
    own_version = f"bayscope {version()}" if word == "--version" else ""
    parser.add_argument("--version", action="version", version=own_version)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(
        name: str, text: str, run: Callable[[argparse.Namespace], int]
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--json", action="store_true", help="print JSON")
        command.set_defaults(run=run)
        return command

    own = [module for module, names in COMMANDS.items() if word in names]
    for module in [] if word == "--version" else own or COMMANDS:
        import_module(f"app.cli.{module}").add_commands(add)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run a command; return the exit code.

    0 pass, 1 the device failed, 2 usage or a bad file, 3 the bench failed,
    4 aborted.
    """
    as_json = "--json" in argv
    if isinstance(sys.stdout, io.TextIOWrapper):  # Names of files may be any bytes.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        arguments = build_parser(next(iter(argv), "")).parse_args(argv)
        swept = sweep_up()
        for sentence in swept.told:
            warn(sentence)
        for path in swept.cut_off:
            warn(f"{path.name} was cut off: bayscope resume {path} continues it.")
        code: int = arguments.run(arguments)
        check_said()
    except BenchError as error:
        complain(error, as_json=as_json)
        return error.exit_code
    except KeyboardInterrupt:
        aborted = Aborted("it was interrupted", way_out="What was stored is kept.")
        complain(aborted, as_json=as_json)
        return aborted.exit_code
    return code
