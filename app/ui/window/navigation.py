"""The pages at the left."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QIcon, QPainter
from PySide6.QtWidgets import QButtonGroup, QToolButton, QVBoxLayout, QWidget

from app.ui.kit.context import Context

_WIDTH = 96
_ICON = QSize(22, 22)


@dataclass(frozen=True, slots=True)
class Page:
    """One entry.

    Attributes:
        name: What it is called.
        icon: Its icon.
        tip: What one does there.
        keys: Its shortcut.
    """

    name: str
    icon: str
    tip: str
    keys: str


class Navigation(QWidget):
    """A column of buttons, one of them down.

    Signals:
        chosen: The page with this name is wanted.
    """

    chosen = Signal(str)

    def __init__(self, pages: Sequence[Page], context: Context) -> None:
        super().__init__()
        self._context = context
        self._badges: set[str] = set()
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._buttons: dict[str, tuple[QToolButton, Page]] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(7, 9, 7, 9)
        layout.setSpacing(5)
        for page in pages:
            button = QToolButton()
            button.setObjectName("navigation")
            button.setText(page.name)
            button.setCheckable(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setIconSize(_ICON)
            button.setFixedSize(_WIDTH - 14, 58)
            button.setShortcut(page.keys)
            button.setToolTip(f"{page.tip} ({page.keys})")
            button.setAccessibleName(page.name)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _=False, name=page.name: self.choose(name))
            self._group.addButton(button)
            self._buttons[page.name] = (button, page)
            layout.addWidget(button)
        layout.addStretch(1)
        self.setFixedWidth(_WIDTH)
        self._recolour()
        context.theme.changed.connect(self._recolour)

    def choose(self, name: str) -> None:
        """Put a button down and say so."""
        self._buttons[name][0].setChecked(True)
        self._recolour()
        self.chosen.emit(name)

    def set_badge(self, name: str, *, shown: bool) -> None:
        """Mark a page that somebody should look at."""
        if shown == (name in self._badges):
            return
        self._badges ^= {name}
        button, page = self._buttons[name]
        button.setText(f"{page.name} (!)" if shown else page.name)
        # A new text takes the shortcut away.
        button.setShortcut(page.keys)
        button.setAccessibleName(f"{name}, needs attention" if shown else name)
        self._recolour()

    def take_focus(self) -> None:
        """Put the keyboard focus on the page that is shown."""
        button = self._group.checkedButton()
        if button is not None:
            button.setFocus()

    @Slot()
    def _recolour(self) -> None:
        for name, (button, page) in self._buttons.items():
            token = "accent" if button.isChecked() else "text"
            icon = self._context.icons.get(page.icon, token)
            button.setIcon(self._marked(icon) if name in self._badges else icon)

    def _marked(self, icon: QIcon) -> QIcon:
        """Paint a dot at the top right of an icon."""
        picture = icon.pixmap(_ICON, self.devicePixelRatioF())
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._context.theme.tokens.warn))
        painter.drawEllipse(QRectF(_ICON.width() - 10, 0, 10, 10))
        painter.end()
        return QIcon(picture)
