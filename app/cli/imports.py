"""The command that brings in results made elsewhere: import."""

import argparse
from pathlib import Path

from app.cli.output import Add, add_out, print_json, show
from app.operations.sessions.import_files import import_files, plan_json, plan_text
from app.record.imports.answers import parse_answers
from app.record.imports.plan import inspect
from app.terminal import say, warn


def add_commands(add: Add) -> None:
    """Add the command to the parser."""
    command = add("import", "Make a session from results made elsewhere.", _import)
    command.add_argument("files", type=Path, nargs="+", metavar="FILE")
    add_out(command)
    command.add_argument("--name", default="", help="name of the session")
    command.add_argument("--dut", default="", help="device under test")
    command.add_argument(
        "--zone", default="", help="zone of local times, such as Europe/Berlin"
    )
    command.add_argument(
        "--date", default="", metavar="YYYY-MM-DD", help="date of times without one"
    )
    command.add_argument(
        "--offset",
        action="append",
        default=[],
        metavar="[FILE=]SECONDS",
        help="when a file without a clock begins, after the first moment of the "
        "others; with FILE= also how much later the times of that file belong",
    )
    command.add_argument(
        "--fio-version", default="", help="version that wrote logs without their JSON"
    )
    command.add_argument(
        "--keep-rest", action="store_true", help="skip damaged or unrecognised files"
    )
    command.add_argument(
        "--plan", action="store_true", help="only show what would be imported"
    )


def _import(arguments: argparse.Namespace) -> int:
    answers = parse_answers(
        zone=arguments.zone,
        day=arguments.date,
        offsets=tuple(arguments.offset),
        fio_version=arguments.fio_version,
    )
    if arguments.plan:
        plan = inspect(arguments.files, answers)
        show(arguments, plan, plan_json, plan_text)
        return 0 if plan.is_ready else 2
    result = import_files(
        arguments.files,
        arguments.out,
        answers,
        name=arguments.name,
        dut=arguments.dut,
        keep_rest=arguments.keep_rest,
    )
    if arguments.json:
        print_json(
            {
                "session": str(result.session),
                "files": [str(path) for path in result.files],
                "left_out": list(result.left_out),
                "placed": list(result.remarks),
            }
        )
        return 0
    for text in result.left_out:
        warn(f"bayscope: excluded: {text}")
    say("\n".join((*result.remarks, f"Wrote {result.session}", "")))
    return 0
