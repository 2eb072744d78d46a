"""Message boxes in the look of the program."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QStatusTipEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QWidget

from app.ui.kit.dialogs import shown
from app.ui.kit.icons import Icons
from instruments.errors import BenchError, one_line

_Role = QMessageBox.ButtonRole
_ICON = QSize(32, 32)


def in_window(error: Exception) -> str:
    """Write an error with the way out that the window has, not the command line."""
    # Only now: it takes all that reads a bench.
    from app.operations.bench.reaching import UnreachableError  # noqa: PLC0415

    if not isinstance(error, UnreachableError):
        return str(error)
    untick = f'Or untick "{error.source}" under Required sources.'
    way_out = f"{error.error.way_out} {untick}".strip()
    return str(BenchError(error.what, where=error.where, way_out=way_out))


def tell(widget: QWidget, text: str) -> None:
    """Say what was done in the status bar of the widget's window."""
    QApplication.sendEvent(widget, QStatusTipEvent(one_line(text)))


def make_message(icons: Icons, text: str, parent: QWidget) -> QMessageBox:
    """Make a box that says something went wrong; deleted when it is closed."""
    box = _make_box(icons, "triangle-alert", "error", parent)
    box.setWindowTitle("Bayscope")
    box.setText(text)
    box.addButton("OK", _Role.AcceptRole)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


def ask(
    icons: Icons, title: str, question: str, *, yes: str, no: str, parent: QWidget
) -> bool:
    """Ask before something is lost; Enter and Escape lose nothing.

    Args:
        icons: Icons of the theme.
        title: Of the window.
        question: What is asked.
        yes: What the button says that does it.
        no: What the button says that does not.
        parent: The window that waits.

    Returns:
        Whether the user wants it.
    """
    box = _make_box(icons, "triangle-alert", "warn", parent)
    box.setWindowTitle(title)
    box.setText(question)
    wanted: QPushButton = box.addButton(yes, _Role.AcceptRole)
    other: QPushButton = box.addButton(no, _Role.RejectRole)
    box.setDefaultButton(other)
    box.setEscapeButton(other)
    with shown(box):
        return box.clickedButton() is wanted


def ask_to_save(icons: Icons, name: str, parent: QWidget, *, kind: str) -> bool | None:
    """Ask before changes to a bench or campaign are lost; Escape loses nothing.

    Returns:
        True to go on without saving, False to stay, None to save first.
    """
    box = _make_box(icons, "triangle-alert", "warn", parent)
    box.setWindowTitle(f"Unsaved {kind}")
    box.setText(f'The {kind} "{name}" has changes that were not saved.')
    save = box.addButton("Save...", _Role.AcceptRole)
    lose = box.addButton("Discard changes", _Role.DestructiveRole)
    stay = box.addButton("Cancel", _Role.RejectRole)
    box.setDefaultButton(save)
    box.setEscapeButton(stay)
    with shown(box):
        return None if box.clickedButton() is save else box.clickedButton() is lose


def _make_box(icons: Icons, icon: str, token: str, parent: QWidget) -> QMessageBox:
    box = QMessageBox(parent)
    box.setIconPixmap(icons.get(icon, token).pixmap(_ICON))
    return box
