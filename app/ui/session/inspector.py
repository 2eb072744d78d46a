"""What is behind a figure of a table, in a panel that unfolds below it."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QSplitter,
    QTabWidget,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from app.operations.sessions.explaining import Explained, explained
from app.ui.chart.chart import Chart
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.sentences import SentenceLabel
from app.ui.kit.settings import Settings
from app.ui.kit.tables import Looked
from app.ui.kit.widgets import column, named, row, split
from app.ui.session.cell_layers import cell_layers
from app.ui.session.raw_page import KeptPage, text_page
from app.ui.session.record import Record
from instruments.errors import BenchError

_EXPLANATION = "Explanation"
_HEIGHT, _LEAST_HEIGHT, _TEXT_HEIGHT = 190, 150, 60
_HINT = "Click a figure to see its window, the samples that count and its formula"
_OPEN, _FOLDED = "open", "folded"


class Inspector(QFrame):
    """Shows what a cell was made of: its window in a chart, and texts beside it.

    It unfolds at a click on a cell, follows the cell that is chosen, leaves the focus
    where it is, and stays where another session is shown.

    Args:
        context: What the parts of the window share.

    Attributes:
        wanted_height: So many pixels it has when it is unfolded.
        chart: The window of the cell, with the samples that count.
        pages: The texts.
        error: Why it cannot be told.

    Signals:
        told: What it tells of now (list of Explanation); empty for nothing.
        opened: It was unfolded, or folded.
    """

    told = Signal(object)
    opened = Signal(bool)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._asked: tuple[dict[str, Record], str, str] | None = None
        self._back: QWidget | None = None
        self.wanted_height = _HEIGHT
        self._title = ElidedLabel(_HINT)
        self._title.setObjectName("heading")
        close = named(QToolButton(), "Close the explanation", "Close (Esc)")
        context.icons.put_on(close, "x")
        close.clicked.connect(self.fold)
        self.error = named(SentenceLabel("mistake"), "Why it cannot be told")
        self.error.setContentsMargins(12, 4, 12, 8)
        self.chart = named(Chart(context, has_strips=False), "Chart of the cell")
        self.pages = named(QTabWidget(), "Parts of the explanation")
        head = row(self._title, close, grows=self._title, margins=(12, 2, 8, 2))
        words, body = QWidget(), QWidget()
        column(self.pages, of=body)  # the head stays at the top without any pages
        column(head, self.error, body, of=words, grows=body, spacing=0)
        both = split(self.chart, words, sizes=(1, 1))
        column(both, of=self)
        self._clear()
        self._unfolding = QTimer(self, singleShot=True)
        self._unfolding.timeout.connect(self._unfold)
        self.setMinimumHeight(_LEAST_HEIGHT)
        self.setAccessibleName("What the cell was made of")
        self.hide()

    @property
    def title(self) -> str:
        """Of what it tells."""
        return self._title.text()

    def explain(
        self,
        records: Mapping[str, Record],
        label: str,
        name: str,
        how: Looked = Looked.ASKED,
    ) -> None:
        """Show what a cell was made of; the last one that was asked for.

        Args:
            records: Each session by its letter, or by "".
            label: The row.
            name: The result.
            how: Where it is folded a click unfolds it, once no second one can follow:
                that would hit another cell. A key that only came there does not.
        """
        if self.isHidden():
            if how is Looked.FOLLOWED:
                return
            wait = how is Looked.CLICKED
            self._unfolding.start(QApplication.doubleClickInterval() if wait else 0)
        asked = (dict(records), label, name)
        if asked == self._asked:
            return
        self._asked = asked
        self._title.setText(f"Reading {label} ...")

        def read() -> dict[str, Explained]:
            # What was passed by meanwhile is not read at all.
            wanted = asked[0] if self._asked is asked else {}
            return {
                mark: explained(one.path, label, name) for mark, one in wanted.items()
            }

        self._context.background.run(
            read, partial(self._take, asked), partial(self._fail, asked)
        )

    @Slot()
    def _unfold(self) -> None:
        self._back = QApplication.focusWidget()
        self.unfold()

    def unfold(self) -> None:
        """Take room, whether there is anything to be told or not."""
        self.show()
        self.opened.emit(True)

    @Slot()
    def fold(self) -> None:
        """Fold it; the focus goes back to the table where it is in here."""
        inside = self.isAncestorOf(QApplication.focusWidget() or self)
        back, self._back = self._back, None
        if inside and back is not None and isValid(back):
            back.setFocus()
        self.hide()
        self.forget()
        self.opened.emit(False)

    def forget(self) -> None:
        """Tell of nothing, as another session is shown; it stays unfolded."""
        self._unfolding.stop()
        self._say(_HINT)

    def _say(self, title: str, error: str = "") -> None:
        """Have no more than this to tell."""
        self._asked = None
        self._title.setText(title)
        self.error.say(error)
        self._clear()
        self.told.emit([])

    def shut(self) -> None:
        """Take the plots apart; called once, before the window goes."""
        self.chart.close_plots()

    def _clear(self) -> None:
        self.chart.hide()
        self.pages.hide()
        self.chart.set_layers([])
        while (page := self.pages.widget(0)) is not None:
            self.pages.removeTab(0)
            page.deleteLater()

    def _take(
        self,
        asked: tuple[dict[str, Record], str, str],
        answers: Mapping[str, Explained],
    ) -> None:
        if asked is not self._asked:
            return  # another cell was chosen since
        found = {mark: one.found for mark, one in answers.items()}
        first = next(iter(found.values()))
        self._title.setText(f"{first.step.label}, {first.title}")
        self.error.say("")
        part = self.pages.tabText(self.pages.currentIndex())
        self._clear()
        layers = cell_layers(asked[0], found)
        self.chart.set_layers(layers)
        self.chart.mark([*found.values()])
        self.chart.setVisible(bool(layers))
        for mark, one in answers.items():
            self._add_pages(mark, one)
        titles = [self.pages.tabText(n) for n in range(self.pages.count())]
        self.pages.setCurrentIndex(titles.index(part) if part in titles else 0)
        self.pages.show()
        self.told.emit([*found.values()])

    def _add_pages(self, mark: str, one: Explained) -> None:
        texts = (one.text, one.samples, one.replies)
        for name, text in zip(
            (_EXPLANATION, "Samples", "Raw replies"), texts, strict=True
        ):
            if text:
                page = text_page(text, name, wraps=name == _EXPLANATION)
                self._add(page, name, mark)
        if one.found.kept:
            self._add(KeptPage(one.found, self._context), "Raw outputs", mark)

    def _add(self, page: QWidget, name: str, mark: str) -> None:
        page.setMinimumHeight(_TEXT_HEIGHT)
        self.pages.addTab(page, f"{name} {mark}".strip())

    def _fail(
        self, asked: tuple[dict[str, Record], str, str], error: Exception
    ) -> None:
        if asked is not self._asked:
            return
        self._say(asked[1], str(error))
        if not isinstance(error, BenchError):
            self._context.background.failed.emit(error)


class Inspected(QSplitter):
    """Puts an inspector below the part whose cells it tells of; Esc folds it."""

    def __init__(self, part: QWidget, inspector: Inspector) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._inspector = inspector
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self.addWidget(part)
        self.addWidget(inspector)
        self._leave = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        self._leave.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._leave.activated.connect(inspector.fold)
        self._leave.setEnabled(False)
        inspector.opened.connect(self._take_opened)
        self.splitterMoved.connect(self._take_height)

    @Slot(bool)
    def _take_opened(self, is_open: bool) -> None:
        self._leave.setEnabled(is_open)
        self._make_room()

    def _make_room(self) -> None:
        if not self._inspector.isHidden():
            height = self._inspector.wanted_height
            above = self.height() - self.handleWidth() - height
            self.setSizes([max(above, 1), height])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the inspector as high as the user wants it."""
        super().resizeEvent(event)
        self._make_room()

    @Slot()
    def _take_height(self) -> None:
        self._inspector.wanted_height = self._inspector.height()

    def keep_in(self, settings: Settings, name: str) -> None:
        """Look as it did when the program was ended last; keep how it looks."""
        state, height, *_ = *settings.get_list(name), "", ""
        if height.isdecimal():
            self._inspector.wanted_height = max(_LEAST_HEIGHT, int(height))
        if state == _OPEN:
            self._inspector.unfold()

        def keep() -> None:
            state = _FOLDED if self._inspector.isHidden() else _OPEN
            settings.put(name, (state, str(self._inspector.wanted_height)))

        self._inspector.opened.connect(keep)
        self.splitterMoved.connect(keep)
