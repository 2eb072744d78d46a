"""The tables below a report: other devices, efficiency, tables of two axes."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.report.table import Table as Report
from app.ui.kit.icons import Icons
from app.ui.kit.theme import Theme
from app.ui.session.report_table import ReportTable

_TIPS = {
    "Other devices": "What other devices on the bench drew in each step",
    "Efficiency and cost": "What follows from the power of each step",
}
_COPY = "Ctrl+C copies the chosen row, or the table"


class FurtherTables(QWidget):
    """Shows one of the further tables; the box above it chooses which.

    Attributes:
        box: The titles; hidden where there is no choice.
        title: The title of the only one.

    Signals:
        row_wanted: The user wants what is behind a row (what stands first in it).
        changed: Another table is shown.
    """

    row_wanted = Signal(str)
    changed = Signal()

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__()
        self._theme = theme
        self._icons = icons
        self._wanted = ""
        self.title = QLabel("")
        self.title.setObjectName("heading")
        self.box = QComboBox()
        self.box.setAccessibleName("Further table shown")
        self.box.setToolTip("Which of the tables below the report is shown (Alt+U)")
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._label = QLabel("F&urther table")
        self._label.setBuddy(self.box)
        self._stack = QStackedWidget()
        head = self._head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 6)
        head.setSpacing(8)
        for part in (self.title, self._label, self.box):
            head.addWidget(part)
        head.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._stack, 1)
        self.box.currentIndexChanged.connect(self._stack.setCurrentIndex)
        self.box.currentIndexChanged.connect(self.changed)
        self.box.activated.connect(self._want)
        self.hide()

    @property
    def titles(self) -> list[str]:
        """What can be shown."""
        return [self.box.itemText(number) for number in range(self.box.count())]

    @property
    def table(self) -> ReportTable | None:
        """What is shown, None where there is nothing."""
        found = self._stack.currentWidget()
        return found if isinstance(found, ReportTable) else None

    @property
    def full_height(self) -> int:
        """Pixels that show all rows of the table."""
        table = self.table
        rows = 0 if table is None else table.full_height
        return self._head.sizeHint().height() + rows

    def show_reports(self, reports: Sequence[tuple[str, Report]]) -> None:
        """Show these, each with its title; one that was chosen stays chosen."""
        self.box.clear()
        while (old := self._stack.currentWidget()) is not None:
            self._stack.removeWidget(old)
            old.hide()
            old.deleteLater()
        for title, report in reports:
            table = ReportTable(report, title, self._theme, self._icons)
            table.setToolTip(_TIPS.get(title, _COPY))
            table.row_wanted.connect(self.row_wanted)
            self._stack.addWidget(table)
            self.box.addItem(title)
        titles = self.titles
        if self._wanted in titles:
            self.box.setCurrentIndex(titles.index(self._wanted))
        several = len(titles) > 1
        self.box.setVisible(several)
        self._label.setVisible(several)
        self.title.setVisible(not several)
        self.title.setText(titles[0] if titles else "")
        self.setVisible(bool(titles))

    @Slot()
    def _want(self) -> None:
        """Remember which one the user chose."""
        self._wanted = self.box.currentText()
