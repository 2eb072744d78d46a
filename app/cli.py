"""The command line: what can be clicked can be scripted."""

import argparse
import json
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from app import version
from app.bench import Bench, default_bench, load_bench
from app.operations.check import check_bench, check_dut, checks_as_json, checks_text
from app.operations.compare import (
    compare_sessions,
    comparison_json,
    comparison_text,
)
from app.operations.demo import demo_campaign, run_demo
from app.operations.export import FORMATS, export_sessions
from app.operations.run import RunResult, run_campaign
from app.operations.sessions import (
    default_folder,
    sessions_json,
    sessions_text,
    show_json,
    show_text,
)
from app.operations.simulate import simulate
from app.plan.campaign import load_campaign
from app.terminal import ProgressLine, say
from instruments.errors import Aborted, BadInput, BenchError
from instruments.simulated.faults import NAMES as FAULTS


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence and exit code 2."""

    def error(self, message: str) -> NoReturn:
        what = message[0].lower() + message[1:]
        command = self.prog.removeprefix("bayscope").strip()
        raise BadInput(what, where=command, way_out=f"See {self.prog} --help.")


def build_parser() -> argparse.ArgumentParser:
    """Make the parser with every command."""
    parser = _Parser(
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

    command = add("demo", "Run the demo campaign on the simulated bench.", _demo)
    _add_out(command)
    command = add("run", "Run a campaign on a bench and record it.", _run)
    command.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    command.add_argument("--bench", type=Path, help="bench.toml (default: simulated)")
    command.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="SOURCE",
        help="start even where this source cannot be reached",
    )
    _add_out(command)
    command = add("sessions", "List the sessions of a folder.", _sessions)
    command.add_argument("folder", type=Path, nargs="?", default=default_folder())
    command = add("show", "Print the report table of a session.", _show)
    command.add_argument("session", type=Path, metavar="SESSION")
    _add_lab(command)
    command = add("export", "Write the report of sessions to files.", _export)
    command.add_argument("sessions", type=Path, nargs="+", metavar="SESSION")
    command.add_argument(
        "--format",
        default="html",
        help=f"one or more of {', '.join(FORMATS)}, with commas between them",
    )
    command.add_argument("--to", type=Path, default=Path(), metavar="DIR")
    _add_lab(command)
    command = add("compare", "Put sessions side by side.", _compare)
    command.add_argument("sessions", type=Path, nargs="+", metavar="SESSION")
    command = add("check", "Connect, identify and read each source once.", _check)
    command.add_argument("bench", type=Path, nargs="?", metavar="BENCH")
    command = add("simulate", "Be a simulated bench until Ctrl-C.", _simulate)
    command.add_argument("--port", type=int, default=5025, metavar="N")
    command.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME",
        help=f"{', '.join(FAULTS)}; NAME,SECONDS and NAME,SECONDS,meter work too",
    )
    command.add_argument("--speedup", type=float, default=20.0)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument(
        "--target", type=Path, help="file whose disk the physics follows"
    )
    return parser


def _add_out(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--out", type=Path, default=default_folder(), metavar="DIR", help="folder"
    )


def _add_lab(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--lab", action="store_true", help="the lab's own form, with its blanks"
    )


def run(argv: Sequence[str]) -> int:
    """Run a command; return the exit code.

    0 pass, 1 the device failed, 2 usage or a bad file, 3 the bench failed,
    4 aborted.
    """
    as_json = "--json" in argv
    try:
        arguments = build_parser().parse_args(argv)
        code: int = arguments.run(arguments)
    except BenchError as error:
        _complain(error, as_json=as_json)
        return error.exit_code
    except KeyboardInterrupt:
        aborted = Aborted("it was interrupted", way_out="What was stored is kept.")
        _complain(aborted, as_json=as_json)
        return aborted.exit_code
    return code


def _complain(error: BenchError, *, as_json: bool) -> None:
    if as_json:
        _print_json(
            {
                "error": str(error),
                "what": error.what,
                "where": error.where,
                "way_out": error.way_out,
                "exit_code": error.exit_code,
            }
        )
    else:
        sys.stderr.write(f"bayscope: {error}\n")


def _print_json(value: object) -> None:
    say(json.dumps(value, indent=2, allow_nan=False))


def _cancel_on_signals() -> threading.Event:
    """Make Ctrl-C and TERM an orderly abort; the second Ctrl-C is Python's own."""
    cancel = threading.Event()

    def stop(number: int, frame: object) -> None:
        del frame
        cancel.set()
        signal.signal(number, signal.default_int_handler)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    return cancel


def _demo(arguments: argparse.Namespace) -> int:
    cancel = _cancel_on_signals()
    line = ProgressLine(quiet=arguments.json)
    if not arguments.json:
        seconds = demo_campaign().duration_s
        say(f"Demo: a real fio load, a simulated bench, about {seconds:.0f} s.")
    with line:
        result = run_demo(arguments.out, progress=line.show, cancel=cancel)
    if arguments.json:
        shown = _run_json(result.run)
        shown["files"] = [str(path) for path in result.files]
        _print_json(shown)
    else:
        say(show_text(result.run.session, lab=False))
        for path in (result.run.session, *result.files):
            say(f"Wrote {path}")
        say("Open the window with ./run, then Sessions, to replay it.")
    return result.run.exit_code


def _run(arguments: argparse.Namespace) -> int:
    campaign = load_campaign(arguments.campaign)
    bench = _bench(arguments.bench)
    cancel = _cancel_on_signals()
    line = ProgressLine(quiet=arguments.json)
    with line:
        result = run_campaign(
            campaign,
            bench,
            arguments.out,
            without=arguments.without,
            progress=line.show,
            cancel=cancel,
        )
    if arguments.json:
        _print_json(_run_json(result))
    else:
        say(show_text(result.session, lab=False))
        if result.reason:
            say(f"The run ended early: {result.reason}")
        say(f"Wrote {result.session}")
    return result.exit_code


def _run_json(result: RunResult) -> dict[str, object]:
    shown = show_json(result.session)
    shown["verdict"] = str(result.verdict)
    shown["reason"] = result.reason or None
    return shown


def _bench(path: Path | None) -> Bench:
    return default_bench() if path is None else load_bench(path)


def _sessions(arguments: argparse.Namespace) -> int:
    if arguments.json:
        _print_json(sessions_json(arguments.folder))
    else:
        say(sessions_text(arguments.folder))
    return 0


def _show(arguments: argparse.Namespace) -> int:
    if arguments.json:
        _print_json(show_json(arguments.session))
    else:
        say(show_text(arguments.session, lab=arguments.lab))
    return 0


def _export(arguments: argparse.Namespace) -> int:
    formats = [name.strip() for name in arguments.format.split(",") if name.strip()]
    written = export_sessions(
        arguments.sessions, formats, arguments.to, lab=arguments.lab
    )
    if arguments.json:
        _print_json({"files": [str(path) for path in written]})
    else:
        for path in written:
            say(f"Wrote {path}")
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    comparison = compare_sessions(arguments.sessions)
    if arguments.json:
        _print_json(comparison_json(comparison))
    else:
        say(comparison_text(comparison))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    bench = _bench(arguments.bench)
    checks = [check_dut(bench), *check_bench(bench)]
    if arguments.json:
        _print_json(checks_as_json(checks))
    else:
        say(checks_text(checks))
    return 0 if all(check.ok for check in checks) else 3


def _simulate(arguments: argparse.Namespace) -> int:
    simulate(
        port=arguments.port,
        faults=arguments.fault,
        speedup=arguments.speedup,
        seed=arguments.seed,
        target=arguments.target,
        as_json=arguments.json,
        tell=say,
    )
    return 0
