"""What files do not say of their clocks, asked of a person and never guessed."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCompleter,
    QFormLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from app.record.imports.answers import Answers, Question, parse_answers
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.widgets import column, row
from instruments.errors import BadInput

_FIELD_WIDTH = 220


class AnswerField(QWidget):
    """One field with its unit, an explanation beside it, a mistake below."""

    def __init__(self, name: str, hint: str, explanation: str) -> None:
        super().__init__()
        self.editor = QLineEdit()
        self.editor.setAccessibleName(name)
        self.editor.setPlaceholderText(hint)
        self.editor.setToolTip(explanation)
        self.editor.setFixedWidth(_FIELD_WIDTH)
        self.explanation = QLabel(explanation)
        self.explanation.setObjectName("muted")
        self._mistake = SentenceLabel("mistake")
        line = row(self.editor, self.explanation, grows=self.explanation, spacing=8)
        column(line, ReservedLine(self._mistake), of=self, spacing=0)

    @property
    def text(self) -> str:
        """What is typed."""
        return self.editor.text().strip()

    @property
    def mistake(self) -> str:
        """What is said to be wrong, "" without anything."""
        return self._mistake.text()

    def complain(self, text: str) -> None:
        """Say what is wrong; "" says nothing."""
        self._mistake.say(text)


class AnswersForm(QWidget):
    """Fields that come when a file asks for them; all of them are empty at first.

    Signals:
        changed: Something else is said.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._shifts: dict[Path, str] = {}
        self._group: tuple[Path, ...] = ()
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(14)
        self._form.setVerticalSpacing(2)
        self.zone = self._add(
            "Time &zone",
            "Europe/Berlin, UTC, +02:00",
            "of the local times in these files, at the time they were written",
        )
        self.day = self._add(
            "&Date", "YYYY-MM-DD", "of the first row of files with a time of day only"
        )
        self.offset = self._add(
            "&Begin", "seconds", "s after the first moment of the other files"
        )
        self.version = self._add(
            "&fio version", "such as 3.33", "that wrote the logs whose run is not here"
        )
        self.shift = self._add("T&his file", "seconds", "")
        self._of = {
            Question.ZONE: self.zone,
            Question.DATE: self.day,
            Question.OFFSET: self.offset,
            Question.FIO_VERSION: self.version,
        }
        for field in self._of.values():
            field.editor.textChanged.connect(self.changed)
            self._form.setRowVisible(field, False)
        self._form.setRowVisible(self.shift, False)
        self.shift.editor.textEdited.connect(self._keep_shift)

    def _add(self, title: str, hint: str, explanation: str) -> AnswerField:
        field = AnswerField(title.replace("&", ""), hint, explanation)
        label = QLabel(title)
        label.setBuddy(field.editor)
        label.setMinimumHeight(field.editor.sizeHint().height())
        self._form.addRow(label, field)
        return field

    def set_zones(self, names: Collection[str]) -> None:
        """Offer zones while one is typed; none is filled in."""
        completer = QCompleter(sorted(names), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.zone.editor.setCompleter(completer)

    def show_questions(self, asked: Sequence[Question], *, alone: bool) -> None:
        """Show the fields that are asked for, and those that are filled in.

        Args:
            asked: What is still to be said.
            alone: Whether no file has a clock, so that offsets count from midnight.
        """
        since = "midnight of that date" if alone else "the first moment of the others"
        self.offset.explanation.setText(f"s after {since}: files without a clock")
        for question, field in self._of.items():
            wanted = question in asked or bool(field.text)
            self._form.setRowVisible(field, wanted)

    def choose_files(self, paths: Sequence[Path], *, has_clock: bool) -> None:
        """Offer to move the times of one file, and of those that are read with it.

        Args:
            paths: The file and the others; empty for none.
            has_clock: Whether the file tells when it was made.
        """
        self._group = tuple(paths)
        self._form.setRowVisible(self.shift, bool(paths))
        if not paths:
            return
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        told = "s later than it says" if has_clock else "s after that moment"
        self.shift.explanation.setText(f"{told}: {paths[0].name}{more}")
        self.shift.editor.setText(self._shifts.get(paths[0], ""))
        self.shift.complain("")

    def forget_shifts(self, kept: Sequence[Path]) -> None:
        """Forget what was said of files that are gone."""
        self._shifts = {p: text for p, text in self._shifts.items() if p in kept}

    @Slot(str)
    def _keep_shift(self, text: str) -> None:
        for path in self._group:
            self._shifts[path] = text.strip()
        self.changed.emit()

    @property
    def answers(self) -> Answers | None:
        """What was said; None where there is a mistake, which is said below it."""
        zone, day, version = self.zone.text, self.day.text, self.version.text
        common = (self.offset.text,) if self.offset.text else ()
        own = (self.shift.text,) if self._group and self.shift.text else ()
        checks = (
            _check(self.zone, lambda: parse_answers(zone=zone)),
            _check(self.day, lambda: parse_answers(day=day)),
            _check(self.offset, lambda: parse_answers(offsets=common)),
            _check(self.shift, lambda: parse_answers(offsets=own)),
        )
        of_files = [f"{path}={text}" for path, text in self._shifts.items() if text]
        try:
            answers = parse_answers(
                zone=zone, day=day, offsets=(*common, *of_files), fio_version=version
            )
        except BadInput:  # said below a field, or of a file that is not chosen
            return None
        return answers if all(checks) else None


def _check(field: AnswerField, read: Callable[[], object]) -> bool:
    try:
        read()
    except BadInput as error:
        way_out = error.way_out.replace(", or FILE=SECONDS", ", such as -3600 or 2.5")
        field.complain(f"{error.what}. {way_out}")
        return False
    field.complain("")
    return True
