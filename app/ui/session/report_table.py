"""One table of a report on screen: columns of texts, words at the left."""

from collections.abc import Callable
from operator import itemgetter

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.report.table import BUFFERED
from app.report.table import Table as Report
from app.ui.kit.icons import Icons
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.states import Look, look_of
from app.ui.kit.tables import SpreadTable
from app.ui.kit.theme import Theme

Cells = tuple[str, ...]

_LEAST_HEAD, _BELOW = 44, 12
_WORDS = ("step", "device")
"""Keys of columns that hold no figures."""


class ReportTable(SpreadTable):
    """Shows a table of a report as its files have it.

    Args:
        report: The table.
        name: What a screen reader calls it.
        theme: The look.
        icons: Icons of the theme.

    Attributes:
        lines: Its rows as texts.

    Signals:
        row_wanted: The user wants what is behind a row (what stands first in it).
    """

    row_wanted = Signal(str)

    def __init__(self, report: Report, name: str, theme: Theme, icons: Icons) -> None:
        self.lines = RowsModel[Cells](_columns(report), theme, icons)
        self.lines.set_records([tuple(row) for row in report.texts()])
        super().__init__(self.lines, name)
        self._heads = report.heads
        # Rows of a sweep or a configuration differ at their ends.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.lines.setParent(self)
        self.doubleClicked.connect(self._want)
        self.activated.connect(self._want)
        if any("\n" in _title(head) for head in report.heads):
            self.horizontalHeader().setMinimumHeight(_LEAST_HEAD)

    @property
    def full_height(self) -> int:
        """Pixels that show all rows."""
        head = max(self.horizontalHeader().sizeHint().height(), _LEAST_HEAD)
        return head + self.verticalHeader().length() + _BELOW

    def copy(self) -> None:
        """Put the heads, and the selected rows or all, on the clipboard."""
        super().copy()
        clipboard = QGuiApplication.clipboard()
        heads = "\t".join(self._heads)
        clipboard.setText(f"{heads}\n{clipboard.text()}")

    @Slot(QModelIndex)
    def _want(self, index: QModelIndex) -> None:
        cells = self.lines.record(index)
        if cells:
            self.row_wanted.emit(cells[0].removesuffix(BUFFERED))


def _title(head: str) -> str:
    return head.replace(" (", "\n(", 1)


def _columns(report: Report) -> list[Column[Cells]]:
    columns = []
    for index, column in enumerate(report.columns):
        title, cell = _title(column.head), itemgetter(index)
        if column.key == "verdict":
            columns.append(Column[Cells](title, cell, _look_at(index)))
        else:
            is_figure = column.key not in _WORDS
            columns.append(Column[Cells](title, cell, right=is_figure))
    return columns


def _look_at(index: int) -> Callable[[Cells], Look]:
    return lambda cells: look_of(cells[index])
