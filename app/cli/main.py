"""From the words of a command line to a command, and its exit code."""

import argparse
import io
import sys
from collections.abc import Callable, Sequence

from app import version
from app.cli import bench, fio, imports, preflight, runs, sessions
from app.cli.output import Parser, complain
from app.operations.sweeping import sweep_up
from instruments.errors import Aborted, BenchError


def build_parser() -> argparse.ArgumentParser:
    """Make the parser with every command."""
    parser = Parser(
        prog="bayscope",
        description="Storage test bench. Without a command the window opens.",
    )
    parser.add_argument("--version", action="version", version=f"bayscope {version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(
        name: str, text: str, run: Callable[[argparse.Namespace], int]
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--json", action="store_true", help="print JSON")
        command.set_defaults(run=run)
        return command

    for group in (runs, preflight, sessions, imports, fio, bench):
        group.add_commands(add)
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
        arguments = build_parser().parse_args(argv)
        if swept := sweep_up():
            sys.stderr.write(f"{swept}\n")
        code: int = arguments.run(arguments)
    except BenchError as error:
        complain(error, as_json=as_json)
        return error.exit_code
    except KeyboardInterrupt:
        aborted = Aborted("it was interrupted", way_out="What was stored is kept.")
        complain(aborted, as_json=as_json)
        return aborted.exit_code
    return code
