"""The commands that look at what was recorded: sessions, show, verify and the like."""

import argparse
import sys
from functools import partial
from pathlib import Path

from app import default_folder
from app.cli.output import Add, add_form, add_uncertainty, seconds_of, show
from app.operations.sessions.listing import labels_of, sessions_json, sessions_text

DIFFERS = 1
"""Exit code of a session whose own data do not give what is stored."""


def add_commands(add: Add) -> None:
    """Add the commands to the parser."""
    command = add("sessions", "List the sessions of a folder.", _sessions)
    command.add_argument("folder", type=Path, nargs="?", default=default_folder())
    command.add_argument(
        "--find",
        default="",
        metavar="QUERY",
        help="only those that match: words, device:jbod, verdict:fail, "
        "power_w>500, date:2026-03, -tag:old",
    )
    command.add_argument(
        "--published",
        action="store_true",
        help="list the figures of published reports that ship with Bayscope",
    )
    command.add_argument(
        "--check",
        action="store_true",
        help="compare each finished file with the hash of its recording",
    )
    command = add("label", "Star, tag or note finished sessions.", _label)
    command.add_argument("sessions", type=Path, nargs="+", metavar="SESSION")
    for name, text in (("tag", "give it this tag"), ("untag", "take this tag away")):
        command.add_argument(
            f"--{name}", action="append", default=[], metavar="TAG", help=text
        )
    command.add_argument(
        "--star",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="star it, or remove the star",
    )
    command.add_argument("--note", metavar="TEXT", help='its note; "" takes it away')
    command = add("show", "Print the report table of a session.", _show)
    command.add_argument("session", type=Path, metavar="SESSION")
    add_form(command)
    add_uncertainty(command)
    command = add(
        "verify",
        "Compute every result of a session again, and compare it bit for bit.",
        _verify,
    )
    command.add_argument("session", type=Path, metavar="SESSION")

    command = add(
        "recompute",
        "Show the table as it would be with another window, rule or clock offset.",
        _recompute,
    )
    command.add_argument("session", type=Path, metavar="SESSION")
    command.add_argument(
        "--window",
        default="",
        metavar="FROM..TO",
        help="the part of each load that is measured, such as 30s.. or ..-10s; what "
        "begins with a minus counts from the end and needs =, as --window=-60s..",
    )
    command.add_argument(
        "--steady",
        default="",
        metavar="RULE",
        help="judge steady state by this rule, and measure where it was steady",
    )
    command.add_argument(
        "--round", default="", metavar="TIME", help="length of its rounds"
    )
    command.add_argument(
        "--offset",
        action="append",
        default=[],
        metavar="SOURCE=SECONDS",
        help="clock offset of a source; latest for all that were found in the run",
    )
    command.add_argument(
        "--step",
        action="append",
        default=[],
        metavar="STEP",
        help="only this row, or the rows that repeat this step",
    )
    command.add_argument("--csv", action="store_true", help="print CSV")

    command = add("checklist", "Judge a session by the rules of a method.", _checklist)
    command.add_argument("session", type=Path, metavar="SESSION")
    command.add_argument(
        "name", nargs="?", default="", metavar="NAME", help="else all, summed up"
    )

    command = add(
        "histogram",
        "Print how long the I/Os of a load took, merged over jobs, devices and hosts.",
        _histogram,
    )
    command.add_argument("session", type=Path, metavar="SESSION")
    command.add_argument(
        "step", metavar="STEP", nargs="?", default="", help="the row (default: all)"
    )
    command.add_argument(
        "--csv", action="store_true", help="print every bucket that fio has counted"
    )

    command = add("explain", "Say what a cell of the report was made of.", _explain)
    command.add_argument("session", type=Path, metavar="SESSION")
    command.add_argument("step", metavar="STEP", help="the row, as the report has it")
    command.add_argument(
        "column", metavar="COLUMN", help="as in --json or in its head, such as power_w"
    )
    command.add_argument(
        "--csv", action="store_true", help="print every sample that counts"
    )

    command = add(
        "statistics",
        "Print mean, extremes, sigma and slope of every curve of a part of a session.",
        _statistics,
    )
    command.add_argument("session", type=Path, metavar="SESSION")
    command.add_argument("--step", default="", metavar="LABEL", help="its window")
    for word, key, what in (("--from", "start_s", "begin"), ("--to", "end_s", "end")):
        command.add_argument(
            word,
            dest=key,
            type=partial(seconds_of, word),
            metavar="TIME",
            help=f"{what} after that of the session, such as 10min",
        )
    command.add_argument(
        "--chart", action="append", default=[], help="such as Throughput; all without"
    )


def _sessions(arguments: argparse.Namespace) -> int:
    tell = _tell if arguments.check else None
    if arguments.published:
        # A list of sessions needs nothing of what makes them.
        from app.operations.sessions.published import (  # noqa: PLC0415
            published_folder,
            published_sessions,
        )

        published_sessions()
        arguments.folder = published_folder()
    show(
        arguments,
        arguments.folder,
        lambda folder: sessions_json(folder, tell, arguments.find),
        lambda folder: sessions_text(folder, tell, arguments.find),
    )
    return 0


def _label(arguments: argparse.Namespace) -> int:
    from app.operations.sessions.labels import Change, relabel  # noqa: PLC0415

    change = Change(
        tuple(arguments.tag), tuple(arguments.untag), arguments.star, arguments.note
    )
    done = [relabel(path, change) for path in arguments.sessions]
    values = [
        {
            "file": str(one.path),
            "starred": one.starred,
            "tags": list(one.tags),
            "note": one.note,
        }
        for one in done
    ]
    lines = [f"{one.path.name}: {labels_of(one) or 'no labels'}" for one in done]
    show(arguments, values, list, lambda _: "\n".join(lines))
    return 0


def _tell(done: int, total: int) -> None:
    """Say on a terminal how far the comparison is."""
    if sys.stderr.isatty():
        end = "\r" if done < total else "\r\033[K"
        sys.stderr.write(f"{done} of {total} files compared{end}")
        sys.stderr.flush()


def _show(arguments: argparse.Namespace) -> int:
    # A list of sessions needs nothing of reports.
    from app.operations.sessions.showing import (  # noqa: PLC0415
        show_json,
        show_text,
    )

    show(
        arguments,
        arguments.session,
        show_json,
        lambda session: show_text(
            session, form=arguments.form, spread=arguments.uncertainty
        ),
    )
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    # It takes numpy, and the readers of every engine's output.
    from app.operations.sessions.verifying import verify_session  # noqa: PLC0415

    text, values, good = verify_session(arguments.session)
    show(arguments, values, dict, lambda _: text)
    return 0 if good else DIFFERS


def _recompute(arguments: argparse.Namespace) -> int:
    from app.operations.sessions.recomputing import (  # noqa: PLC0415
        otherwise,
        recompute_csv,
        recompute_json,
        recompute_text,
        recomputed,
    )

    other = otherwise(
        arguments.window,
        arguments.steady,
        arguments.offset,
        round_length=arguments.round,
        rows=arguments.step,
    )
    as_text = recompute_csv if arguments.csv else recompute_text
    show(arguments, recomputed(arguments.session, other), recompute_json, as_text)
    return 0


def _histogram(arguments: argparse.Namespace) -> int:
    # As for explain: a list of sessions needs none of it.
    from app.operations.sessions.histograms import (  # noqa: PLC0415
        histograms_csv,
        histograms_json,
        histograms_text,
    )

    chosen = arguments.session, arguments.step
    as_text = histograms_csv if arguments.csv else histograms_text
    show(arguments, chosen, lambda c: histograms_json(*c), lambda c: as_text(*c))
    return 0


def _explain(arguments: argparse.Namespace) -> int:
    from app.operations.sessions.explaining import (  # noqa: PLC0415
        explain_csv,
        explain_json,
        explain_text,
    )

    cell = arguments.session, arguments.step, arguments.column
    as_text = explain_csv if arguments.csv else explain_text
    show(arguments, cell, lambda one: explain_json(*one), lambda one: as_text(*one))
    return 0


def _statistics(arguments: argparse.Namespace) -> int:
    from app.operations.sessions.statistics import (  # noqa: PLC0415
        part_json,
        part_statistics,
        part_text,
    )

    found = part_statistics(
        arguments.session,
        arguments.step,
        arguments.start_s,
        arguments.end_s,
        arguments.chart,
    )
    show(arguments, found, part_json, part_text)
    return 0


def _checklist(arguments: argparse.Namespace) -> int:
    from app.operations.sessions.judging import (  # noqa: PLC0415
        checklist_json,
        checklist_text,
    )

    show(
        arguments,
        arguments.session,
        lambda session: checklist_json(session, arguments.name),
        lambda session: checklist_text(session, arguments.name),
    )
    return 0
