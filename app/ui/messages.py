"""Message boxes in the look of the program."""

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from app.ui.icons import Icons

_Role = QMessageBox.ButtonRole
_ICON = QSize(32, 32)
_OPTION = re.compile(r"[Oo]r run --without (\S+?)\.(?=\s|$)")


def in_window(error: Exception) -> str:
    """Write an error with the way out that the window has, not the command line."""
    return _OPTION.sub(r'Or untick "\1" under Must answer in Start run.', str(error))


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
    try:
        box.exec()
        return box.clickedButton() is wanted
    finally:
        box.deleteLater()


def _make_box(icons: Icons, icon: str, token: str, parent: QWidget) -> QMessageBox:
    box = QMessageBox(parent)
    box.setIconPixmap(icons.get(icon, token).pixmap(_ICON))
    box.setTextFormat(Qt.TextFormat.PlainText)
    return box
