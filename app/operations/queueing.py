"""Campaigns one after the other: checked when queued, and again at their start."""

import os
import shlex
import shutil
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from app.bench.model import Bench
from app.campaign.checks import check_engines, check_plan, has_load
from app.operations.bench.arming_disks import look_at_disks
from app.operations.bench.lock import only_program
from app.operations.preflight.finding import Level
from app.operations.preflight.preflight import preflight
from app.operations.run.arming import NOT_ARMED, Arming, arm_target
from app.operations.run.run import RunResult
from app.operations.run.start_switch import check_start_switches
from app.plan.campaign import Campaign
from app.plan.verdict import Verdict
from instruments.errors import Aborted, BadInput, BenchError
from instruments.tools.command import run as run_tool

_LOOK_S = 1.0
_COMMAND_S = 600.0
"""A command at the end of a queue may take so long."""

_NOTE_S = 10.0
"""The queue waits no longer for a desktop to take its notification."""


@dataclass(frozen=True, slots=True)
class Order:
    """One run that waits.

    Attributes:
        campaign: The plan.
        bench: What it runs on.
        out: Folder of its session.
        without: Names of sources it may start without.
        arming: What was typed to let a disk be overwritten.
        erase: Buckets that were named to be erased.
        beside: Folder of the campaign's file, for its pictures.
    """

    campaign: Campaign
    bench: Bench
    out: Path
    without: Sequence[str] = ()
    arming: Arming = NOT_ARMED
    erase: Sequence[str] = ()
    beside: Path | None = None


def check_order(order: Order, *, later: bool = False) -> None:
    """Check that a run could start as it stands; nothing is started, nothing written.

    What is typed to let a disk be overwritten is compared with the disk that is there
    now. When its turn comes all is checked again, by the run itself.

    Args:
        order: The run.
        later: Whether it waits for a time, so that its disk need not be free yet.

    Raises:
        BadInput: The plan or the target is wrong, or a disk is not armed.
        BenchError: A program or a load host is missing.
    """
    check_plan(order.campaign, order.bench, order.without)
    check_start_switches(order.campaign, order.bench)
    for trouble in check_engines(order.campaign, order.erase, is_use=False).values():
        raise trouble
    bench, arming = order.bench.without_hosts(order.without), order.arming
    looks = None
    if later and order.campaign.writes and has_load(order.campaign):
        looks = look_at_disks(bench, bench.dut.targets)
    if looks is None:
        arm_target(order.campaign, bench, arming)
        return
    words, data = ", ".join(arming.words), arming.overrule
    if refusal := looks.freed.missing(bench.guard, bench.dut.size, words, data):
        raise BadInput(refusal.removesuffix("."), where=order.campaign.name)


def check_again(order: Order, cancel: threading.Event) -> None:
    """Make the pre-flight of a run whose turn has come, with nobody to see it.

    Raises:
        BenchError: Its result would not be valid, or the bench is in use.
    """
    with only_program(order.bench):
        found = preflight(
            order.campaign,
            order.bench,
            order.out,
            without=order.without,
            erase=order.erase,
            beside=order.beside,
            cancel=cancel,
        )
    stops = [f"{one.topic}: {one.text}" for one in found if one.level is Level.STOP]
    if stops:
        raise BenchError(
            f"the pre-flight says that the result would not be valid ({stops[0]})",
            where=order.campaign.name,
            way_out="See bayscope preflight, or the lines beside Start run.",
        )


def parse_time(text: str, now: datetime | None = None) -> datetime:
    """Read when something is to start: 22:00, or 2026-03-21 22:00; local time.

    Args:
        text: The time; without a day it is the next time the clock shows it.
        now: What the clock shows; None asks it.

    Raises:
        BadInput: It is none, or it is past.
    """
    now = now or datetime.now().astimezone()
    found: datetime | None = None
    for form in ("%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"):
        try:
            found = datetime.strptime(text.strip(), form)  # noqa: DTZ007 - local time
        except ValueError:
            continue
        if form == "%H:%M":
            found = datetime.combine(now.date(), found.time())
            if found.astimezone() <= now:
                found += timedelta(days=1)
        break
    if found is None or found.astimezone() <= now:
        raise BadInput(
            f'"{text}" is {"past" if found else "not a time"}',
            where="--at",
            way_out="Expected a later one, such as 22:00 or 2026-03-21 22:00.",
        )
    return found.astimezone()


def wait_until(
    moment: datetime, cancel: threading.Event, tell: Callable[[float], None]
) -> None:
    """Wait for a moment of the wall clock, whatever is done to the clock meanwhile.

    Args:
        moment: The moment.
        cancel: Set by the caller to wait no longer.
        tell: Takes the seconds that are left, about once a second.

    Raises:
        Aborted: It was cancelled.
    """
    while True:
        left = (moment - datetime.now().astimezone()).total_seconds()
        if left <= 0:
            return
        tell(left)
        if cancel.wait(min(left, _LOOK_S)):
            raise Aborted("the queue was stopped before its start")


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one run of a queue.

    Attributes:
        name: Name of the campaign.
        result: What it left; None where it did not begin.
        error: Why it did not begin or broke; None where it ran.
    """

    name: str
    result: RunResult | None = None
    error: BenchError | None = None

    @property
    def exit_code(self) -> int:
        """The exit code of the command line."""
        if self.result is not None:
            return self.result.exit_code
        return self.error.exit_code if self.error is not None else 0

    @property
    def was_stopped(self) -> bool:
        """Whether the operator stopped it."""
        return self.exit_code == Aborted.exit_code

    @property
    def failed(self) -> bool:
        """Whether it is not a PASS, so that what follows may not want to start."""
        return self.exit_code != 0


_RANK = (4, 3, 2, 1, 0)


def exit_code_of(done: Iterable[Done]) -> int:
    """Get the exit code of them all: the gravest that applies."""
    codes = {one.exit_code for one in done}
    return next((code for code in _RANK if code in codes), 0)


def parse_command(text: str, where: str = "--then") -> list[str]:
    """Read a command that is run when a queue has ended; no shell is involved.

    Raises:
        BadInput: There is no such program.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadInput(
            f"this is not a command ({error})",
            where=where,
            way_out="Close its quotes.",
        ) from error
    if not words or shutil.which(words[0]) is None:
        raise BadInput(
            f'there is no program "{words[0] if words else ""}"',
            where=where,
            way_out="Name one with its path; for a shell write sh -c '...'.",
        )
    return words


def run_command(
    words: Sequence[str], done: Sequence[Done], cancel: threading.Event
) -> None:
    """Run the user's command, which is given how all ended.

    BAYSCOPE_EXIT_CODE, BAYSCOPE_VERDICTS and BAYSCOPE_SESSIONS (one a line) are set.

    Args:
        words: The command.
        done: What ended.
        cancel: Set by the caller to end it, and all that it started.

    Raises:
        BenchError: It failed or took too long.
        Aborted: It was cancelled.
    """
    sessions = [os.fspath(one.result.session) for one in done if one.result]
    answer = run_tool(
        words,
        _COMMAND_S,
        env={
            "BAYSCOPE_EXIT_CODE": str(exit_code_of(done)),
            "BAYSCOPE_VERDICTS": "\n".join(verdict_of(one) for one in done),
            "BAYSCOPE_SESSIONS": "\n".join(sessions),
        },
        cancel=cancel,
    )
    if answer.code:
        said = (answer.stderr.strip() or answer.stdout.strip())[-200:]
        raise BenchError(
            f"the command ended with exit code {answer.code}"
            f"{f' ({said})' if said else ''}",
            where=shlex.join(words),
            way_out="The sessions are stored nevertheless.",
        )


def verdict_of(one: Done) -> str:
    """Get the verdict of a run; ERROR of one that did not begin."""
    return str(one.result.verdict if one.result else Verdict.ERROR)


def notify(title: str, text: str) -> None:
    """Show a notification of the desktop, where it has a program for that."""
    if shutil.which("notify-send"):
        argv = ["notify-send", "--app-name=Bayscope", "--", title, text]
        run_tool(argv, _NOTE_S)
