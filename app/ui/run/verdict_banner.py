"""PASS or FAIL, large: of each step as it ends, and of the run at its end."""

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.plan.cleanness import NO_MARKS, UNCLEAN
from app.plan.verdict import Outcome, Verdict
from app.record.store import StepRow
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel, tone, wrap_tip
from app.ui.kit.states import Look, look_of_run
from app.ui.kit.theme import tabular
from app.ui.kit.widgets import column, make_note, named, row
from instruments.sizes import counted

MOST_REASONS = 3


def last_ended(steps: Sequence[StepRow]) -> StepRow | None:
    """Find the step that ended last, None before the first has."""
    ended = [step for step in steps if step.start_ns is not None and step.end_ns]
    return max(ended, key=lambda step: step.end_ns or 0, default=None)


def state_of_step(step: StepRow) -> str:
    """Get the verdict of a step, or what became of it where it has none."""
    return step.verdict or step.outcome


def reasons_of(
    steps: Sequence[StepRow], reason: str = "", unclean: Collection[int] = ()
) -> list[str]:
    """Say why a run ended as it did, a line a reason.

    Args:
        steps: As stored.
        reason: What ended the run as a whole, "" for its plan.
        unclean: The steps whose disk had another user than their load.
    """
    reasons = _shortened([reason] * bool(reason) + _failures(steps))
    skipped = sum(step.outcome == Outcome.SKIPPED for step in steps)
    if skipped:
        reasons.append(f"{_steps_were(skipped)} not run")
    doubtful = sum(step.verdict is not None and step.id in unclean for step in steps)
    if reasons:
        return reasons + [f"{_steps_were(doubtful)} not clean"] * bool(doubtful)
    passed = sum(step.verdict == Verdict.PASS for step in steps)
    text = f"{counted(passed, 'step')} passed"
    if doubtful:
        text += f", {doubtful} of them not clean: other processes used the disk"
    return [text]


def _failures(steps: Sequence[StepRow]) -> list[str]:
    bad = [step for step in steps if step.verdict not in (None, Verdict.PASS)]
    return [f"{step.label}: {step.reason or step.verdict}" for step in bad]


def _shortened(reasons: list[str]) -> list[str]:
    """Keep as many lines as have room, the last of them for how many more there are."""
    if len(reasons) <= MOST_REASONS:
        return reasons
    more = len(reasons) - MOST_REASONS + 1
    return [*reasons[: MOST_REASONS - 1], f"and {more} more, in the report"]


def _steps_were(count: int) -> str:
    return f"{counted(count, 'step')} {'was' if count == 1 else 'were'}"


_STEP_PT, _RUN_PT = 13, 24


class VerdictBanner(QWidget):
    """A word with its shape and colour, and the reasons beside it.

    While a run goes on it keeps its height: what is below it does not move.

    Attributes:
        word: The verdict.
        name: Of what; of a step with its reason, in a line.
        reasons: Why the run did.
        report: Shows the report.

    Signals:
        report_wanted: The report of the session is to be shown.
    """

    report_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._icons = context.icons
        self._look: Look | None = None
        self._size = _STEP_PT
        self._icon = QLabel()
        self.word = QLabel("")
        self.word.setAccessibleDescription("Verdict")
        self.name = named(ElidedLabel(), "", look="heading")
        self.reasons = make_note(look="", name="Reasons")
        self.report = QPushButton("Open re&port")
        self.report.setToolTip("The table of this session (Alt+P)")
        self.report.clicked.connect(self.report_wanted)
        words = column(self.name, self.reasons, margins=(8, 0, 0, 0), spacing=2)
        parts = (self._icon, self.word, words, self.report)
        row(*parts, of=self, grows=words, margins=(14, 6, 14, 6), spacing=10)
        self.setObjectName("notice")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        context.theme.changed.connect(self.recolour)
        self.hide()

    @Slot()
    def clear(self) -> None:
        """Say nothing: a run begins."""
        self._look = None
        self.hide()

    def show_steps(
        self, steps: Sequence[StepRow], marks: Mapping[int, str] = NO_MARKS
    ) -> None:
        """Show how the step that ended last did, or that none has yet."""
        step = last_ended(steps)
        look, name = look_of_run(""), "No step has ended yet"
        if step is not None:
            look = look_of_run(state_of_step(step), marks.get(step.id, ""))
            name = ": ".join(filter(None, (step.label, step.reason)))
        self.report.hide()
        self.reasons.hide()
        self._show(look, name, _STEP_PT)

    def show_end(
        self,
        verdict: str,
        steps: Sequence[StepRow],
        reason: str,
        unclean: Collection[int] = (),
    ) -> None:
        """Show how the run did.

        Args:
            verdict: Of the whole.
            steps: As stored.
            reason: What ended the run as a whole, "" for its plan.
            unclean: The steps whose disk had another user than their load.
        """
        self.report.show()
        self.reasons.setText("\n".join(reasons_of(steps, reason, unclean)))
        self.reasons.show()
        look = look_of_run(verdict, UNCLEAN * bool(unclean))
        self._show(look, "The run has ended", _RUN_PT)

    def _show(self, look: Look, name: str, size: int) -> None:
        self._look, self._size = look, size
        self.word.setText(look.word)
        self.name.setText(name)
        self.name.setToolTip(wrap_tip(name))
        self.recolour()
        self.show()

    @Slot()
    def recolour(self) -> None:
        """Draw word and icon in the colours of the theme."""
        if self._look is not None:
            side = round(self._size * 1.6)
            icon = self._icons.get(self._look.icon, self._look.token)
            self._icon.setPixmap(icon.pixmap(QSize(side, side)))
            tone(self.word, self._look.token)
            self.word.setFont(tabular(self._size, QFont.Weight.Bold))
