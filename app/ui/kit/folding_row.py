"""A row of tools that puts some of them into a menu where it is too narrow."""

from functools import partial

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QTabWidget,
    QToolButton,
)

from app.ui.kit.icons import Icons
from app.ui.kit.widgets import named

_OUT_OF_SIGHT = -10_000


class FoldingRow(QHBoxLayout):
    """Lays out like any row, but is as narrow as it is without its tools.

    A tool in the menu is a child out of sight, not a hidden one: Qt would take its
    shortcut away.

    Attributes:
        more: The button with the menu, at the end of the row.
    """

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._tools: list[QAbstractButton] = []
        self._folded: list[tuple[QAbstractButton, int, Qt.FocusPolicy]] = []
        self._tabs: QTabWidget | None = None
        # Qt asks for sizes over and over, and each tool would ask its style anew.
        self._widths: dict[QAbstractButton, int] = {}
        self.more = named(
            QToolButton(), "More tools", "More tools, which keep their keys (Space)"
        )
        icons.put_on(self.more, "ellipsis")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setObjectName("more")
        menu = QMenu(self.more)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(partial(self._offer, menu))
        self.more.setMenu(menu)
        self.more.hide()

    def fold(self, *tools: QAbstractButton) -> None:
        """Let these tools of the row go into the menu; the first of them goes first."""
        self._tools = list(tools)
        self.addWidget(self.more)

    def stand_beside(self, tabs: QTabWidget) -> None:
        """Take no more room than the tabs leave, as their corner widget."""
        self._tabs = tabs

    @property
    def _spared(self) -> int:
        """Pixels that all tools take where they are shown, without the menu."""
        folded = [tool for tool, _, _ in self._folded]
        shown = [one for one in self._tools if one not in folded and not one.isHidden()]
        return sum(map(self._width_of, shown))

    def invalidate(self) -> None:
        """Forget how wide tools are, whenever one of them may have changed."""
        self._widths.clear()
        super().invalidate()

    def _width_of(self, tool: QAbstractButton) -> int:
        if tool not in self._widths:
            hint = tool.minimumSize().expandedTo(tool.sizeHint())
            self._widths[tool] = hint.width() + self.spacing()
        return self._widths[tool]

    @property
    def _missing(self) -> int:
        """Pixels that the tools in the menu would take."""
        return sum(
            self._width_of(tool) for tool, _, _ in self._folded if not tool.isHidden()
        )

    @property
    def _more_width(self) -> int:
        """Pixels that the button with the menu takes, now."""
        return 0 if self.more.isHidden() else self._width_of(self.more)

    def minimumSize(self) -> QSize:
        """As narrow as it is with all tools in the menu."""
        size = super().minimumSize()
        least = size.width() - self._more_width - self._spared
        return QSize(least + self._width_of(self.more), size.height())

    def sizeHint(self) -> QSize:
        """As wide as it is with all tools beside each other, if there is room."""
        size = super().sizeHint()
        width = size.width() - self._more_width + self._missing
        if self._tabs is not None:
            room = self._tabs.width() - self._tabs.tabBar().sizeHint().width()
            width = max(self.minimumSize().width(), min(width, room))
        return QSize(width, size.height())

    def setGeometry(self, rect: QRect) -> None:
        """Put tools into the menu until the others have room."""
        needed = super().sizeHint().width() - self._more_width + self._missing
        many, width = 0, needed
        while width > rect.width() and many < len(self._tools):
            if many == 0:
                width += self._width_of(self.more)
            if not self._tools[many].isHidden():
                width -= self._width_of(self._tools[many])
            many += 1
        while len(self._folded) > many:
            self._unfold()
        for tool in self._tools[len(self._folded) : many]:
            self._fold(tool)
        self.more.setVisible(many > 0)
        super().setGeometry(rect)

    def _fold(self, tool: QAbstractButton) -> None:
        if tool.hasFocus():
            self.more.setFocus()
        self._folded.append((tool, self.indexOf(tool), tool.focusPolicy()))
        tool.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.removeWidget(tool)
        tool.move(_OUT_OF_SIGHT, 0)

    def _unfold(self) -> None:
        tool, place, policy = self._folded.pop()
        tool.setFocusPolicy(policy)
        self.insertWidget(place, tool)

    def _offer(self, menu: QMenu) -> None:
        """List what is out of sight, as it stands in the row."""
        menu.clear()
        for tool, _, _ in reversed(self._folded):
            if tool.isHidden():
                continue
            text = tool.text().strip() or tool.accessibleName()
            inner = tool.menu() if isinstance(tool, QPushButton | QToolButton) else None
            if inner is not None:
                action = inner.menuAction()
                action.setText(text)
                menu.addAction(action)
            else:
                action = menu.addAction(f"{text}\t{tool.shortcut().toString()}")
                action.triggered.connect(tool.click)
                action.setCheckable(tool.isCheckable())
                action.setChecked(tool.isChecked())
            action.setIcon(tool.icon())
            action.setToolTip(tool.toolTip())
            action.setEnabled(tool.isEnabled())
