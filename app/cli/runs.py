"""The commands that run something: demo, run, simulate."""

import argparse
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.bench.file import load_bench
from app.bench.model import Bench
from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.cli.answers import Answers, answers_for, parse_answers
from app.cli.output import Add, add_out, print_json
from app.operations.bench.simulate import simulate
from app.operations.run.arming import arming_of
from app.operations.run.demo import demo_campaign, run_demo
from app.operations.run.foreign import check_confirmed
from app.operations.run.foresee import (
    Forecast,
    forecast_json,
    forecast_text,
    foresee,
)
from app.operations.run.resume import unfinished
from app.operations.run.run import RunResult, run_campaign
from app.operations.sessions.showing import show_json, show_text
from app.plan.campaign import Campaign, load_campaign, rehearsal_warning
from app.plan.shorten import shortened
from app.terminal import ProgressLine, say, warn
from instruments.simulated.faults import NAMES as FAULTS

if TYPE_CHECKING:
    from app.operations.queueing import Order


def add_commands(add: Add) -> None:
    """Add the commands to the parser."""
    command = add("demo", "Run the demo campaign on the simulated bench.", _demo)
    add_out(command)
    command = add("run", "Run a campaign on a bench and record it.", _run)
    command.add_argument("campaigns", type=Path, nargs="+", metavar="CAMPAIGN")
    command.add_argument("--bench", type=Path, help="bench.toml (default: simulated)")
    command.add_argument(
        "--shorten",
        type=_divisor,
        default=1.0,
        metavar="N",
        help="a rehearsal: divide all times by N; the values mean nothing",
    )
    _add_queue_options(command)
    _add_run_options(command)
    add_out(command)
    text = "Resume a run that was ended by a crash or killed."
    command = add("resume", text, _go_on)
    command.add_argument("session", type=Path, metavar="SESSION")
    command.add_argument(
        "--confirm",
        default="",
        metavar="CODE",
        help="confirm what a session from elsewhere would do; it is listed first",
    )
    _add_run_options(command)
    command = add("simulate", "Act as a simulated bench until Ctrl-C.", _simulate)
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


def _add_queue_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--at",
        default="",
        metavar="TIME",
        help="start then: 22:00, or 2026-03-21 22:00",
    )
    command.add_argument(
        "--then",
        default="",
        metavar="CMD",
        help="a command that is run when all have ended",
    )
    command.add_argument(
        "--after-failure",
        choices=("go-on", "stop"),
        default="go-on",
        help="whether the next campaign starts after one that failed (default: go-on)",
    )


def _add_run_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="SOURCE",
        help="start even where this source cannot be reached",
    )
    command.add_argument(
        "--arm",
        action="append",
        default=[],
        metavar="WORD",
        help="let the disk be overwritten that `bayscope targets` calls by this word: "
        "its serial number, or its name and size",
    )
    command.add_argument(
        "--overwrite-data",
        action="append",
        default=[],
        metavar="TYPE",
        help='let data of this type on it go, such as "ext4"',
    )
    command.add_argument(
        "--erase-bucket",
        action="append",
        default=[],
        metavar="NAME",
        help="let WARP delete everything in this bucket",
    )
    command.add_argument(
        "--operator",
        default="",
        metavar="NAME",
        help="who runs it (default: the user's name)",
    )
    command.add_argument(
        "--note", default="", metavar="TEXT", help="a remark that the session keeps"
    )
    command.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="LABEL=TEXT",
        help='answer the prompt of this step; "*=done" answers all',
    )


def _divisor(text: str) -> float:
    """Read by how much times are divided."""
    value = float(text)
    if not 1 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to 1000000")
    return value


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
        result = run_demo(arguments.out, progress=line.show, steering=Steering(cancel))
    if arguments.json:
        shown = _run_json(result.run)
        shown["files"] = [str(path) for path in result.files]
        print_json(shown)
    else:
        say(show_text(result.run.session))
        for path in (result.run.session, *result.files):
            say(f"Wrote {path}")
        say("Open the window with ./run, then Sessions, to replay it.")
    return result.run.exit_code


def _run(arguments: argparse.Namespace) -> int:
    campaigns = [
        shortened(load_campaign(path), arguments.shorten)
        for path in arguments.campaigns
    ]
    if arguments.shorten > 1 and not arguments.json:
        say(rehearsal_warning(arguments.shorten))
    bench = load_bench(arguments.bench)
    if arguments.bench is None and not arguments.json:
        say("No --bench: this runs on the simulated bench that ships with Bayscope.")
    if len(campaigns) > 1 or arguments.at or arguments.then:
        # A single run needs no pre-flight.
        from app.cli.queue import Queue  # noqa: PLC0415

        queue = Queue(arguments, campaigns, bench, _run_order, _tell)
        return queue.run(_cancel_on_signals())
    beside = arguments.campaigns[0].parent
    return _record(arguments, campaigns[0], bench, arguments.out, beside=beside)


def _go_on(arguments: argparse.Namespace) -> int:
    left = unfinished(arguments.session)
    if left.foreign is not None and not arguments.json:
        warn("\n  ".join(("It would, on this computer:", *left.foreign.lines)))
    check_confirmed(left.foreign, arguments.confirm, str(left.path))
    if not arguments.json:
        say(f"{left.count}.")
        for warning in left.warnings:
            say(warning)
    return _record(
        arguments,
        left.campaign,
        left.bench,
        left.path.parent,
        resume=left.path,
        left=left.to_run,
        confirmed=arguments.confirm,
    )


def _record(
    arguments: argparse.Namespace,
    campaign: Campaign,
    bench: Bench,
    out: Path,
    *,
    resume: Path | None = None,
    left: Sequence[str] = (),
    confirmed: str = "",
    beside: Path | None = None,
) -> int:
    result, forecasts = _execute(
        arguments,
        campaign,
        bench,
        out,
        cancel=_cancel_on_signals(),
        resume=resume,
        left=left,
        confirmed=confirmed,
        beside=beside,
        answers=arguments.answer,
    )
    if arguments.json:
        shown = _run_json(result)
        print_json({**shown, "estimate": forecast_json(forecasts)})
    else:
        _tell(result)
    return result.exit_code


def _run_order(
    arguments: argparse.Namespace, order: "Order", cancel: threading.Event
) -> RunResult:
    words = answers_for(arguments.answer, order.campaign)
    result, _ = _execute(
        arguments,
        order.campaign,
        order.bench,
        order.out,
        cancel=cancel,
        beside=order.beside,
        answers=words,
    )
    return result


def _execute(
    arguments: argparse.Namespace,
    campaign: Campaign,
    bench: Bench,
    out: Path,
    *,
    cancel: threading.Event,
    resume: Path | None = None,
    left: Sequence[str] = (),
    confirmed: str = "",
    beside: Path | None = None,
    answers: Sequence[str],
) -> tuple[RunResult, Sequence[Forecast]]:
    """Run one campaign, with its progress on the terminal."""
    given = parse_answers(answers, campaign)
    forecasts = foresee(campaign, bench, out, left)
    untold = [] if arguments.json else [forecast_text(forecasts)]
    steering = Steering(cancel)
    watcher = Answers(steering, given)
    line = ProgressLine(quiet=arguments.json)

    def watch(progress: Progress) -> None:
        if untold:  # What is refused before anything begins needs no estimate.
            say(untold.pop())
        line.show(progress)

    with line:
        result = run_campaign(
            campaign,
            bench,
            out,
            without=arguments.without,
            arming=arming_of(arguments.arm, arguments.overwrite_data),
            erase=arguments.erase_bucket,
            progress=watcher.watch(watch),
            steering=steering,
            resume=resume,
            confirmed=confirmed,
            operator=arguments.operator.strip(),
            note=arguments.note.strip(),
            beside=beside,
        )
    return result, forecasts


def _tell(result: RunResult) -> None:
    say(show_text(result.session))
    if result.reason:
        say(f"The run ended early: {result.reason}")
    say(f"Wrote {result.session}")


def _run_json(result: RunResult) -> dict[str, object]:
    shown = show_json(result.session)
    shown["verdict"] = str(result.verdict)
    shown["reason"] = result.reason or None
    return shown


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
