"""Parts above each other that share the height by what they have to show."""

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QWidget


class Part(Protocol):
    """A widget that knows how high it is when all of it is seen."""

    @property
    def full_height(self) -> int:
        """Pixels that show all of it, without scrolling."""

    def isHidden(self) -> bool:
        """Tell whether it takes no room."""

    def hasFocus(self) -> bool:
        """Tell whether the user is at it."""

    def isAncestorOf(self, child: QWidget) -> bool:
        """Tell whether another widget is in it."""


def share(room: int, wanted: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Share out room: who wants little gets it, the others get it by their weight.

    Where there is more than everybody wants, the last one has it.
    """
    sizes = [0] * len(wanted)
    left, heavy = room, sum(weights)
    for one in sorted(range(len(wanted)), key=lambda one: wanted[one] / weights[one]):
        sizes[one] = min(wanted[one], left * weights[one] // heavy)
        left -= sizes[one]
        heavy -= weights[one]
    if sizes:
        sizes[-1] += left
    return sizes


_USED = 2
"""So many times its weight a part has that the user is at, where room is short."""


class SharedHeight(QSplitter):
    """Shares its height among its parts until the user moves a handle."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._parts: list[tuple[Part, int]] = []
        self._is_moved = False
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self.splitterMoved.connect(self._keep)

    def set_parts(self, parts: Sequence[tuple[Part, int]]) -> None:
        """Say which parts there are, from top to bottom, each with its weight."""
        self._parts = list(parts)
        self.share()

    @Slot()
    def share(self) -> None:
        """Share out again: a part has more or less to show."""
        if self._is_moved or len(self._parts) != self.count():
            return
        wanted = [0 if one.isHidden() else one.full_height for one, _ in self._parts]
        used = QApplication.focusWidget() or self
        weights = [
            weight * (_USED if one.hasFocus() or one.isAncestorOf(used) else 1)
            for one, weight in self._parts
        ]
        self.setSizes(share(self.height(), wanted, weights))

    @Slot()
    def _keep(self) -> None:
        self._is_moved = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new height."""
        super().resizeEvent(event)
        self.share()
