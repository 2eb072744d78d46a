"""How an external load program is ended, how it ended, and what it printed."""

import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from instruments.tools.started import Started
from workloads.base import Artefact, End, LoadCause, Say
from workloads.command_line import command_line, kept_line

MOST_EVENTS = 20
"""Messages of a load that become events; all are kept in its artefacts."""

# A program that is interrupted writes its last results and its logs; one that is
# killed writes neither. So KILL is the last resort.
GRACE_S: Mapping[signal.Signals, float] = {
    signal.SIGINT: 10.0,
    signal.SIGTERM: 5.0,
    signal.SIGKILL: 5.0,
}
"""Seconds that each signal is given before the next one."""


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
        forced: Why we ended it; no cause where it ended by itself.
        lines: All that it printed.
        stderr: What it complained about.
        start_ns: Monotonic time before it was started.
        end_ns: Monotonic time after it had ended.
        argv: Its command line, which everybody on this machine could see.
    """

    code: int
    forced: End
    lines: tuple[Line, ...]
    stderr: str
    start_ns: int
    end_ns: int
    argv: tuple[str, ...] = ()

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

    def kept(self, name: str) -> list[Artefact]:
        """Keep its command line, and what it printed and complained about."""
        kept = [kept_line(command_line(self.argv))] if self.argv else []
        kept += [Artefact(f"{name}-output.txt", "text/plain", self.text.encode())]
        if self.stderr:
            raw = self.stderr.encode()
            kept.append(Artefact(f"{name}-messages.txt", "text/plain", raw))
        return kept

    def last_words(self) -> str:
        """Get the last line that it printed, standard error first."""
        for text in (self.stderr, self.text):
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            if lines:
                return lines[-1][:300]
        return "it printed no message"


def judge_forced(forced: End, name: str, overtime: str) -> End | None:
    """Judge a program that Bayscope had to end; None where it had not."""
    if forced.cause is LoadCause.OVERTIME:
        return End(forced.cause, f"{name} did not end {overtime}")
    if forced.cause in (LoadCause.GUARD, LoadCause.BUDGET):
        return End(forced.cause, f"{name} was ended by the guard: {forced.reason}")
    return None


def report(name: str, say: Say, messages: Sequence[str]) -> None:
    """Make events of what a program complained about, up to a limit."""
    for message in messages[:MOST_EVENTS]:
        say("warning", f"{name}: {message.strip()[:500]}")
    if len(messages) > MOST_EVENTS:
        say("warning", f"{name}: {len(messages) - MOST_EVENTS} more messages are kept")


def watch(
    process: Started,
    name: str,
    say: Say,
    stop: threading.Event,
    *,
    longest_s: float,
    look: Callable[[], End],
    wait_s: float = 0.1,
    grace_s: Mapping[signal.Signals, float] = GRACE_S,
    kill_strays: bool = True,
) -> End:
    """Wait for a program's end, or end it.

    Args:
        process: The program.
        name: What it is called in messages.
        say: Takes (level, message) for the event log.
        stop: Set to end it early.
        longest_s: Seconds after which it is ended.
        look: Asked every `wait_s` seconds why the program has to end.
        wait_s: Seconds between two looks.
        grace_s: Seconds for each signal.
        kill_strays: Whether one that had something else open is killed at once, and
            not asked to end: each moment it may write there.

    Returns:
        Why it was ended; no cause where it ended by itself.
    """
    deadline = time.monotonic() + longest_s
    while process.wait(wait_s) is None:
        # What it writes where it must not matters more than who asked it to end.
        forced = look() or _due(stop, deadline, longest_s)
        if not forced:
            continue
        if forced.cause is LoadCause.GUARD and kill_strays:
            process.send_signal(signal.SIGKILL)
            say("error", f"{name} was killed: {forced.reason}")
            process.wait(grace_s[signal.SIGKILL])
        else:
            if forced.reason:
                say("error", f"{name} is ended: {forced.reason}")
            _end_in_order(process, name, say, grace_s)
        return forced
    return End()


def _due(stop: threading.Event, deadline: float, longest_s: float) -> End:
    """Get why a program that does nothing wrong has to end now."""
    if stop.is_set():
        return End(LoadCause.STOPPED)
    if time.monotonic() > deadline:
        return End(LoadCause.OVERTIME, f"it did not end in {longest_s:.0f} s")
    return End()


class Quiet:
    """Warns once each time that a program gives no sign of life for too long.

    Args:
        name: The program.
        say: Takes (level, message) for the event log.
        longest_s: Seconds of silence before the warning; 0 for never.
    """

    def __init__(self, name: str, say: Say, longest_s: float) -> None:
        self._name = name
        self._say = say
        self._longest_s = longest_s
        self._warned = False

    def check(self, last: float) -> None:
        """Take the time of its last sign of life, by `time.monotonic`."""
        quiet = time.monotonic() - last
        is_quiet = 0 < self._longest_s < quiet
        if is_quiet and not self._warned:
            text = f"nothing from {self._name} for {quiet:.0f} s, it still runs"
            self._say("warning", text)
        self._warned = is_quiet


def _end_in_order(
    process: Started, name: str, say: Say, grace_s: Mapping[signal.Signals, float]
) -> None:
    """End a program and its helpers with one signal after the other.

    Many write what they have on the first one.
    """
    for number, grace in grace_s.items():
        process.send_signal(number)
        if process.wait(grace) is not None:
            return
        say("warning", f"{name} ignored {number.name} for {grace:g} s")
