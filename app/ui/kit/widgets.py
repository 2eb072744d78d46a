"""Labels, buttons, layouts and splitters, each made in one call and all alike."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QIcon, QTextCursor
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.ui.kit.entries import read_path
from app.ui.kit.labels import WrappedLabel

_Widget = TypeVar("_Widget", bound=QWidget)
_Part = QWidget | QLayout | None
_Margins = tuple[int, int, int, int]

NO_MARGINS: _Margins = (0, 0, 0, 0)
DIALOG_MARGINS: _Margins = (18, 16, 18, 14)


def named(widget: _Widget, name: str, tip: str = "", look: str = "") -> _Widget:
    """Give a widget its name for screen readers, a tool tip and a role of the style.

    A label is called by its text, which another name would keep from being read out.
    """
    if isinstance(widget, QLabel):
        widget.setAccessibleDescription(name)
    else:
        widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(tip)
    if look:
        widget.setObjectName(look)
    return widget


def make_note(text: str = "", look: str = "muted", *, name: str = "") -> QLabel:
    """Make a label whose text wraps; `look` is its role in the style sheet."""
    return named(WrappedLabel(text), name, look=look)


def make_heading(text: str) -> QLabel:
    """Make the heading of a part of a page."""
    return named(QLabel(text), "", look="heading")


def make_button(
    text: str,
    tip: str,
    act: Callable[[], object] | None = None,
    *,
    icon: QIcon | None = None,
    name: str = "",
) -> QPushButton:
    """Make a button that Enter does not press in a dialog.

    Args:
        text: Its text; "" for an icon alone.
        tip: What it does.
        act: Called when it is pressed.
        icon: Its icon.
        name: For screen readers, where that is not its text.
    """
    button = QPushButton(text, autoDefault=False)
    if icon is not None:
        button.setIcon(icon)
        button.setText(text and f" {text}")
    if act is not None:
        button.clicked.connect(act)
    shown = button.text()
    if shown.startswith(" "):  # The room beside its icon is not of its name.
        name = name or shown.strip().replace("&", "")
    return named(button, name, tip)


def make_choose_button(name: str, act: Callable[[], object]) -> QPushButton:
    """Make the small button that opens a file dialog."""
    button = make_button("...", f"{name}...", act, name=name)
    button.setFixedWidth(40)
    return button


class DialogButtons(QDialogButtonBox):
    """A button that accepts a dialog, by Enter too, and one that rejects it.

    Attributes:
        yes: The button that accepts.
    """

    def __init__(self, dialog: QDialog, yes: str, *, no: str = "Cancel") -> None:
        super().__init__()
        role = QDialogButtonBox.ButtonRole
        self.yes = self.addButton(yes, role.AcceptRole)
        self.yes.setDefault(True)
        self.addButton(no, role.RejectRole).setAutoDefault(False)
        self.accepted.connect(dialog.accept)
        self.rejected.connect(dialog.reject)


def row(
    *parts: _Part,
    of: QWidget | None = None,
    grows: _Part = None,
    margins: _Margins = NO_MARGINS,
    spacing: int | None = None,
) -> QHBoxLayout:
    """Put parts beside each other.

    Args:
        parts: Widgets and layouts from left to right; None is a stretch.
        of: The widget whose layout it is; None for a part of another layout.
        grows: The part that takes the room that is left.
        margins: Pixels at the left, top, right and bottom.
        spacing: Pixels between parts; None for those of the style.
    """
    return _filled(
        QHBoxLayout(), *parts, of=of, grows=grows, margins=margins, spacing=spacing
    )


def column(
    *parts: _Part,
    of: QWidget | None = None,
    grows: _Part = None,
    margins: _Margins = NO_MARGINS,
    spacing: int | None = None,
) -> QVBoxLayout:
    """Put parts above each other; the arguments are those of `row`."""
    return _filled(
        QVBoxLayout(), *parts, of=of, grows=grows, margins=margins, spacing=spacing
    )


_Layout = TypeVar("_Layout", bound=QBoxLayout)


def _filled(
    layout: _Layout,
    *parts: _Part,
    of: QWidget | None,
    grows: _Part,
    margins: _Margins,
    spacing: int | None,
) -> _Layout:
    if of is not None:
        of.setLayout(layout)  # first: parts get their parent as they are added
    layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        stretch = int(part is grows)
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QLayout):
            layout.addLayout(part, stretch)
        else:
            layout.addWidget(part, stretch)
    return layout


def panel(
    *parts: _Part,
    grows: _Part = None,
    margins: _Margins = NO_MARGINS,
    spacing: int | None = None,
) -> QWidget:
    """Make a widget of a column of parts; the arguments are those of `row`."""
    found = QWidget()
    column(*parts, of=found, grows=grows, margins=margins, spacing=spacing)
    return found


def split(
    *parts: QWidget, sizes: Sequence[int] = (), is_vertical: bool = False
) -> QSplitter:
    """Put widgets beside or above each other with handles between them."""
    orientation = Qt.Orientation
    found = QSplitter(
        orientation.Vertical if is_vertical else orientation.Horizontal,
        handleWidth=1,
        childrenCollapsible=False,
    )
    for part in parts:
        found.addWidget(part)
    if sizes:
        found.setSizes(list(sizes))
    return found


def make_form(horizontal: int = 14, vertical: int = 8) -> QFormLayout:
    """Make a form whose fields take the room beside their labels."""
    return QFormLayout(
        horizontalSpacing=horizontal,
        verticalSpacing=vertical,
        fieldGrowthPolicy=QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow,
    )


def search_in(text: QPlainTextEdit | QTextEdit, field: QLineEdit) -> None:
    """Let Enter in a field find the next place of its words, at the end the first."""

    def find_next() -> None:
        wanted = field.text()
        if wanted and not text.find(wanted):
            text.moveCursor(QTextCursor.MoveOperation.Start)
            text.find(wanted)

    field.returnPressed.connect(find_next)


class FolderField(QLineEdit):
    """The path of a folder, with a button that chooses one.

    Args:
        folder: To begin with.
        name: Its accessible name, and the title of the dialog that chooses.
    """

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(str(folder))
        self._name = name
        self.setAccessibleName(name)

    @property
    def path(self) -> Path:
        """The folder that is entered; "~" is the home folder.

        Raises:
            BadInput: It is missing, or begins with "~" and a user nobody knows.
        """
        return read_path(self.text(), "the folder")

    def add_to(self, form: QFormLayout) -> None:
        """Add a row with label, field and button."""
        label = QLabel("&Folder")
        label.setBuddy(self)
        choose = make_choose_button("Choose folder", self._choose)
        form.addRow(label, row(self, choose, grows=self))

    @Slot()
    def _choose(self) -> None:
        found = QFileDialog.getExistingDirectory(self, self._name, self.text())
        if found:
            self.setText(found)
