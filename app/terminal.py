"""The progress of a run on a terminal: one line that is written over."""

import sys
import threading
from types import TracebackType

from app.campaign.progress import Progress
from app.plan.durations import clock_text

_BAR = 24


class ProgressLine:
    """Shows progress: a bar where somebody watches, a line a step where not.

    Args:
        quiet: Show nothing, as for --json.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._watched = sys.stderr.isatty()
        self._last = ""
        self._trouble = ""
        self._lock = threading.Lock()

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watched and not self._quiet and self._last:
            sys.stderr.write("\n")

    def show(self, progress: Progress) -> None:
        """Show a snapshot; may be called from any thread."""
        if self._quiet:
            return
        with self._lock:
            if progress.trouble != self._trouble:
                self._trouble = progress.trouble
                told = progress.trouble or "every source is back"
                start = "\r" if self._watched else ""
                sys.stderr.write(f"{start}{told:<79}\n")
            if self._watched:
                self._overwrite(progress)
            else:
                self._announce(progress)

    def _overwrite(self, progress: Progress) -> None:
        done = round(_BAR * progress.fraction)
        bar = "#" * done + "." * (_BAR - done)
        text = f"[{bar}] {_what(progress)}"
        if progress.remaining_s:
            text += f", {clock_text(progress.remaining_s)} left"
        if text != self._last:
            sys.stderr.write(f"\r{text:<79.79}")
            sys.stderr.flush()
            self._last = text

    def _announce(self, progress: Progress) -> None:
        text = _what(progress, percent=False)
        if text != self._last:
            left = f", {clock_text(progress.remaining_s)} left"
            sys.stderr.write(f"{text}{left if progress.remaining_s else ''}\n")
            sys.stderr.flush()
            self._last = text


def _what(progress: Progress, *, percent: bool = True) -> str:
    if progress.step:
        return f"{progress.step}/{progress.steps} {progress.label}"
    if percent and progress.step_fraction:
        return f"{progress.state} {100 * progress.step_fraction:.0f} %"
    return progress.state
