"""Running an external load program: its lines as they come, and an end in order."""

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from instruments.command import Running, start
from workloads.base import LoadOutcome
from workloads.guard.load_guard import LoadGuard

GRACE_S: Mapping[signal.Signals, float] = {
    signal.SIGINT: 10.0,
    signal.SIGTERM: 5.0,
    signal.SIGKILL: 5.0,
}
"""Seconds that each signal is given before the next one."""

MOST_EVENTS = 20
"""Messages of a load that become events; all are kept in its artefacts."""

MOST_LINES = 200_000
"""Lines of a program that are kept; a program that prints more has gone mad."""

STOPPED, OVERTIME = "stopped", "overtime"

Say = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Line:
    """One line that a program printed, and when it was read (monotonic ns)."""

    text: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    Attributes:
        code: Its exit code; negative for the signal that ended it.
        cause: Why we ended it: STOPPED, OVERTIME or a sentence of the guard's; ""
            where it ended by itself.
        lines: All that it printed.
        stderr: What it complained about.
        start_ns: Monotonic time before it was started.
        end_ns: Monotonic time after it had ended.
    """

    code: int
    cause: str
    lines: tuple[Line, ...]
    stderr: str
    start_ns: int
    end_ns: int

    @property
    def text(self) -> str:
        """All that it printed, as one text."""
        return "".join(f"{line.text}\n" for line in self.lines)

    @property
    def how(self) -> str:
        """How it ended, for a sentence: its exit code or signal."""
        if self.code < 0:
            return f"ended by signal {signal.Signals(-self.code).name}"
        return f"exit code {self.code}"

    def last_words(self) -> str:
        """Get the last thing that it said, standard error first."""
        for text in (self.stderr, self.text):
            told = [line.strip() for line in text.splitlines() if line.strip()]
            if told:
                return told[-1][:300]
        return "it said nothing"


def run_tool(
    argv: Sequence[str],
    *,
    name: str,
    say: Say,
    stop: threading.Event,
    longest_s: float,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    quiet_s: float = 0.0,
    take: Callable[[Line], None] = lambda _: None,
    poll: Callable[[Running], str] = lambda _: "",
    poll_s: float = 0.1,
) -> Ended:
    """Run a program to its end, or stop it with INT, TERM and KILL.

    Args:
        argv: Program and arguments, which everybody on this machine can see.
        name: What it is called in messages.
        say: Takes (level, message) for the event log.
        stop: Set by the caller to end it early.
        longest_s: Seconds after which it is ended.
        cwd: Its working directory.
        env: Variables set on top of ours; the way for a secret.
        quiet_s: Seconds without a line after which is warned; 0 for never.
        take: Takes each line, on the reading thread.
        poll: Called about every `poll_s` seconds on the calling thread; what it
            returns is why the program has to end, "" where it may go on.
        poll_s: Seconds between two polls.

    Raises:
        BenchError: It cannot be started.
    """
    began = time.monotonic_ns()
    with start(argv, cwd=cwd, env=env) as process, _guardian(process.pid):
        reader = _Reader(process, take, name)
        reader.start()
        cause, warned = "", False
        deadline = time.monotonic() + longest_s
        while process.wait(poll_s) is None:
            cause = poll(process)
            if cause:
                say("error", f"{name} is ended: {cause}")
            elif stop.is_set():
                cause = STOPPED
            elif time.monotonic() > deadline:
                cause = OVERTIME
                say("error", f"{name} did not end in {longest_s:.0f} s")
            if cause:
                end_in_order(process, name, say)
                break
            quiet = time.monotonic() - reader.last_line
            if quiet_s and quiet > quiet_s and not warned:
                say("warning", f"no word from {name} for {quiet:.0f} s, it still runs")
            warned = bool(quiet_s) and quiet > quiet_s
        code = process.wait(1.0)
        # What it started may hold its output open; its own lines are here by then.
        reader.join(timeout=2.0)
        if _end_helpers(process.pid):
            say("warning", f"{name} left helpers behind, they were ended")
        reader.join(timeout=2.0)
        stderr = process.stderr_text()
    return Ended(
        code=-signal.SIGKILL if code is None else code,
        cause=cause,
        lines=tuple(reader.lines),
        stderr=stderr,
        start_ns=began,
        end_ns=time.monotonic_ns(),
    )


def end_in_order(process: Running, name: str, say: Say) -> None:
    """End a program and its helpers with one signal after the other."""
    for number, grace in GRACE_S.items():
        process.send_signal(number)
        if process.wait(grace) is not None:
            return
        say("warning", f"{name} ignored {number.name} for {grace:g} s")


def judge_forced(
    ended: Ended, name: str, way_out: str
) -> tuple[LoadOutcome, str] | None:
    """Judge a program that Bayscope had to end; None where it had not.

    Args:
        ended: How it ended.
        name: What it is called.
        way_out: What can be done about one that does not end.
    """
    if ended.cause == OVERTIME:
        return LoadOutcome.FAILED, f"{name} did not end in time; {way_out}"
    if ended.cause not in ("", STOPPED):
        return LoadOutcome.FAILED, f"{name} was ended by the guard: {ended.cause}"
    return None


def guard_poll(
    guard: LoadGuard, written: Callable[[Running], int]
) -> Callable[[Running], str]:
    """Make what tells a guard how much a program has written, and heeds its answer.

    Args:
        guard: The guard.
        written: Gives the bytes that were written in all so far.
    """
    told = 0

    def poll(process: Running) -> str:
        nonlocal told
        now = written(process)
        guard.count(now - told)
        told = max(told, now)
        return guard.spent()

    return poll


def report(name: str, say: Say, messages: Sequence[str]) -> None:
    """Make events of what a program complained about, up to a limit."""
    for message in messages[:MOST_EVENTS]:
        say("warning", f"{name}: {message.strip()[:500]}")
    if len(messages) > MOST_EVENTS:
        say("warning", f"{name}: {len(messages) - MOST_EVENTS} more messages are kept")


def _guardian(group: int) -> Running:
    """Start what kills a program's whole group should this process die.

    The kernel ends the program itself then, and not what it started: the Java
    machines of VDBench would go on writing.
    """
    script = 'while kill -0 "$1" 2>/dev/null; do sleep 1; done; kill -s KILL -- "-$2"'
    names = [str(os.getpid()), str(group)]
    return start(["sh", "-c", script, "bayscope-guardian", *names], tied=False)


def _end_helpers(group: int) -> bool:
    """Kill what is left of a program's process group; tell whether there was any."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
        return True
    return False


class _Reader(threading.Thread):
    """Takes a program's standard output line by line, with the time of each."""

    def __init__(
        self, process: Running, take: Callable[[Line], None], name: str
    ) -> None:
        super().__init__(name=f"{name}-reader", daemon=True)
        self.lines: list[Line] = []
        self.last_line = time.monotonic()
        self._stdout = process.stdout
        self._take = take

    def run(self) -> None:
        with suppress(ValueError):  # Its end of the pipe is closed by `close`.
            for raw in iter(self._stdout.readline, b""):
                self.last_line = time.monotonic()
                text = raw.decode("utf-8", "replace").rstrip("\r\n")
                line = Line(text, time.monotonic_ns())
                if len(self.lines) < MOST_LINES:
                    self.lines.append(line)
                self._take(line)
