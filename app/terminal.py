"""The terminal: what a command says, and the progress of a run on one line."""

import contextlib
import os
import sys
import threading
from datetime import datetime
from typing import TYPE_CHECKING

from instruments.durations import clock_text
from instruments.errors import BadInput, printable

if TYPE_CHECKING:  # A command that only reads has no progress of a run.
    from app.campaign.run.progress import Progress

_BAR = 24
_TENTHS = 10
# Where output goes into a log, a line each second would bury everything else.
_WHY_EVERY_NS = 60 * 10**9

_unsaid: list[OSError] = []
"""Why what was said could not be written."""


def say(text: str) -> None:
    """Write what a command has to say; a closed pipe, as after "| head", is fine.

    The command goes on, whatever comes of that: a run is worth more than what is said
    of it. See `check_said`.
    """
    text = printable(text, "\n\t")
    try:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _unsaid.append(error)
        # What is still buffered must not be tried again when Python ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def check_said() -> None:
    """Tell whether all could be written that was said since this was last asked.

    Raises:
        BadInput: Some of it could not, as where a disk is full.
    """
    if _unsaid:
        why = printable(_unsaid[0].strerror or "")
        _unsaid.clear()
        raise BadInput(
            f"what it says could not be written: {why}",
            way_out="Write it to a place that has room for it.",
        )


def warn(text: str) -> None:
    """Write a line beside what a command has to say."""
    sys.stderr.write(printable(text, "\n\t") + "\n")


class ProgressLine:
    """Shows progress: a bar where somebody watches, a line a step where not."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._watched = sys.stderr.isatty()
        self._last = ""
        self._told: dict[str, str] = {}
        self._why = ""
        self._why_ns = -_WHY_EVERY_NS
        self._lock = threading.Lock()

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *_: object) -> None:
        if self._watched and not self._quiet and self._last:
            self._write("\n")

    def show(self, progress: "Progress") -> None:
        """Show a snapshot; may be called from any thread."""
        if self._quiet:
            return
        with self._lock:
            # At its end a run has let go of all sources, which says nothing of them.
            if progress.step:
                self._say_news("trouble", progress.trouble, "every source is back")
                self._say_news("ended", progress.ended)
                held = (
                    f"paused by an interlock: {progress.held}" if progress.held else ""
                )
                self._say_news("held", held, "no interlock pauses the run any more")
                over = f"given up: {progress.given_up}" if progress.given_up else ""
                self._say_news("over", over)
            self._say_why(progress)
            if self._watched:
                self._overwrite(progress)
            else:
                self._announce(progress)

    def _say_news(self, kind: str, told: str, otherwise: str = "") -> None:
        """Say once, with the time of day, what has come, and that it is gone again."""
        if told == self._told.get(kind, ""):
            return
        self._told[kind] = told
        if text := told or otherwise:
            start = "\r" if self._watched else ""
            line = f"{datetime.now().astimezone():%H:%M:%S} {text}"
            self._write(f"{start}{line:<79}".rstrip() + "\n")

    def _say_why(self, progress: "Progress") -> None:
        """Say now and then what a step waits for, where no line can be overwritten."""
        due = progress.t_ns - self._why_ns >= _WHY_EVERY_NS
        if self._watched or progress.why in ("", self._why) or not due:
            return
        self._why, self._why_ns = progress.why, progress.t_ns
        self._write(f"  {progress.label}: {progress.why}\n")

    def _overwrite(self, progress: "Progress") -> None:
        done = round(_BAR * progress.fraction)
        bar = "#" * done + "." * (_BAR - done)
        text = f"[{bar}] {_what(progress, progress.step_fraction)}"
        if progress.remaining_s:
            text += f", {_left(progress)}"
        if progress.why:
            text += f"; {progress.why}"
        if text != self._last:
            self._write(f"\r{text:<79.79}")
            self._last = text

    def _announce(self, progress: "Progress") -> None:
        tenths = int(_TENTHS * progress.step_fraction) / _TENTHS
        text = _what(progress, tenths)
        if text != self._last:
            left = f", {_left(progress)}" if progress.remaining_s else ""
            self._write(f"{text}{left}\n")
            self._last = text

    def _write(self, text: str) -> None:
        # A run is not to end because nobody watches any more.
        with contextlib.suppress(OSError):
            start = "\r" if text.startswith("\r") else ""
            sys.stderr.write(start + printable(text.removeprefix("\r"), "\n\t"))
            sys.stderr.flush()


def _left(progress: "Progress") -> str:
    least = "at least " if progress.may_grow else ""
    return f"{least}{clock_text(progress.remaining_s)} left"


def _what(progress: "Progress", fraction: float) -> str:
    if progress.step:
        return f"{progress.step}/{progress.steps} {progress.label}"
    if fraction:
        return f"{progress.state} {100 * fraction:.0f} %"
    return progress.state
