"""The buckets that a run empties; each with data has to be named by a person."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QLineEdit

from app.operations.run.erase import BucketLook, not_named
from app.ui.kit.icons import Icons

_ASKING = "Asking what is in the bucket ..."


class ErasePanel(QFrame):
    """One line for each bucket, with a field where it holds data.

    Attributes:
        fields: The field of each bucket that holds data, by its name.

    Signals:
        changed: Something else is typed or shown.
    """

    changed = Signal()

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._buckets: tuple[BucketLook, ...] = ()
        self._waits = False
        self.fields: dict[str, QLineEdit] = {}
        self._lines = QGridLayout(self)
        self._lines.setContentsMargins(14, 10, 14, 12)
        self._lines.setHorizontalSpacing(14)
        self._lines.setVerticalSpacing(6)
        self._lines.setColumnStretch(1, 1)
        self.setObjectName("card")
        self.hide()

    @property
    def missing(self) -> str:
        """What keeps the run from starting, "" where nothing does."""
        return _ASKING if self._waits else not_named(self._buckets, self.erase)

    @property
    def erase(self) -> tuple[str, ...]:
        """The buckets that were named to be emptied."""
        typed = ((name, field.text().strip()) for name, field in self.fields.items())
        return tuple(name for name, text in typed if name == text)

    def show_asking(self, *, wanted: bool) -> None:
        """Show that the server is being asked, or that no bucket is in question."""
        self._waits = wanted
        self._clear()
        if wanted:
            self._lines.addWidget(QLabel(_ASKING), 0, 0, 1, 2)
        self.setVisible(wanted)
        self.changed.emit()

    def show_buckets(self, buckets: Sequence[BucketLook]) -> None:
        """Show what was found."""
        self._clear()
        self._waits = False
        self._buckets = tuple(buckets)
        row = 0
        for bucket in buckets:
            self._lines.addLayout(self._title(bucket), row, 0, 1, 2)
            row += 1
            if bucket.trouble:
                self._lines.addWidget(_wrapped(bucket.trouble), row, 0, 1, 2)
                row += 1
            elif bucket.holds_data:
                self._add_field(bucket, row)
                row += 1
        self.setVisible(bool(buckets))
        self.changed.emit()

    def _title(self, bucket: BucketLook) -> QHBoxLayout:
        if bucket.trouble:
            icon, token, told = "octagon-x", "error", "cannot be looked at"
        elif bucket.holds_data:
            icon, token, told = "triangle-alert", "warn", "holds data, all of it goes"
        else:
            icon, token, told = "circle-check", "ok", "is empty or not there yet"
        picture = QLabel()
        picture.setPixmap(self._icons.get(icon, token).pixmap(18, 18))
        text = bucket.text[0].upper() + bucket.text[1:]
        heading = QLabel(f"{text} {told}")
        heading.setObjectName("heading")
        heading.setWordWrap(True)
        found = QHBoxLayout()
        found.setSpacing(8)
        found.addWidget(picture)
        found.addWidget(heading, 1)
        return found

    def _add_field(self, bucket: BucketLook, row: int) -> None:
        field = QLineEdit()
        field.setAccessibleName(f"Name of {bucket.text}")
        field.setPlaceholderText("Type the name of the bucket to have it emptied")
        field.setToolTip("WARP deletes every object and version in it (Alt+B)")
        field.textChanged.connect(self.changed)
        label = QLabel("Empty &bucket")
        label.setBuddy(field)
        self._lines.addWidget(label, row, 0)
        self._lines.addWidget(field, row, 1)
        self.fields[bucket.name] = field

    def _clear(self) -> None:
        self._buckets = ()
        self.fields = {}
        _empty(self._lines)


def _empty(layout: QGridLayout | QHBoxLayout) -> None:
    while item := layout.takeAt(0):
        inner, widget = item.layout(), item.widget()
        if isinstance(inner, QHBoxLayout):
            _empty(inner)
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def _wrapped(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setObjectName("mistake")
    return label
