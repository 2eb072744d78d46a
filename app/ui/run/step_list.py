"""The steps of a campaign: state, progress, remaining time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QProgressBar, QWidget

from app.plan.cleanness import NO_MARKS
from app.plan.verdict import Outcome
from app.record.store import StepRow
from app.ui.kit.clock import clock, seconds_between
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.states import Look, look_of_run
from app.ui.kit.tables import Table
from app.ui.kit.widgets import column, make_note, named, panel

ENDED = "ended"
"""State of a step that is over, and of which the store does not say yet how it did."""


@dataclass(frozen=True, slots=True)
class StepLine:
    """One step as it is listed.

    Attributes:
        label: What it is called.
        state: Verdict or outcome.
        time: How long it took, or how far it is.
        reason: Why it is not simply done.
        marks: What follows its verdict, such as that it is not clean.
    """

    label: str
    state: str
    time: str
    reason: str
    marks: str = ""


def step_lines(
    steps: Sequence[StepRow],
    now: int,
    running: str = "",
    marks: Mapping[int, str] = NO_MARKS,
    step_id: int = 0,
) -> list[StepLine]:
    """Arrange the steps of a run.

    What is stored of them counts, not where the playhead is: the readings that move
    it come a moment later than the start of a step.

    Args:
        steps: As stored.
        now: The playhead in nanoseconds.
        running: What to write as the time of the running step.
        marks: What follows the verdicts of steps, by their numbers.
        step_id: The number of the step that the run itself says it is at, which the
            store may not know yet; 0 where nothing says so.
    """
    lines = []
    for step in steps:
        state, time = _state_of(step, step_id), _time_of(step, now)
        if state == Outcome.RUNNING:
            time = running or time
        own = marks.get(step.id, "") if step.verdict else ""
        lines.append(StepLine(step.label, state, time, step.reason, own))
    return lines


def _state_of(step: StepRow, step_id: int) -> str:
    state = step.verdict or step.outcome
    if step_id and step.id == step_id and state == Outcome.PLANNED:
        return Outcome.RUNNING
    if step_id and step.id != step_id and state == Outcome.RUNNING:
        return ENDED
    return state


def _time_of(step: StepRow, now: int) -> str:
    if step.start_ns is None:
        return ""
    # The playhead may still be before a step whose start is stored already.
    end = step.end_ns if step.end_ns is not None else max(now, step.start_ns)
    return clock(seconds_between(step.start_ns, end))


def _columns() -> list[Column[StepLine]]:
    def look(line: StepLine) -> Look:
        return look_of_run(line.state, line.marks)

    def tip(line: StepLine) -> str:
        return f"{line.label}: {look(line).word} {line.reason}".strip()

    return [
        Column("Step", lambda line: line.label, tip=tip),
        Column("State", lambda line: line.state, look, tip),
        Column("Time", lambda line: line.time, right=True),
    ]


_STATE, _NARROW, _SIGN = 1, 280, 48
"""A column, and pixels: of a list in which it leaves names no room, and of its sign."""


class StepTable(Table):
    """Where it is narrow, a state is its sign, and names have the room of its word."""

    def _arrange(self) -> None:
        super()._arrange()
        if self.width() < _NARROW:
            head = self.horizontalHeader()
            head.setSectionResizeMode(_STATE, QHeaderView.ResizeMode.Fixed)
            self.setColumnWidth(_STATE, _SIGN)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the columns for the new width."""
        super().resizeEvent(event)
        self._arrange_later()


class StepList(QWidget):
    """The steps over a bar with the progress of the whole run."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._heading = named(ElidedLabel("Steps"), "", look="heading")
        self._heading.setContentsMargins(10, 10, 10, 6)
        self._model = RowsModel[StepLine](_columns(), context, self)
        self._table = StepTable(self._model, "Steps of the campaign", stretch=0)
        # The number of a repetition stands at the end of its name.
        self._table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(8)
        self._bar.setAccessibleName("Progress of the run")
        self._text = make_note()
        self._foot = panel(self._bar, self._text, margins=(10, 8, 10, 10))
        parts = (self._heading, self._table, self._foot)
        column(*parts, of=self, grows=self._table, spacing=0)
        self.set_progress(None, "")

    @property
    def model(self) -> RowsModel[StepLine]:
        """What is listed."""
        return self._model

    def set_title(self, text: str) -> None:
        """Show which campaign it is."""
        self._heading.setText(text)
        self._heading.setToolTip(text)

    def set_lines(self, lines: Sequence[StepLine]) -> None:
        """List these steps; the running one is kept in sight."""
        self._model.set_records(lines)
        for row, line in enumerate(lines):
            if line.state == "running":
                self._table.scrollTo(self._model.index(row, 0, QModelIndex()))

    def set_progress(self, fraction: float | None, text: str) -> None:
        """Show how much of the run is done, 0 to 1; None hides the bar."""
        self._foot.setVisible(fraction is not None or bool(text))
        self._bar.setVisible(fraction is not None)
        self._bar.setValue(round((fraction or 0.0) * 1000))
        self._text.setText(text)
