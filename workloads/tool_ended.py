"""How an external load program is ended, how it ended, and what it said."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from instruments.tools.started import Started
from workloads.base import Artefact, LoadOutcome, Say
from workloads.command_line import command_line, kept_line

MOST_EVENTS = 20
"""Messages of a load that become events; all are kept in its artefacts."""

GRACE_S: Mapping[signal.Signals, float] = {
    signal.SIGINT: 10.0,
    signal.SIGTERM: 5.0,
    signal.SIGKILL: 5.0,
}
"""Seconds that each signal is given before the next one."""

STOPPED, OVERTIME = "stopped", "overtime"


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
        argv: Its command line, which everybody on this machine could see.
    """

    code: int
    cause: str
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
        """Get the last thing that it said, standard error first."""
        for text in (self.stderr, self.text):
            told = [line.strip() for line in text.splitlines() if line.strip()]
            if told:
                return told[-1][:300]
        return "it said nothing"


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


def report(name: str, say: Say, messages: Sequence[str]) -> None:
    """Make events of what a program complained about, up to a limit."""
    for message in messages[:MOST_EVENTS]:
        say("warning", f"{name}: {message.strip()[:500]}")
    if len(messages) > MOST_EVENTS:
        say("warning", f"{name}: {len(messages) - MOST_EVENTS} more messages are kept")


def end_in_order(
    process: Started, name: str, say: Say, grace_s: Mapping[signal.Signals, float]
) -> None:
    """End a program and its helpers with one signal after the other.

    Args:
        process: The program; many write what they have on the first signal.
        name: What it is called.
        say: Takes (level, message) where it ignores one.
        grace_s: Seconds for each signal, such as GRACE_S.
    """
    for number, grace in grace_s.items():
        process.send_signal(number)
        if process.wait(grace) is not None:
            return
        say("warning", f"{name} ignored {number.name} for {grace:g} s")
