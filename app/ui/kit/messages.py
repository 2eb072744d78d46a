"""Message boxes in the look of the program."""

import logging

from PySide6.QtCore import QObject, QSize, Qt, Slot
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
    box = _make_box(icons, "error", parent)
    box.setWindowTitle("Bayscope")
    box.setText(text)
    box.addButton("OK", _Role.AcceptRole)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


def make_wait_box(icons: Icons, text: str, parent: QWidget) -> QMessageBox:
    """Make a box that says what takes long; closed by whoever needs not wait on."""
    box = _make_box(icons, "warn", parent)
    box.setWindowTitle("Still waiting")
    box.setText(text)
    box.setEscapeButton(box.addButton("Cancel", _Role.RejectRole))
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
    box = _make_box(icons, "warn", parent)
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
    box = _make_box(icons, "warn", parent)
    box.setWindowTitle(f"Unsaved {kind}")
    box.setText(f'The {kind} "{name}" has changes that were not saved.')
    save = box.addButton("Save...", _Role.AcceptRole)
    lose = box.addButton("Discard changes", _Role.DestructiveRole)
    stay = box.addButton("Cancel", _Role.RejectRole)
    box.setDefaultButton(save)
    box.setEscapeButton(stay)
    with shown(box):
        return None if box.clickedButton() is save else box.clickedButton() is lose


def _make_box(icons: Icons, token: str, parent: QWidget) -> QMessageBox:
    box = QMessageBox(parent)
    box.setIconPixmap(icons.get("triangle-alert", token).pixmap(_ICON))
    return box


_log = logging.getLogger("bayscope")


class ErrorBox(QObject):
    """Opens a box over a window; while it is open others are added to it."""

    def __init__(self, icons: Icons, window: QWidget) -> None:
        super().__init__(window)
        self._icons = icons
        self._window = window
        self._dialog: QMessageBox | None = None
        self._is_shut = False

    def shut(self) -> None:
        """Open no box any more: it would outlive the window, and the program with it.

        What comes now is in the log.
        """
        self._is_shut = True
        if self._dialog is not None:
            self._dialog.close()

    @property
    def dialog(self) -> QMessageBox | None:
        """The box, while it is open."""
        return self._dialog

    @Slot(object)
    def show(self, error: Exception) -> None:
        """Show what went wrong: a sentence, or for our own mistakes its name."""
        text, kind = in_window(error), type(error).__name__
        if not isinstance(error, BenchError):
            _log.error("internal error", exc_info=error)
            text = f"Internal error, {': '.join(filter(None, (kind, str(error))))}."
        if self._is_shut:
            _log.warning("while the window closes: %s", error)
        elif self._dialog is not None:
            self._dialog.setText(f"{self._dialog.text()}\n\n{text}")
        else:
            dialog = make_message(self._icons, text, self._window)
            dialog.finished.connect(self._forget)
            self._dialog = dialog
            dialog.open()

    @Slot()
    def _forget(self) -> None:
        self._dialog = None
