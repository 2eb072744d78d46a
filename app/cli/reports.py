"""The commands that make something of what was recorded: export, compare."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from app.cli.output import Add, add_form, complain, print_json
from app.operations.sessions.compare import (
    compare_sessions,
    comparison_json,
    comparison_text,
)
from app.operations.sessions.export import FORMATS, export_sessions
from app.terminal import say
from instruments.errors import BadInput


def add_commands(add: Add) -> None:
    """Add the commands to the parser."""
    command = add("export", "Write the report of sessions to files.", _export)
    command.add_argument("sessions", type=Path, nargs="+", metavar="SESSION")
    command.add_argument(
        "--format",
        default="html",
        help=f"one or more of {', '.join(FORMATS)}, with commas between them",
    )
    command.add_argument("--to", type=Path, default=Path(), metavar="DIR")
    add_form(command)
    command = add("compare", "Put sessions side by side.", _compare)
    command.add_argument("sessions", type=Path, nargs="+", metavar="SESSION")


def _export(arguments: argparse.Namespace) -> int:
    formats = [name.strip() for name in arguments.format.split(",") if name.strip()]
    errors: list[BadInput] = []
    written = export_sessions(
        arguments.sessions,
        formats,
        arguments.to,
        form=arguments.form,
        failed=errors.append if len(arguments.sessions) > 1 else None,
    )
    shown: dict[str, object] = {"files": [str(path) for path in written]}
    text = "\n".join(f"Wrote {path}" for path in written)
    return _show(arguments, shown, text, errors)


def _compare(arguments: argparse.Namespace) -> int:
    errors: list[BadInput] = []
    comparison = compare_sessions(arguments.sessions, errors.append)
    shown = comparison_json(comparison)
    return _show(arguments, shown, comparison_text(comparison), errors)


def _show(
    arguments: argparse.Namespace,
    shown: dict[str, object],
    text: str,
    errors: Sequence[BadInput],
) -> int:
    """Write what was made, and what is wrong with the sessions that were not read."""
    if arguments.json:
        told = {"errors": [str(error) for error in errors]} if errors else {}
        print_json({**shown, **told})
    else:
        if text:
            say(text)
        for error in errors:
            complain(error, as_json=False)
    return BadInput.exit_code if errors else 0
