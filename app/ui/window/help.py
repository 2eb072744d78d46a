"""Help: the manual in its own window, and what this program is."""

import platform
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot, qVersion
from PySide6.QtGui import QAction, QIcon, QKeySequence, QTextBlock, QTextCursor
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QTextBrowser,
    QToolButton,
    QWidget,
)

from app import version
from app.ui.kit.context import Context
from app.ui.kit.widgets import column, make_button, named, row, search_in, split

MANUAL = "manual.md"
_KEYS = "The window"
"""The heading of the manual above its table of shortcuts."""


def manual_folder() -> Path:
    """Get where the documents are: in the package, else in the checkout."""
    root = Path(__file__).parents[3]
    packed = root / "resources" / "docs"
    return packed if packed.is_dir() else root / "docs"


class ManualWindow(QWidget):
    """The manual: its headings at the left, a search above the text."""

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle("Manual - Bayscope")
        self.resize(1000, 720)
        self.text = named(QTextBrowser(), "Manual")
        self.text.setOpenExternalLinks(True)
        self.text.document().setDocumentMargin(18)
        self.text.sourceChanged.connect(self._list_headings)
        self.headings = named(QListWidget(), "Headings")
        self.headings.itemActivated.connect(self._go_to)
        self.headings.itemClicked.connect(self._go_to)
        self.search = named(QLineEdit(), "Find", "Enter finds the next match")
        self.search.setPlaceholderText("Find (Ctrl+F)")
        search_in(self.text, self.search)
        self.search.setMaximumWidth(280)
        back = make_button("&Back", "Previous page (Alt+Left)", self.text.backward)
        back.setShortcut(QKeySequence("Alt+Left"))
        look = QAction(self)
        look.setShortcut(QKeySequence.StandardKey.Find)
        look.triggered.connect(self.search.setFocus)
        self.addAction(look)
        bar = row(back, self.search, margins=(10, 8, 10, 8), spacing=8)
        bar.insertStretch(1, 1)
        across = split(self.headings, self.text, sizes=(240, 760))
        across.setStretchFactor(1, 1)
        column(bar, across, of=self, grows=across, spacing=0)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowIcon(QIcon.fromTheme("bayscope"))
        context.theme.changed.connect(self.text.reload)

    def open(self, name: str, heading: str = "") -> None:
        """Show a document, at one of its headings."""
        self.text.setSource(QUrl.fromLocalFile(str(manual_folder() / name)))
        if heading:
            found = self.headings.findItems(heading, Qt.MatchFlag.MatchEndsWith)
            self._go_to(found[0] if found else None)
        self.show()
        self.activateWindow()
        self.text.setFocus()

    @Slot()
    def _list_headings(self) -> None:
        self.headings.clear()
        for block in self._blocks():
            if level := block.blockFormat().headingLevel():
                item = QListWidgetItem("   " * (level - 1) + block.text())
                item.setData(Qt.ItemDataRole.UserRole, block.position())
                self.headings.addItem(item)

    def _blocks(self) -> Iterator[QTextBlock]:
        block = self.text.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    @Slot(QListWidgetItem)
    def _go_to(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        # From the end, so that the heading comes to stand at the top.
        self.text.moveCursor(QTextCursor.MoveOperation.End)
        cursor = self.text.textCursor()
        cursor.setPosition(item.data(Qt.ItemDataRole.UserRole))
        self.text.setTextCursor(cursor)


def open_menu(
    button: QToolButton, menu: QMenu, name: str, tip: str, letter: str
) -> None:
    """Let a button of the status line open a menu, also by Ctrl, Shift and a letter."""
    keys = f"Ctrl+Shift+{letter}"
    button.setText(f" {name}")
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setMenu(menu)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setShortcut(keys)
    named(button, name, f"{tip} ({keys})")


class HelpButton(QToolButton):
    """A menu with the manual, its shortcuts, and what this program is."""

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__()
        self._context = context
        self._window = window
        self._manual: ManualWindow | None = None
        menu = QMenu(self)
        for text, keys, act in (
            ("&Manual", "F1", lambda: self.open(MANUAL)),
            ("&Keyboard shortcuts", "Shift+F1", lambda: self.open(MANUAL, _KEYS)),
            ("&About Bayscope", "", self.show_about),
        ):
            action = QAction(text, self)
            action.setShortcut(keys)
            action.triggered.connect(act)
            self.addAction(action)
            menu.addAction(action)
        context.icons.put_on(self, "circle-help")
        open_menu(self, menu, "Help", "Manual, keyboard shortcuts, version", "H")

    def open(self, name: str, heading: str = "") -> None:
        """Show a document of the manual."""
        if self._manual is None:
            self._manual = ManualWindow(self._context, self._window)
        self._manual.open(name, heading)

    @Slot()
    def show_about(self) -> QMessageBox:
        """Say what this program is, and what it runs on."""
        text = (
            f"Bayscope {version()}, Apache License 2.0\n\n"
            f"Python {platform.python_version()}, Qt {qVersion()}, "
            f"{platform.system()} {platform.release()}"
        )
        box = QMessageBox(self._window)
        box.setWindowTitle("About Bayscope")
        box.setText(text)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()
        return box
