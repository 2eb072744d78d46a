"""One key of a step as a field: editor, unit, and what is wrong with it."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.operations.editing.field import Field
from app.operations.editing.values import to_value
from app.ui.campaign.form.fio_advice_label import AdviceLabel
from app.ui.kit.sentence_label import SentenceLabel
from instruments.settings import Kind, written

_SHORT = 114
_LINES = 62
_TRUE = ("true", "1")
_CHOOSE, _SEVERAL = "choose", "several values"
_NARROW = (Kind.INTEGER, Kind.NUMBER, Kind.DURATION, Kind.SIZE)


class CalmCombo(QComboBox):
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


class CampaignField(QWidget):
    """Edits one key; every change is told at once, right or wrong.

    It shows the value of a step, or that those of several steps differ.

    Signals:
        edited: Another value (object; None for "left out") was entered.
        left: The focus went elsewhere, so what comes next is another change.
    """

    edited = Signal(object)
    left = Signal()

    def __init__(self, field: Field) -> None:
        super().__init__()
        self.field = field
        self.editor = self._make_editor()
        name = field.title if len(field.path) == 1 else ".".join(field.path)
        self.editor.setAccessibleName(name)
        self.editor.setAccessibleDescription(field.option.help)
        self.editor.setToolTip(_tip(field))
        self.mistake = SentenceLabel("mistake")
        self.mistake.setAccessibleName(f"Mistake in {name}")
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.editor)
        if field.option.unit:
            unit = QLabel(field.option.unit)
            unit.setObjectName("muted")
            row.addWidget(unit)
        if field.option.kind in (*_NARROW, Kind.CHOICE, Kind.FLAG):
            row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.mistake)
        self.advice = AdviceLabel(name)
        layout.addWidget(self.advice)

    def _make_editor(self) -> QWidget:
        field = self.field
        if field.option.kind is Kind.FLAG:
            box = QCheckBox(field.option.help)
            box.checkStateChanged.connect(self._tell)
            return box
        if field.option.kind is Kind.CHOICE:
            combo = CalmCombo()
            combo.setMinimumContentsLength(12)
            combo.addItems([written(one) for one in field.option.choices])
            for number, words in enumerate(field.option.words):
                combo.setItemData(number, words, Qt.ItemDataRole.ToolTipRole)
            combo.setPlaceholderText(_CHOOSE)
            combo.currentIndexChanged.connect(self._tell)
            return combo
        if field.option.kind is Kind.LINES:
            text = QPlainTextEdit()
            text.setFixedHeight(_LINES)
            text.setTabChangesFocus(True)
            text.textChanged.connect(self._tell)
            return text
        line = QLineEdit()
        line.setPlaceholderText(field.default)
        if field.option.kind in _NARROW:
            line.setFixedWidth(_SHORT)
        line.textEdited.connect(self._tell)
        line.editingFinished.connect(self.left)
        return line

    def entered(self) -> str:
        """Get what stands in the editor as text."""
        match self.editor:
            case QCheckBox():
                return "true" if self.editor.isChecked() else "false"
            case QComboBox():
                return self.editor.currentText()
            case QPlainTextEdit():
                return self.editor.toPlainText()
            case QLineEdit():
                return self.editor.text()
        return ""

    def show_value(self, value: object) -> None:
        """Show a value; None shows that it is left out. Typing is not disturbed."""
        text = written(value)
        was = self.entered()
        default = self.field.default
        match self.editor:
            case QCheckBox():
                with QSignalBlocker(self.editor):
                    self.editor.setText(self.field.option.help)
                    self.editor.setTristate(False)
                    self.editor.setChecked((text or default) in _TRUE)
            case QComboBox():
                self.editor.setPlaceholderText(_CHOOSE)
                self._choose(self.editor, text or default)
            case QPlainTextEdit() if text != was:
                with QSignalBlocker(self.editor):
                    self.editor.setPlainText(text)
            case QLineEdit() if to_value(self.field.option, was) != value:
                self.editor.setText(text)

    def show_several(self) -> None:
        """Say that the chosen steps differ in it; what is entered holds for all."""
        match self.editor:
            case QCheckBox():
                with QSignalBlocker(self.editor):
                    self.editor.setText(f"{self.field.option.help}: {_SEVERAL}")
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
            hint = "in the sweep" if swept else self.field.default
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
        is_default = text == self.field.default and not isinstance(
            self.editor, QLineEdit | QPlainTextEdit
        )
        self.edited.emit(None if is_default else to_value(self.field.option, text))
        if isinstance(self.editor, QCheckBox | QComboBox):
            self.left.emit()

    def complain(self, sentence: str) -> None:
        """Say what is wrong with it; "" takes it back."""
        self.mistake.say(sentence)


def _tip(field: Field) -> str:
    keys = " (Space)" if field.option.kind is Kind.FLAG else ""
    return f"{field.option.explained}{keys}"
