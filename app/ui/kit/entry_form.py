"""A form whose fields have room below for what is wrong with them."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.widgets import column, make_form, named, row


class EntryForm(QWidget):
    """Rows of a label and what is entered; mistakes stand below their field.

    Attributes:
        error: The label for a mistake that is in no field.
        mistakes: The label of each field for a mistake in it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.error = named(SentenceLabel("mistake"), "Mistake")
        self.mistakes: dict[QLineEdit, SentenceLabel] = {}
        self._form = make_form(vertical=5)
        column(self._form, ReservedLine(self.error), of=self, spacing=4)

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
        self._form.addRow(
            label,
            row(*widgets, grows=widgets[0], spacing=6)
            if len(widgets) > 1
            else widgets[0],
        )

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
        labels = [
            named(SentenceLabel("mistake"), f"Mistake in {holds}")
            for holds in fields.values()
        ]
        self.mistakes.update(zip(fields, labels, strict=True))
        self._form.addRow("", ReservedLine(*labels))

    @property
    def complaint(self) -> str:
        """What is said to be wrong, "" without anything."""
        texts = [
            self.error.text(),
            *(mistake.text() for mistake in self.mistakes.values()),
        ]
        return " ".join(text for text in texts if text)

    def complain(self, sentence: str, field: QLineEdit | None = None) -> None:
        """Say a mistake: below the field it is in, or below all of them."""
        self.forget()
        if field is None:
            self.error.say(sentence)
        else:
            self.mistakes[field].say(sentence)
            field.setFocus()
            field.selectAll()

    def forget(self) -> None:
        """Say nothing."""
        for label in (self.error, *self.mistakes.values()):
            label.say("")
