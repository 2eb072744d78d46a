"""One option as a field: editor, unit, what is wrong with it and what follows."""

import re

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.kit.combo_box import ComboBox
from app.ui.kit.marks import with_marks, without_marks
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from instruments.errors import BadInput, OptionError
from instruments.settings import Kind, Option, Value, as_entered, written

_SHORT = 114
_LINES = 62
_TRUE = ("true", "1")
_CHOOSE, _SEVERAL = "choose", "several values"
_NARROW = (Kind.INTEGER, Kind.NUMBER, Kind.DURATION, Kind.SIZE)


def _brief(text: str) -> str:
    """Get the first clause of a help text: a check box wraps none; a tip has all."""
    return re.split(r"[,;.:] ", text)[0].rstrip(".")


class CalmCombo(ComboBox):
    """A box that a turn of the wheel passes over while it has no focus."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.setMinimumContentsLength(6)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Let the form scroll."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class _Flag(QCheckBox):
    """A check box whose words end in dots where they do not fit."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """As narrow as a box to choose from."""
        return super().minimumSizeHint().boundedTo(QSize(_SHORT, _LINES))

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        """Draw the words that fit."""
        super().initStyleOption(option)
        element = QStyle.SubElement.SE_CheckBoxContents
        room = self.style().subElementRect(element, option, self).width()
        mode = Qt.TextElideMode.ElideRight
        option.text = self.fontMetrics().elidedText(self.text(), mode, room)


class OptionField(QWidget):
    """Edits the value of an option; every change is told at once, right or wrong.

    It shows one value, or that those of several steps differ.

    Args:
        option: What is edited.
        name: What a screen reader calls it; "" is the option's title.
        title: What the line of help calls it; "" is the option's title.
        lines: Below what is typed there is room for so many.

    Attributes:
        said: What is said of it; a form may put it elsewhere.

    Signals:
        edited: Another value (object; None for "left out") was entered.
        left: The focus went elsewhere, so what comes next is another change.
    """

    edited = Signal(object)
    left = Signal()

    def __init__(
        self, option: Option, name: str = "", title: str = "", *, lines: int = 1
    ) -> None:
        super().__init__()
        self.option = option
        self.title = title or option.title
        self.default = written(option.default)
        if option.kind is Kind.FLAG:
            self.default = written(bool(option.default))
        self.editor = self._make_editor()
        name = name or option.title
        self.editor.setAccessibleName(name)
        self.editor.setAccessibleDescription(option.help)
        keys = " (Space)" if option.kind is Kind.FLAG else ""
        self.editor.setToolTip(f"{option.explained}{keys}")
        self.mistake = SentenceLabel("mistake")
        self.mistake.setAccessibleDescription(f"Mistake in {name}")
        self.advice = SentenceLabel()
        self.advice.setAccessibleDescription(f"What would be done with {name}")
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.editor)
        if option.unit:
            unit = QLabel(option.unit)
            unit.setObjectName("muted")
            row.addWidget(unit)
        if option.kind in _NARROW or isinstance(self.editor, QCheckBox | QComboBox):
            row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        lines = lines if isinstance(self.editor, QLineEdit) else 1
        self.said = ReservedLine(self.mistake, self.advice, lines=lines)
        layout.addWidget(self.said)
        # In a form that is scrolled rows would else be squeezed, until one says more.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _make_editor(self) -> QWidget:
        option = self.option
        if option.kind is Kind.FLAG:
            box = _Flag(_brief(option.help))
            box.setChecked(bool(option.default))
            box.checkStateChanged.connect(self._tell)
            return box
        if option.choices and option.kind is not Kind.TEXTS:
            combo = CalmCombo()
            choices = [written(one) for one in option.choices]
            combo.setMinimumContentsLength(max(12, *map(len, choices)))
            if option.default is None and not option.required:
                combo.addItem("")  # left out
            combo.addItems(choices)
            for choice, words in zip(choices, option.words, strict=False):
                tip = Qt.ItemDataRole.ToolTipRole
                combo.setItemData(combo.findText(choice), words, tip)
            combo.setCurrentText(self.default)
            combo.setPlaceholderText(_CHOOSE)
            combo.currentIndexChanged.connect(self._tell)
            return combo
        if option.kind is Kind.LINES:
            text = QPlainTextEdit()
            text.setFixedHeight(_LINES)
            text.setTabChangesFocus(True)
            text.textChanged.connect(self._tell)
            return text
        line = QLineEdit()
        line.setPlaceholderText(self._hint)
        if option.kind in _NARROW:
            line.setFixedWidth(_SHORT)
        line.textEdited.connect(self._tell)
        line.editingFinished.connect(self.left)
        return line

    @property
    def _hint(self) -> str:
        return self.default or self.option.example

    def entered(self) -> str:
        """Get what stands in the editor as text."""
        match self.editor:
            case QCheckBox():
                return "true" if self.editor.isChecked() else "false"
            case QComboBox():
                return self.editor.currentText()
            case QPlainTextEdit():
                return without_marks(self.editor.toPlainText())
            case QLineEdit():
                return without_marks(self.editor.text())
        return ""

    def show_value(self, value: object) -> None:
        """Show a value; None shows that it is left out. Typing is not disturbed."""
        text = written(value)
        was = self.entered()
        default = self.default
        match self.editor:
            case QCheckBox():
                with QSignalBlocker(self.editor):
                    self.editor.setText(_brief(self.option.help))
                    self.editor.setTristate(False)
                    self.editor.setChecked((text or default) in _TRUE)
            case QComboBox():
                self.editor.setPlaceholderText(_CHOOSE)
                self._choose(self.editor, text or default)
            case QPlainTextEdit() if text != was:
                with QSignalBlocker(self.editor):
                    self.editor.setPlainText(with_marks(text))
            case QLineEdit() if self._value(was) != value:
                self.editor.setText(with_marks(text))

    def show_several(self) -> None:
        """Say that the chosen steps differ in it; what is entered holds for all."""
        match self.editor:
            case QCheckBox():
                with QSignalBlocker(self.editor):
                    self.editor.setText(f"{_brief(self.option.help)}: {_SEVERAL}")
                    self.editor.setCheckState(Qt.CheckState.PartiallyChecked)
            case QComboBox():
                self.editor.setPlaceholderText(_SEVERAL)
                self._choose(self.editor, "")
            case QPlainTextEdit():
                with QSignalBlocker(self.editor):
                    self.editor.setPlainText("")
                    self.editor.setPlaceholderText(_SEVERAL)
            case QLineEdit():
                self.editor.setText("")
                self.editor.setPlaceholderText(_SEVERAL)

    def show_swept(self, *, swept: bool) -> None:
        """Say that its values are those of an axis of the sweep."""
        if isinstance(self.editor, QLineEdit):
            hint = "in the sweep" if swept else self._hint
            self.editor.setPlaceholderText(hint)

    def _choose(self, combo: QComboBox, text: str) -> None:
        with QSignalBlocker(combo):
            if text and combo.findText(text) < 0:
                combo.addItem(text)
            combo.setCurrentIndex(combo.findText(text) if text else -1)

    @Slot()
    def _tell(self) -> None:
        if isinstance(self.editor, QCheckBox):
            self.editor.setTristate(False)  # it was while steps had several values
        text = self.entered()
        isdefault = text == self.default and not isinstance(
            self.editor, QLineEdit | QPlainTextEdit
        )
        self.edited.emit(None if isdefault else self._value(text))
        if isinstance(self.editor, QCheckBox | QComboBox):
            self.left.emit()

    def _value(self, text: str) -> object:
        return self.option.typed(text) if text.strip() else None

    def set_value(self, value: Value | None) -> None:
        """Show a value of a source: one that is the default may be left out."""
        self.show_value(None if value == self.option.default else value)

    def value(self) -> Value | None:
        """Get what was entered, None where it is left out or the default.

        Raises:
            OptionError: It is not what the option expects; shown beside it, too.
        """
        self.complain("")
        try:
            found = self._value(self.entered())
            if found is None and self.option.required:
                what = f"{self.option.key} is missing"
                way_out = f"Expected {self.option.expected}."
                raise OptionError(self.option.key, what, way_out)
            value = None if found is None else self.option.take(found)
        except OptionError as error:
            self.refuse(error)
            raise
        return None if value == self.option.default else value

    def refuse(self, error: BadInput) -> None:
        """Say a mistake below it, as a separate sentence."""
        key = self.option.key
        what = error.what
        if what.startswith(f"{key} "):  # A form has no keys.
            what = f"{self.title}{what.removeprefix(key)}"
        what = f"{what[:1].upper()}{what[1:]}"
        self.complain(f"{what}. {as_entered(error.way_out)}")

    def complain(self, sentence: str) -> None:
        """Say what is wrong with it; "" takes it back."""
        self.mistake.say(sentence)
