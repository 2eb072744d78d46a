"""Snapshot of the session that is followed, looked for in the store on a beat."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.record.store import EventRow, StepRow
from app.ui.kit.background import Background
from app.ui.session.playhead import Playhead
from app.ui.session.record import Record

BEAT_MS = 90


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the store knows by now.

    Attributes:
        record: The session, read again.
        steps: All its steps.
        events: All its events.
        log: Events and the user's notes in the order of time.
        unclean: The judged steps whose disk had another user than their load.
        marks: What follows the verdicts of steps, by their numbers.
    """

    record: Record
    steps: list[StepRow]
    events: list[EventRow]
    log: list[EventRow]
    unclean: frozenset[int] = frozenset()
    marks: Mapping[int, str] = field(default_factory=dict)


class LiveWatcher(QObject):
    """Asks the store for a view: never more than one request at a time.

    Args:
        background: Where the store is read.
        playhead: While it stands still there is nothing new.
        view: Whom it is for; nothing is read while it is hidden.

    Attributes:
        is_watching: Whether another process records, so that no playhead moves.

    Signals:
        read: There may be something new (Snapshot).
    """

    read = Signal(object)

    def __init__(
        self, background: Background, playhead: Playhead, view: QWidget
    ) -> None:
        super().__init__(view)
        self._background = background
        self._playhead = playhead
        self._view = view
        self._record: Record | None = None
        self._events: list[EventRow] = []
        self._seen = -1
        self._busy = False
        self._again = False
        self.is_watching = False
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self.beat)

    @property
    def record(self) -> Record | None:
        """The session that is followed, as it was read last; None without one."""
        return self._record

    @property
    def is_busy(self) -> bool:
        """Whether an answer of the store is due."""
        return self._busy

    @property
    def is_beating(self) -> bool:
        """Whether it looks by itself."""
        return self._timer.isActive()

    def follow(self, record: Record | None) -> None:
        """Look at another session, or at none."""
        self._record = record
        self._events = []
        self._seen = -1

    def start(self) -> None:
        """Look on every beat."""
        self._timer.start()

    def stop(self) -> None:
        """Look only when told to."""
        self._timer.stop()

    @Slot()
    def beat(self) -> None:
        """Look, if there may be something new."""
        record = self._record
        if record is None or self._busy or not self._view.isVisible():
            return
        position = self._playhead.position
        if position == self._seen and not self.is_watching:
            return
        self._busy, self._seen = True, position
        known = self._events
        last = known[-1].id if known else 0

        def do() -> Snapshot:
            fresh = record.refreshed()
            events = [*known, *fresh.session.events(last)]
            # The steps first: one that is judged meanwhile is not yet shown as judged.
            session = fresh.session
            steps, unclean = session.steps(), session.unclean_steps()
            log, marks = fresh.log(events), session.step_marks()
            return Snapshot(fresh, steps, events, log, unclean, marks)

        self._background.run(do, self._take, partial(self._give_up, record))

    def look_again(self) -> None:
        """Look once more for certain, after the look that is under way if any."""
        self._seen = -1
        self._again = self._busy
        self.beat()

    def _is_due(self) -> bool:
        """Take note that a look has ended; tell whether another one was wanted."""
        again, self._busy, self._again = self._again, False, False
        return again

    @Slot(object)
    def _take(self, snapshot: Snapshot) -> None:
        again = self._is_due()
        if self._record is not None and snapshot.record.session is self._record.session:
            self._record, self._events = snapshot.record, snapshot.events
            self.read.emit(snapshot)
        if again:
            self.look_again()

    def _give_up(self, record: Record, error: Exception) -> None:
        if self._is_due():
            self.look_again()
        elif self._record is not None and self._record.session is record.session:
            self._timer.stop()
            self._background.failed.emit(error)
