"""The pre-flight, run off the GUI thread, one look at a time."""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bench.model import Bench
from app.operations.bench.lock import only_program
from app.operations.preflight.finding import Finding, stop
from app.operations.preflight.preflight import preflight
from app.plan.campaign import Campaign
from app.ui.kit.background import Background
from app.ui.kit.question import Question
from instruments.errors import Aborted, BenchError

_ONE = threading.Lock()
"""Held while this program looks at a bench: its own cancelled look would otherwise be
taken for another program's."""
_FREE = threading.Event()
"""Set while no look of this program reads a bench."""
_FREE.set()
_TURN_S = 0.1
"""So often one that waits for its turn sees whether it is still wanted."""


@dataclass(frozen=True, slots=True)
class Flight:
    """What is looked at.

    Attributes:
        campaign: The plan.
        bench: The bench, with the target that is chosen.
        out: Folder of the session.
        without: Sources the run may start without.
    """

    campaign: Campaign
    bench: Bench
    out: Path
    without: tuple[str, ...] = ()


class PreflightWork(QObject):
    """Looks whether a run will give a valid result; a new wish ends the old look.

    Looks read instruments, so never two at once, whichever dialog wanted them, and a
    run waits for `free`.

    Attributes:
        free: Set while no look reads a bench.

    Signals:
        found: What was found (list of Finding).
        failed: The look failed with this exception.
    """

    found = Signal(object)
    failed = Signal(object)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._question = Question(background, self)
        self._question.answered.connect(self.found)
        self._question.failed.connect(self.failed)
        self._cancel = threading.Event()
        self.free = _FREE

    def look(self, flight: Flight) -> bool:
        """Look at this, unless it is what was looked at last; tell whether it does."""
        cancel = threading.Event()
        do = partial(_look, flight, cancel)
        if not self._question.ask(flight, do):
            return False
        self._cancel.set()
        self._cancel = cancel
        return True

    def stop(self) -> None:
        """Want no answer any more; what is looked at now is the last thing."""
        self._cancel.set()
        self._question.forget()


def _look(flight: Flight, cancel: threading.Event) -> list[Finding]:
    """Look, as soon as no other look goes on; runs in a worker."""

    def goes_on(_: str) -> None:
        if cancel.is_set():
            raise Aborted("the pre-flight was ended")

    while not _ONE.acquire(timeout=_TURN_S):
        goes_on("")
    try:
        goes_on("")
        _FREE.clear()
        return _look_alone(flight, goes_on, cancel)
    finally:
        _FREE.set()
        _ONE.release()


def _look_alone(
    flight: Flight, goes_on: Callable[[str], None], cancel: threading.Event
) -> list[Finding]:
    """Look, unless another program runs the bench: its instruments are left alone."""
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(only_program(flight.bench))
        except BenchError as error:
            return [stop("Bench", str(error))]
        return preflight(
            flight.campaign,
            flight.bench,
            flight.out,
            without=flight.without,
            progress=goes_on,
            cancel=cancel,
        )
