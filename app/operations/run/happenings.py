"""What the operator does to a run, and is asked, in the session's log of events."""

import threading

from app.campaign.run.progress import Progress
from app.record.recorder import Recorder
from instruments.reading import SECOND


class Happenings:
    """Turns snapshots of a run into events where something is new.

    Pauses and questions are known to the steering alone, which stores nothing. A pause
    is in the journal, too: by whom, and for how long.

    Args:
        recorder: Takes both.
        operator: Who runs it.
    """

    def __init__(self, recorder: Recorder, operator: str) -> None:
        self._recorder = recorder
        self._operator = operator or "the operator"
        self._since_ns = 0
        self._lock = threading.Lock()
        self._paused = False
        self._asked = 0

    def take(self, progress: Progress) -> None:
        """Take a snapshot; any thread may call."""
        with self._lock:
            if progress.paused != self._paused:
                self._paused = progress.paused
                self._note_pause()
                self._tell(
                    "info",
                    "paused by the operator, from the next step on"
                    if progress.paused
                    else "the operator lets the run go on",
                )
            question = progress.question
            if question is not None and question.number > self._asked:
                self._asked = question.number
                missing = question.missing
                told = f"{question.text} (still not so: {missing})" if missing else ""
                self._tell("warning", f"asked: {told or question.text}")

    def _note_pause(self) -> None:
        """Write down who paused the run, or let it go on, and after how long."""
        now = self._recorder.clock.monotonic_ns()
        action, detail = "paused", f"by {self._operator}, from the next step on"
        if self._paused:
            self._since_ns = now
        else:
            seconds = (now - self._since_ns) / SECOND
            action, detail = "went on", f"by {self._operator}, after {seconds:.1f} s"
        self._recorder.post(lambda w: w.journal(now, action, detail))

    def _tell(self, level: str, text: str) -> None:
        self._recorder.event(level, "operator", text)
