"""The commands that run something: demo, run, simulate."""

import argparse
import contextlib
import signal
import sys
import termios
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from app.bench.file import load_bench
from app.bench.model import Bench
from app.campaign.phases.steering import Question, Steering
from app.campaign.run.progress import Progress
from app.cli.output import Add, add_out, print_json
from app.operations.bench.simulate import simulate
from app.operations.run.arming import arming_of
from app.operations.run.demo import demo_campaign, run_demo
from app.operations.run.foreign import check_confirmed
from app.operations.run.foresee import forecast_json, forecast_text, foresee
from app.operations.run.resume import unfinished
from app.operations.run.run import RunResult, run_campaign
from app.operations.sessions.showing import show_json, show_text
from app.plan.campaign import Campaign, load_campaign, rehearsal_warning
from app.plan.passes import in_first_pass
from app.plan.shorten import shortened
from app.terminal import ProgressLine, say, warn
from instruments.errors import BadInput
from instruments.simulated.faults import NAMES as FAULTS

_HOW = "Enter when it is done, no if it is not, or Ctrl-C to stop."
_WHETHER = "{action}? y/N (Ctrl-C stops the run)"


def parse_answers(words: Sequence[str], campaign: Campaign) -> dict[str, str]:
    """Read the words of `--answer LABEL=TEXT`; "*" stands for every label.

    Raises:
        BadInput: A word is none, there is no such prompt, or nobody is there to
            answer one.
    """
    asking = [label for label, step in campaign.runs if step.asks]
    found: dict[str, str] = {}
    for word in words:
        label, equals, text = word.partition("=")
        if not equals or (label != "*" and label not in asking):
            raise BadInput(
                f'"{word}" answers no prompt',
                where="--answer",
                way_out=f"Expected LABEL=TEXT, LABEL being * or {_listed(asking)}.",
            )
        found[label] = text
    unanswered = [label for label in asking if label not in found and "*" not in found]
    if unanswered and not sys.stdin.isatty():
        raise BadInput(
            f'the step "{unanswered[0]}" asks the operator, and nobody can answer here',
            where=campaign.name,
            way_out=f'Add --answer "{unanswered[0]}=done", or run it in a terminal.',
        )
    return found


class Answers:
    """Answers each question once: as given, else as typed.

    Where the bench does not agree with a given answer the run is ended, rather than
    asked for ever; so it is where nobody can type any more, for silence is no consent.

    One thread reads the terminal from the first question on. A line answers what is
    asked when it comes: what was typed before, or for a question that was taken back,
    answers nothing.
    """

    def __init__(self, steering: Steering, given: Mapping[str, str]) -> None:
        self._steering = steering
        self._given = given
        self._answered = 0
        self._lock = threading.Lock()
        self._asked: Question | None = None
        self._reader: threading.Thread | None = None

    def watch(self, show: Callable[[Progress], None]) -> Callable[[Progress], None]:
        """Get what takes snapshots: questions are answered, all goes on to `show`."""

        def take(progress: Progress) -> None:
            show(progress)
            if progress.question is not None:
                self._take(progress, progress.question)
            else:
                self._close()

        return take

    def _take(self, progress: Progress, question: Question) -> None:
        with self._lock:
            if question.number <= self._answered:
                return
            self._answered = question.number
        label = progress.label
        planned = in_first_pass(label, progress.pass_number)
        given = self._given.get(label, self._given.get(planned))
        text = given if given is not None else self._given.get("*")
        if text is None:
            self._ask(question)
        elif question.missing:
            self._give_up(f"{label}: {question.missing}", question)
        else:
            say(f"{question.text}\n> {text}")
            self._steering.answer(question.number, text)

    def _ask(self, question: Question) -> None:
        """Ask at the terminal."""
        missing = f"\nStill not so: {question.missing}" if question.missing else ""
        how = _WHETHER.format(action=question.action) if question.action else _HOW
        say(f"\n{question.text}{missing}\n{how}")
        _forget_typed()
        with self._lock:
            self._asked = question
            if self._reader is None:
                # A daemon, since nothing ends a read of the terminal.
                self._reader = threading.Thread(
                    target=self._read, name="answers", daemon=True
                )
                self._reader.start()

    def _close(self) -> None:
        """Say that nothing is asked any more, where nobody has answered."""
        with self._lock:
            asked, self._asked = self._asked, None
        if asked is not None:
            say("The question is closed: its step has ended.")

    def _read(self) -> None:
        for line in _lines():
            with self._lock:
                asked, self._asked = self._asked, None
            if asked is not None:
                self._steering.answer(asked.number, line.strip())
        with self._lock:
            self._reader = None  # The next question tries again.
            asked, self._asked = self._asked, None
        if asked is not None and asked == self._steering.question:
            text = f"nobody answered, the input has ended: {asked.text}"
            self._give_up(text, asked)

    def _give_up(self, reason: str, asked: Question) -> None:
        """End the run; what tears it down goes on without the answer."""
        self._steering.end(reason)
        self._steering.skip(asked.step_id)


def _lines() -> Iterator[str]:
    """Read the terminal to its end; one that is gone, or no text, is an end, too."""
    with contextlib.suppress(OSError, ValueError):
        yield from iter(sys.stdin.readline, "")


def _forget_typed() -> None:
    """Drop what was typed before a question, which cannot have been its answer."""
    with contextlib.suppress(termios.error, OSError, ValueError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(labels) if labels else "no prompt, this campaign has none"


def add_commands(add: Add) -> None:
    """Add the commands to the parser."""
    command = add("demo", "Run the demo campaign on the simulated bench.", _demo)
    add_out(command)
    command = add("run", "Run a campaign on a bench and record it.", _run)
    command.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    command.add_argument("--bench", type=Path, help="bench.toml (default: simulated)")
    command.add_argument(
        "--shorten",
        type=_divisor,
        default=1.0,
        metavar="N",
        help="a rehearsal: divide all times by N; the values mean nothing",
    )
    _add_run_options(command)
    add_out(command)
    text = "Go on with a run that a crash or a kill ended."
    command = add("resume", text, _go_on)
    command.add_argument("session", type=Path, metavar="SESSION")
    command.add_argument(
        "--confirm",
        default="",
        metavar="CODE",
        help="what a session from elsewhere would do is meant; it is listed first",
    )
    _add_run_options(command)
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
    campaign = shortened(load_campaign(arguments.campaign), arguments.shorten)
    if arguments.shorten > 1 and not arguments.json:
        say(rehearsal_warning(arguments.shorten))
    bench = load_bench(arguments.bench)
    if arguments.bench is None and not arguments.json:
        say("No --bench: this runs on the simulated bench that ships with Bayscope.")
    beside = arguments.campaign.parent
    return _record(arguments, campaign, bench, arguments.out, beside=beside)


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
    given = parse_answers(arguments.answer, campaign)
    forecasts = foresee(campaign, bench, out, left)
    untold = [] if arguments.json else [forecast_text(forecasts)]
    steering = Steering(_cancel_on_signals())
    answers = Answers(steering, given)
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
            progress=answers.watch(watch),
            steering=steering,
            resume=resume,
            confirmed=confirmed,
            operator=arguments.operator.strip(),
            note=arguments.note.strip(),
            beside=beside,
        )
    if arguments.json:
        shown = _run_json(result)
        print_json({**shown, "estimate": forecast_json(forecasts)})
    else:
        say(show_text(result.session))
        if result.reason:
            say(f"The run ended early: {result.reason}")
        say(f"Wrote {result.session}")
    return result.exit_code


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
