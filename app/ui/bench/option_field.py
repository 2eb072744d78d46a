"""One option of a driver as a field: label, editor, unit, and what is wrong."""

import contextlib

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.ui.kit.sentence_label import SentenceLabel
from instruments.errors import BadInput
from instruments.settings import Kind, Option, Value

_NUMBER_WIDTH = 110


class OptionField(QWidget):
    """Edits the value of an option.

    Signals:
        edited: The value is another one.
    """

    edited = Signal()

    def __init__(self, option: Option) -> None:
        super().__init__()
        self.option = option
        self.editor = self._make_editor()
        self.editor.setAccessibleName(option.key.replace("_", " "))
        self.editor.setAccessibleDescription(option.help)
        self.editor.setToolTip(f"{option.help}\nExpected {_expected(option)}.")
        self._mistake = SentenceLabel("mistake")
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.editor)
        if option.unit:
            unit = QLabel(option.unit)
            unit.setObjectName("muted")
            row.addWidget(unit)
        if not isinstance(self.editor, QLineEdit) or self._is_number:
            row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self._mistake)

    @property
    def _is_number(self) -> bool:
        return self.option.kind in (Kind.NUMBER, Kind.INTEGER)

    def _make_editor(self) -> QWidget:
        option = self.option
        if option.kind is Kind.FLAG:
            box = QCheckBox(option.help)
            box.setChecked(bool(option.default))
            box.toggled.connect(self.edited)
            return box
        if option.choices and option.kind is not Kind.TEXTS:
            combo = QComboBox()
            if option.default is None and not option.required:
                combo.addItem("", None)  # left out
            for choice in option.choices:
                combo.addItem(_written(choice), choice)
            if option.default is not None:
                combo.setCurrentIndex(max(0, combo.findData(option.default)))
            combo.currentIndexChanged.connect(self.edited)
            return combo
        line = QLineEdit()
        hint = (
            option.default if option.default not in (None, "", ()) else option.example
        )
        line.setPlaceholderText(_written(hint) if hint else "")
        if self._is_number:
            line.setFixedWidth(_NUMBER_WIDTH)
        else:
            line.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        line.textEdited.connect(self.edited)
        return line

    def set_value(self, value: Value | None) -> None:
        """Show a value; None, or the default, shows that it is left out."""
        if isinstance(self.editor, QCheckBox):
            self.editor.setChecked(bool(value))
        elif isinstance(self.editor, QComboBox):
            self.editor.setCurrentIndex(max(0, self.editor.findData(value)))
        elif isinstance(self.editor, QLineEdit):
            is_left_out = value is None or value == self.option.default
            self.editor.setText("" if is_left_out else _written(value))

    def value(self) -> Value | None:
        """Get what was entered, None where it was left out.

        Raises:
            BadInput: It is not what the option expects; shown beside the field, too.
        """
        self.complain("")
        try:
            found = self._entered()
            if found is None:
                if self.option.required:
                    raise BadInput(
                        f"{self.option.key} is missing",
                        where=self.option.key,
                        way_out=f"Expected {_expected(self.option)}.",
                    )
                return None
            return self.option.take(found)
        except BadInput as error:
            self.complain(f"{error.what}. {_for_a_form(error.way_out)}")
            raise

    def _entered(self) -> object:
        default = self.option.default
        if isinstance(self.editor, QCheckBox):
            checked = self.editor.isChecked()
            return None if checked == bool(default) else checked
        if isinstance(self.editor, QComboBox):
            chosen = self.editor.currentData()
            return None if chosen == default else chosen
        text = self.editor.text().strip() if isinstance(self.editor, QLineEdit) else ""
        return self._typed(text) if text else None

    def _typed(self, text: str) -> object:
        """Read a text as the kind of the option, or give it back as it is."""
        if self.option.kind is Kind.TEXTS:
            return [part.strip() for part in text.split(",") if part.strip()]
        with contextlib.suppress(ValueError):
            if self.option.kind is Kind.INTEGER:
                return int(text)
            if self.option.kind is Kind.NUMBER:
                return float(text)
        return text

    def complain(self, sentence: str) -> None:
        """Say what is wrong with it; "" takes it back."""
        self._mistake.say(f"{sentence[:1].upper()}{sentence[1:]}")


def _expected(option: Option) -> str:
    return _for_a_form(option.expected)


def _for_a_form(expected: str) -> str:
    """Write what a file needs as a form needs it: without quotes around texts."""
    return expected.replace("a text in quotes", "a text").replace(
        "a list of texts", "texts with commas between"
    )


def _written(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value)
