"""The command that gives samples to other programs."""

import argparse
import sys
from functools import partial
from pathlib import Path

from app.cli.output import Add, complain, names_of, print_json, seconds_of
from app.terminal import say
from instruments.files.whole_file import check_folder
from instruments.reading import SECOND


def add_commands(add: Add) -> None:
    """Add the command to the parser."""
    command = add("samples", "Write the samples of sessions to files.", _samples)
    command.add_argument(
        "sessions", type=Path, nargs="+", metavar="SESSION", help="file or folder"
    )
    command.add_argument(
        "--format",
        default="csv",
        help="one or more of csv, arrow, parquet, with commas between them",
    )
    command.add_argument("--to", type=Path, default=Path(), metavar="DIR")
    command.add_argument(
        "--channels",
        default="",
        metavar="NAMES",
        help="names or patterns such as mains.P,*.temperature.*; all without it",
    )
    command.add_argument(
        "--step", default="", metavar="ROW", help="the measured window of a row"
    )
    command.add_argument(
        "--from",
        type=partial(seconds_of, "--from"),
        default=0.0,
        metavar="TIME",
        help="after the start, such as 10min",
    )
    command.add_argument(
        "--until",
        type=partial(seconds_of, "--until"),
        metavar="TIME",
        help="the same, such as 1h30m",
    )
    command.add_argument(
        "--grid",
        type=partial(seconds_of, "--grid"),
        metavar="TIME",
        help="means over cells of this width, such as 1s; as they were read without it",
    )


def _samples(arguments: argparse.Namespace) -> int:
    # It takes numpy and the readers of sessions.
    from app.operations.sessions.batch import each_session  # noqa: PLC0415
    from app.operations.sessions.samples import (  # noqa: PLC0415
        check_formats,
        export_samples,
    )
    from app.report.samples.choice import Choice  # noqa: PLC0415

    grid = arguments.grid
    choice = Choice(
        names_of(arguments.channels),
        arguments.step,
        getattr(arguments, "from"),
        arguments.until,
        None if grid is None else round(grid * SECOND),
    )
    formats = names_of(arguments.format)
    check_formats(formats)
    check_folder(arguments.to)
    done = each_session(
        arguments.sessions,
        lambda path, name: export_samples(
            path, formats, arguments.to, choice, name=name, told=partial(_tell, path)
        ),
    )
    if arguments.json:
        print_json(
            {
                "sessions": [
                    {
                        "file": str(one.session),
                        "rows": one.rows,
                        "files": [str(path) for path in one.files],
                    }
                    for one in done.made
                ],
                **done.as_json(),
            }
        )
        return done.exit_code
    for one in done.made:
        say(f"{one.session}: {one.rows:,} rows")
        say("\n".join(f"  Wrote {path}" for path in one.files))
    for error in done.errors:
        complain(error, as_json=False)
    if told := done.summary:
        say(told)
    return done.exit_code


def _tell(path: Path, done: int, total: int) -> None:
    """Say on a terminal how far it is."""
    if sys.stderr.isatty():
        end = "\r" if done < total else "\r\033[K"
        sys.stderr.write(f"{path.name}: {done} of {total} channels{end}")
        sys.stderr.flush()
