"""The page of the calculators: which one at the left, and it beside."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStackedWidget, QWidget

from app.calc.catalogue import CALCULATORS
from app.ui.calc.page import CalculatorPage
from app.ui.kit.context import Context
from app.ui.kit.focus import lead_focus
from app.ui.kit.widgets import column, split

_LIST, _ITEM = 176, 30


class CalculatorsView(QWidget):
    """Makes the page of a calculator when it is first wanted.

    Attributes:
        list: Their titles.
        pages: Those that were wanted, by the words of the calculators.
        folder: Where sessions are taken from.
    """

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__()
        self._context = context
        self.folder = folder
        self.pages: dict[str, CalculatorPage] = {}
        self.list = QListWidget()
        self.list.setAccessibleName("Calculators")
        self.list.setMinimumWidth(_LIST)
        self.list.setObjectName("choice")
        self._stack = QStackedWidget()
        for word, one in CALCULATORS.items():
            item = QListWidgetItem(one.title)
            item.setData(Qt.ItemDataRole.UserRole, word)
            item.setToolTip(one.about)
            item.setSizeHint(QSize(0, _ITEM))
            self.list.addItem(item)
        body = split(self.list, self._stack, sizes=(_LIST, 1000))
        body.setStretchFactor(1, 1)
        column(body, of=self, grows=body)
        self.list.currentItemChanged.connect(self._choose)
        self.list.setCurrentRow(0)
        lead_focus(self, self.list)

    @property
    def page(self) -> CalculatorPage:
        """The calculator that is shown."""
        word = self.list.currentItem().data(Qt.ItemDataRole.UserRole)
        if word not in self.pages:
            page = CalculatorPage(CALCULATORS[word], self._context, lambda: self.folder)
            self.pages[word] = page
            self._stack.addWidget(page)
        return self.pages[word]

    @Slot()
    def _choose(self) -> None:
        self._stack.setCurrentWidget(self.page)
