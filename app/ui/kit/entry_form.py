"""A form whose fields have room below for what is wrong with them."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)


class EntryForm(QWidget):
    """Rows of a label and what is entered; mistakes stand below their field.

    Attributes:
        error: The label for a mistake that is in no field.
        mistakes: The label of each field for a mistake in it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.error = _make_mistake("Mistake")
        self.mistakes: dict[QLineEdit, QLabel] = {}
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(14)
        self._form.setVerticalSpacing(9)
        growth = QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow
        self._form.setFieldGrowthPolicy(growth)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addLayout(self._form)
        layout.addWidget(self.error)

    def add_row(
        self, text: str, *widgets: QWidget, buddy: QWidget | None = None
    ) -> None:
        """Add widgets beside each other; the first takes the room.

        Args:
            text: The label, with its shortcut.
            widgets: What is beside it.
            buddy: What the shortcut leads to.
        """
        label = QLabel(text)
        label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        if buddy is not None:
            label.setBuddy(buddy)
        self._form.addRow(label, beside(*widgets) if len(widgets) > 1 else widgets[0])

    def add_fields(
        self, text: str, fields: dict[QLineEdit, str], *more: QWidget
    ) -> None:
        """Add fields beside each other, with a row below for a mistake in each.

        Args:
            text: The label, with its shortcut to the first field.
            fields: The fields, and what each holds as in "Mistake in ...".
            more: What is beside them.
        """
        self.add_row(text, *fields, *more, buddy=next(iter(fields)))
        for field, holds in fields.items():
            label = self.mistakes[field] = _make_mistake(f"Mistake in {holds}")
            self._form.addRow("", label)
        self.forget()

    @property
    def complaint(self) -> str:
        """What is said to be wrong, "" without anything."""
        said = [
            self.error.text(),
            *(mistake.text() for mistake in self.mistakes.values()),
        ]
        return " ".join(text for text in said if text)

    def complain(self, sentence: str, field: QLineEdit | None = None) -> None:
        """Say a mistake: below the field it is in, or below all of them."""
        self.forget()
        if field is None:
            self.error.setText(sentence)
            self.error.show()
        else:
            label = self.mistakes[field]
            label.setText(sentence)
            self._form.setRowVisible(label, True)
            field.setFocus()
            field.selectAll()
        self.window().adjustSize()

    def forget(self) -> None:
        """Say nothing."""
        self.error.clear()
        self.error.hide()
        for label in self.mistakes.values():
            label.clear()
            self._form.setRowVisible(label, False)


def make_choose_button(name: str, action: Callable[[], object]) -> QPushButton:
    """Make the small button that opens a chooser; Enter is not for it."""
    button = QPushButton("...")
    button.setFixedWidth(40)
    button.setAutoDefault(False)
    button.setAccessibleName(name)
    button.setToolTip(f"{name}...")
    button.clicked.connect(action)
    return button


def beside(*widgets: QWidget) -> QHBoxLayout:
    """Put widgets beside each other; the first takes the room."""
    row = QHBoxLayout()
    row.setSpacing(6)
    for widget in widgets:
        row.addWidget(widget, 1 if not row.count() else 0)
    return row


def _make_mistake(name: str) -> QLabel:
    label = QLabel("")
    label.setWordWrap(True)
    label.setObjectName("mistake")
    label.setAccessibleName(name)
    return label
