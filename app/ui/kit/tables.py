"""Table views that all behave alike."""

from enum import Enum, auto

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.ui.kit.kept_columns import KeptColumns

_PADDING = 16
"""Pixels left and right of a text, which a delegate forgets when it breaks lines."""


class WrappedText(QStyledItemDelegate):
    """Breaks lines at the width in which they are painted."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Get the room of a cell of this width."""
        if option.rect.isValid():
            option.rect.setWidth(max(1, option.rect.width() - _PADDING))
        return super().sizeHint(option, index)


_ROW_HEIGHT = 25
_MOST_ROOM = 90
"""Beyond this many pixels more a figure is too far from its neighbours to compare."""

_LEAST_WIDEST = 120
_LINE = 16
"""Pixels of a further line."""

_FOLDS = (
    (" \N{PLUS-MINUS SIGN} ", "\N{LINE SEPARATOR}\N{PLUS-MINUS SIGN} "),
    (", ", ",\N{LINE SEPARATOR}"),
)
"""Where a text may be broken, and what stands there then."""


class Table(QTableView):
    """A read-only table: whole rows, no grid, copy as tab-separated text.

    Args:
        name: What a screen reader calls it.
        stretch: The column that takes the room that is left; -1 for none.
        keeps: The last of the columns that stay in sight when it scrolls sideways.
    """

    def __init__(
        self,
        model: QAbstractItemModel,
        name: str,
        *,
        stretch: int = 0,
        keeps: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(40)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.kept = KeptColumns(self, keeps)
        self._stretch = stretch
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._arrange)
        self._arrange()
        # A header fits its sections to new columns, but not to new rows.
        for changed in (model.modelReset, model.rowsInserted, model.dataChanged):
            changed.connect(self._arrange_later)
        copy = QShortcut(QKeySequence.StandardKey.Copy, self)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy)

    @Slot()
    def _arrange_later(self) -> None:
        self._later.start()

    @Slot()
    def _arrange(self) -> None:
        head = self.horizontalHeader()
        for section in range(self.model().columnCount()):
            mode = QHeaderView.ResizeMode.ResizeToContents
            if section == self._stretch:
                mode = QHeaderView.ResizeMode.Stretch
            head.setSectionResizeMode(section, mode)

    def wrap(self) -> None:
        """Let a long text take several lines."""
        self.setWordWrap(True)
        self.setItemDelegateForColumn(self._stretch, WrappedText(self))
        rows = self.verticalHeader()
        rows.setMinimumSectionSize(_ROW_HEIGHT)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def choose_row(self, row: int) -> None:
        """Select one row and make it the current one."""
        index = self.model().index(row, 0)
        flags = (
            QItemSelectionModel.SelectionFlag.ClearAndSelect
            | QItemSelectionModel.SelectionFlag.Rows
        )
        self.selectionModel().setCurrentIndex(index, flags)

    def chosen_row(self) -> int:
        """Get the selected row, -1 without one."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def copy(self) -> None:
        """Put the selected rows, or all of them, on the clipboard."""
        chosen = sorted(index.row() for index in self.selectionModel().selectedRows())
        rows = chosen or range(self.model().rowCount())
        lines = [
            "\t".join(
                str(self.model().index(row, column).data() or "")
                for column in range(self.model().columnCount())
            )
            for row in rows
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))


class FoldedText(QStyledItemDelegate):
    """Writes a figure over its uncertainty, a verdict over what it lacks.

    Attributes:
        folds: Whether it does so now, as its table is narrow.
    """

    folds = False

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Break the text of a cell in two, but for labels."""
        super().initStyleOption(option, index)
        if self.folds and index.column():
            for blank, broken in _FOLDS:
                option.text = option.text.replace(blank, broken, 1)


class Looked(Enum):
    """How the user came to look at a cell."""

    FOLLOWED = auto()
    """By a key that led to it."""

    CLICKED = auto()
    """By a click on it alone, which may be the first one of two."""

    ASKED = auto()
    """By Enter, a second click, or a menu."""


class SpreadTable(Table):
    """A table of figures: all columns share the room that is left.

    Where there is too little, cells that can are written in two lines, and the widest
    column gives way, down to a least width. Where that is not enough the table scrolls,
    and it gives way to a third of the room.

    Signals:
        folded: Its rows are higher or lower than before.
        looked: The user looks at a cell, and how (Looked).
    """

    folded = Signal()
    looked = Signal(QModelIndex, object)
    _text: FoldedText | None = None

    def tell_looks(self) -> None:
        """Tell at which cell the user looks.

        Qt tells no click where the mouse was dragged to another cell.
        """
        self.clicked.connect(self._tell_click)
        self.activated.connect(self._tell_asked)  # by a double click, too

    @Slot(QModelIndex)
    def _tell_click(self, index: QModelIndex) -> None:
        if QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier:
            self.looked.emit(index, Looked.CLICKED)

    @Slot(QModelIndex)
    def _tell_asked(self, index: QModelIndex) -> None:
        self.looked.emit(index, Looked.ASKED)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, and tell where to."""
        before = self.currentIndex()
        super().keyPressEvent(event)
        if self.currentIndex() != before:
            self.looked.emit(self.currentIndex(), Looked.FOLLOWED)

    def let_fold(self) -> None:
        """Let cells be written in two lines where the table is narrow."""
        self._text = FoldedText(self)
        self.setItemDelegate(self._text)
        self._arrange_later()

    def _wanted(self) -> list[int]:
        head = self.horizontalHeader()
        return [
            max(self.sizeHintForColumn(section), head.sectionSizeHint(section))
            for section in range(self.model().columnCount())
        ]

    def _fold(self, wanted: list[int]) -> list[int]:
        """Write in two lines what is too wide in one; get how wide columns are then."""
        if self._text is None:
            return wanted
        self._text.folds = sum(wanted) > self.viewport().width()
        narrow = self._wanted() if self._text.folds else wanted
        rows = self.verticalHeader()
        height = _ROW_HEIGHT + (_LINE if narrow != wanted else 0)
        if rows.defaultSectionSize() != height:
            rows.setDefaultSectionSize(height)
            self.folded.emit()
        return narrow

    def _arrange(self) -> None:
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        if self._text is not None:
            self._text.folds = False
        wanted = self._fold(self._wanted())
        if not wanted:
            return
        room = self.viewport().width() - sum(wanted)
        each = min(max(room, 0) // len(wanted), _MOST_ROOM)
        for section, width in enumerate(wanted):
            self.setColumnWidth(section, width + each)
        if room < 0:
            most = max(wanted)
            widest = wanted.index(most)
            fits = most + room >= _LEAST_WIDEST
            third = max(_LEAST_WIDEST, self.viewport().width() // 3)
            self.setColumnWidth(widest, most + room if fits else min(most, third))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out again; the cell that was looked at stays in sight."""
        current = self.visualRect(self.currentIndex()).center()
        was_seen = QRect(QPoint(), event.oldSize()).contains(current)
        super().resizeEvent(event)
        if was_seen:
            self.scrollTo(self.currentIndex())
        self._arrange_later()


class LogTable(Table):
    """A table that stays at its end while the user looks there.

    One whose texts take several lines is read from its begin. Several rows can be
    chosen, to be copied together.
    """

    def __init__(self, model: QAbstractItemModel, name: str, *, stretch: int) -> None:
        super().__init__(model, name, stretch=stretch)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._at_end = self._follows = True
        self.verticalScrollBar().valueChanged.connect(self._look_where)
        self.verticalScrollBar().rangeChanged.connect(self._stay)
        model.rowsInserted.connect(self._follow)

    def wrap(self) -> None:
        """Let a long text take several lines; stay where the user looks."""
        super().wrap()
        self._follows = False

    def _look_where(self, value: int) -> None:
        self._at_end = value >= self.verticalScrollBar().maximum() - 1

    @Slot(int, int)
    def _stay(self, _least: int, most: int) -> None:
        """Stay at the end where the table becomes lower."""
        if self._at_end and self._follows:
            self.verticalScrollBar().setValue(most)

    def _follow(self, _parent: QModelIndex, _first: int, _last: int) -> None:
        if self._at_end and self._follows:
            self.scrollToBottom()


class WrappedTable(Table):
    """A table with rows as high as their texts; all texts are set off a little."""

    def __init__(self, model: QAbstractItemModel, name: str, *, stretch: int) -> None:
        super().__init__(model, name, stretch=stretch)
        self.setObjectName("wrapped")
        self.wrap()
