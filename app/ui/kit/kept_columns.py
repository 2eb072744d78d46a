"""What a table that is wider than its room keeps in sight, and says of the rest."""

from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, Qt, Slot
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QPushButton,
    QSizePolicy,
    QTableView,
)

_CHECKED = Qt.ItemDataRole.CheckStateRole
_LARGEST_SHARE = 0.75
"""Columns that take more of the room than this are not kept: nothing else is seen."""


class KeptColumns(QObject):
    """Keeps the first columns of a table in sight, and tells how many are not.

    A figure without the name of its row is nobody's. The columns are drawn once more
    above the table, by its own delegates, while it is scrolled to the right.

    Args:
        table: The table.
        last: The last column that is kept.

    Attributes:
        more: Says beside the scroll bar how many columns there are to the right, or
            to the left, and leads there.
    """

    def __init__(self, table: QTableView, last: int) -> None:
        super().__init__(table)
        self._table, self._last = table, last
        self._view: _Columns | None = None
        self.more = QPushButton()
        self.more.setObjectName("more")
        self.more.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        fixed = QSizePolicy.Policy.Fixed
        self.more.setSizePolicy(fixed, fixed)
        self.more.clicked.connect(self._go_on)
        table.horizontalScrollBar().setObjectName("wide")
        table.addScrollBarWidget(self.more, Qt.AlignmentFlag.AlignRight)
        bar = table.horizontalScrollBar()
        bar.valueChanged.connect(self._show)
        bar.rangeChanged.connect(self._show)
        head = table.horizontalHeader()
        head.sectionResized.connect(self._show)
        head.geometriesChanged.connect(self._show)
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the table."""
        if event.type() == QEvent.Type.Resize:
            self._show()
        return super().eventFilter(watched, event)

    @Slot()
    def _show(self) -> None:
        table, bar = self._table, self._table.horizontalScrollBar()
        if bar.maximum() > 0:
            self._tell()
        shown = [c for c in range(self._last + 1) if not table.isColumnHidden(c)]
        width = sum(map(table.columnWidth, shown))
        room = _LARGEST_SHARE * table.viewport().width()
        if bar.value() == 0 or not 0 < width <= room:
            if self._view is not None:
                self._view.hide()
            return
        if self._view is None:
            self._view = _Columns(table)
        self._view.place(shown, width)

    def _tell(self) -> None:
        """Say how many columns are not seen whole."""
        table, room = self._table, self._table.viewport().width()
        count = range(table.model().columnCount())
        begins = [table.columnViewportPosition(c) for c in count]
        widths = [table.columnWidth(c) for c in count]
        pairs = list(zip(begins, widths, strict=True))
        right = sum(w > 0 and x + w > room for x, w in pairs)
        left = sum(w > 0 and x < 0 for x, w in pairs[self._last + 1 :])
        number = right or left
        mark = "{} more \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"
        if not right:
            mark = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK} {} more"
        columns = "column" if number == 1 else "columns"
        side = "right" if right else "left"
        self.more.setText(mark.format(number))
        self.more.setAccessibleName(f"{number} more {columns} to the {side}")
        self.more.setToolTip(f"{number} more {columns} to the {side}")

    @Slot()
    def _go_on(self) -> None:
        """Scroll to the first column that is not seen whole; from the end back."""
        table, bar = self._table, self._table.horizontalScrollBar()
        if bar.value() == bar.maximum():
            bar.setValue(0)
            return
        kept = sum(map(table.columnWidth, range(self._last + 1)))
        room = table.viewport().width()
        for column in range(self._last + 1, table.model().columnCount()):
            begin = table.columnViewportPosition(column)
            if begin > kept and begin + table.columnWidth(column) > room:
                bar.setValue(bar.value() + begin - kept)
                return
        bar.setValue(bar.maximum())


class _Columns(QTableView):
    """The columns once more, above a table; what is done on them is done there."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self.setObjectName("kept")
        self.setAccessibleName(f"{table.accessibleName()}, columns that stay")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(table.verticalScrollMode())
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(table.selectionBehavior())
        self.setShowGrid(False)
        self.setAlternatingRowColors(table.alternatingRowColors())
        self.setWordWrap(table.wordWrap())
        self.setAutoScroll(False)  # it would follow the current cell
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        head.setMinimumSectionSize(table.horizontalHeader().minimumSectionSize())
        head.setDefaultAlignment(table.horizontalHeader().defaultAlignment())
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows = self.verticalHeader()
        rows.setMinimumSectionSize(table.verticalHeader().minimumSectionSize())
        table.verticalHeader().sectionResized.connect(self._fit)
        table.verticalScrollBar().valueChanged.connect(self._follow)

    def place(self, shown: list[int], width: int) -> None:
        """Lie above these columns of the table, which take so many pixels."""
        table = self._table
        if self.model() is not table.model():
            own = self.selectionModel()
            self.setModel(table.model())
            self.setSelectionModel(table.selectionModel())
            if own is not None:
                own.deleteLater()
        self.setItemDelegate(table.itemDelegate())
        head = self.horizontalHeader()
        for column in range(table.model().columnCount()):
            self.setColumnHidden(column, column not in shown)
            if column in shown:
                head.resizeSection(column, table.columnWidth(column))
        height = table.horizontalHeader().height()
        head.setFixedHeight(height)
        rows = self.verticalHeader()
        rows.setDefaultSectionSize(table.verticalHeader().defaultSectionSize())
        if not self.isVisible():
            for row in range(table.model().rowCount()):
                self._fit(row, 0, table.rowHeight(row))
        box = table.viewport().geometry()
        self.setGeometry(box.left(), box.top() - height, width, box.height() + height)
        self.show()
        self._follow()

    @Slot(int, int, int)
    def _fit(self, row: int, _old: int, height: int) -> None:
        if self.model() is not None and self.rowHeight(row) != height:
            self.setRowHeight(row, height)

    @Slot()
    def _follow(self) -> None:
        self.verticalScrollBar().setValue(self._table.verticalScrollBar().value())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the row there, without scrolling the table back to this column."""
        table, picker = self._table, self._table.selectionModel()
        here = self.indexAt(event.position().toPoint())
        if not here.isValid():
            return
        table.setFocus(Qt.FocusReason.MouseFocusReason)
        if here.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            is_on = Qt.CheckState(here.data(_CHECKED)) == Qt.CheckState.Checked
            wanted = Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked
            table.model().setData(here, wanted.value, _CHECKED)
        flags = QItemSelectionModel.SelectionFlag
        is_further = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        how = flags.Toggle if is_further else flags.ClearAndSelect
        beside = table.model().index(here.row(), table.columnAt(self.width() + 1))
        where = table.horizontalScrollBar().value()
        picker.setCurrentIndex(beside, how | flags.Rows)
        table.horizontalScrollBar().setValue(where)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag nothing from here."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End nothing: all was done at the press."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open nothing: the name of a row has no samples."""
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the table below."""
        QApplication.sendEvent(self._table.viewport(), event)
