"""Chooses a row of a session, whose measured values a calculator takes."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QWidget

from app.calc.calculator import Calculator
from app.operations.sessions.taking import Facts, session_facts
from app.record.store import SessionSummary
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.sentences import SentenceLabel
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    column,
    make_form,
    make_note,
    named,
)
from app.ui.session.folder import SessionFolder
from app.ui.session.list import line_of
from instruments.errors import BadInput, one_line
from instruments.settings import Value, written

_WIDTH = 560
_READING = "Reading the sessions ..."


class TakeDialog(QDialog):
    """Offers the sessions of a folder and the rows of the one chosen.

    Args:
        calculator: What takes the values.
        folder: Where sessions are.
        context: What the parts of the window share.
        parent: What it belongs to.

    Attributes:
        sessions: The box of the sessions.
        steps: The box of the rows.
        told: What the chosen row gives, in words.
        buttons: To take them, or not.
        values: What the chosen row gives, by the keys of inputs.
    """

    def __init__(
        self,
        calculator: Calculator,
        folder: Path,
        context: Context,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Fill from a session")
        self._calculator = calculator
        self._background = context.background
        self._facts: Facts | None = None
        self.values: dict[str, Value] = {}
        self.sessions = named(ComboBox(), "Session", "Where values were measured")
        self.steps = named(ComboBox(), "Row", "The row of its report")
        for box in (self.sessions, self.steps):
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.setMinimumContentsLength(30)
        self.told = make_note(_READING, name="Values to fill in")
        self._mistake = SentenceLabel("mistake")
        form = make_form()
        for text, box in (("&Session", self.sessions), ("&Row", self.steps)):
            label = QLabel(text)
            label.setBuddy(box)
            form.addRow(label, box)
        self.buttons = DialogButtons(self, "Use them")
        column(
            form,
            self.told,
            self._mistake,
            self.buttons,
            of=self,
            margins=DIALOG_MARGINS,
            spacing=12,
        )
        self.setMinimumWidth(_WIDTH)
        self.buttons.yes.setEnabled(False)
        self.sessions.currentIndexChanged.connect(self._read)
        self.steps.currentIndexChanged.connect(self._choose)
        self._folder = SessionFolder(context.background, folder, self)
        self._folder.listed.connect(self._offer)
        self._folder.refresh()

    @Slot(object)
    def _offer(self, found: list[SessionSummary]) -> None:
        usable = [one for one in found if not one.error]
        with QSignalBlocker(self.sessions):
            self.sessions.clear()
            for one in usable:
                self.sessions.addItem(line_of(one), one.path)
        if usable:
            self._read()
        else:
            self.told.setText("There is no session in the folder of the Sessions page.")

    @Slot()
    def _read(self) -> None:
        path = self.sessions.currentData()
        self._facts = None
        self.steps.clear()
        self._mistake.say("")
        self.told.setText("Reading ...")
        if path is not None:
            self._background.run(
                partial(session_facts, path),
                partial(self._take, path),
                partial(self._give_up, path),
            )

    def _give_up(self, path: Path, error: Exception) -> None:
        if path == self.sessions.currentData():
            self.told.setText("")
            self._mistake.say(str(error))
            if not isinstance(error, BadInput):
                self._background.failed.emit(error)

    def _take(self, path: Path, facts: Facts) -> None:
        if path == self.sessions.currentData():
            self._facts = facts
            for label in facts.of_rows:
                self.steps.addItem(one_line(label), label)
            self._choose()

    @Slot()
    def _choose(self) -> None:
        """Say what the row gives."""
        label = self.steps.currentData()
        self.values = {}
        self._mistake.say("")
        if self._facts is None or label is None:
            self.buttons.yes.setEnabled(False)
            return
        try:
            self.values = self._facts.taken(self._calculator, label)
        except BadInput as error:
            self._mistake.say(str(error))
        options = {option.key: option for option in self._calculator.options}
        parts = [
            f"{options[key].title} {written(value)} {options[key].unit}".strip()
            for key, value in self.values.items()
        ]
        nothing = "This row has no value that the calculator uses."
        self.told.setText(one_line("; ".join(parts)) or nothing)
        self.buttons.yes.setEnabled(bool(self.values))
