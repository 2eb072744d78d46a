"""The figures of a session: rounds of a matrix, saturation, histograms of latency."""

import dataclasses
from functools import partial

from PySide6.QtCore import QByteArray, QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QComboBox, QLabel, QStackedWidget, QToolTip, QWidget

from app.report.figures.figure import Figure
from app.report.figures.hover import Spot, spot_at
from app.report.figures.of_session import FigureChoice, figure_choices
from app.report.figures.svg import figure_svg
from app.report.svg import FAMILIES
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.empty import EmptyState
from app.ui.kit.widgets import column, make_button, make_note, named, row
from app.ui.session.record import Record
from instruments.errors import one_line

_LEAST = QSize(420, 240)
_NONE = "No histogram of this row is kept"


class FigureView(QWidget):
    """Draws one figure as a report has it, in the colours of the theme.

    Attributes:
        figure: What is drawn, None for nothing.
        spot: The value under the pointer, None without one.
    """

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.figure: Figure | None = None
        self._theme = context.theme
        self._theme.changed.connect(self._draw)
        self._picture = QSvgRenderer()
        self._svg = ""
        self.spot: Spot | None = None
        self.setMouseTracking(True)
        self.setMinimumSize(_LEAST)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def svg(self) -> str:
        """What is drawn, as a file has it."""
        return self._svg

    def show_figure(self, figure: Figure | None) -> None:
        """Draw this one."""
        self.figure, self.spot = figure, None
        self.setAccessibleName(one_line(figure.title) if figure else "No figure")
        self.setAccessibleDescription(figure.about if figure else "")
        self._draw()

    @Slot()
    def _draw(self) -> None:
        text = ""
        if self.figure is not None:
            colours = dataclasses.asdict(self._theme.tokens)
            size = self.size().expandedTo(_LEAST)
            width, height = size.width(), size.height()
            text = figure_svg(self.figure, colours, width=width, height=height)
            # Qt takes a list of families for the name of one.
            text = text.replace(FAMILIES, self.font().family(), 1)
        self._svg = text
        self._picture.load(QByteArray(text.encode()))
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say the value that is nearest, and mark it."""
        at, spot = event.position(), None
        if self.figure is not None:
            size = self.size().expandedTo(_LEAST)
            whole = size.width(), size.height()
            spot = spot_at(self.figure, whole, (at.x(), at.y()))
        if spot is None:
            QToolTip.hideText()
        elif self.spot is None or spot.text != self.spot.text:
            text = "\n".join(map(one_line, spot.text.split("\n")))
            QToolTip.showText(event.globalPosition().toPoint(), text, self)
        if spot != self.spot:
            self.spot = spot
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Mark nothing."""
        super().leaveEvent(event)
        self.spot = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw it again: letters keep their size."""
        super().resizeEvent(event)
        self._draw()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002  (Qt's own)
        """Show the picture."""
        if self._picture.isValid():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._picture.render(painter, QRectF(self.rect()))
            if self.spot is not None:
                painter.setPen(QPen(QColor(self._theme.tokens.text), 1.5))
                painter.drawEllipse(QPointF(self.spot.x, self.spot.y), 6, 6)
            painter.end()


class FigurePage(QWidget):
    """A box that chooses a figure, the figure, and what is to be known of it.

    Attributes:
        box: The titles of what a session may have.
        view: What is shown.
        about: Notes on the result.
    """

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._background = context.background
        self._record: Record | None = None
        self._choices: list[FigureChoice] = []
        self.box = named(ComboBox(), "Figure shown", "Which figure is shown (Alt+J)")
        self.box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.box.setMinimumContentsLength(48)
        self.box.currentIndexChanged.connect(self._choose)
        label = QLabel("Sub&ject")
        label.setBuddy(self.box)
        self.view = FigureView(context)
        self.about = make_note(name="Notes on the figure")
        self._copy = make_button(
            "Copy &data",
            "Put its values on the clipboard, for a spreadsheet",
            self.copy,
        )
        whole = QWidget()
        head = row(label, self.box, None, self._copy, margins=(12, 8, 12, 6), spacing=8)
        foot = row(self.about, margins=(12, 6, 12, 10))
        column(head, self.view, foot, of=whole, grows=self.view, spacing=0)
        self._empty = EmptyState(
            context.icons,
            "activity",
            "No figures",
            "fio loads have latency histograms, and steps run in rounds have a "
            "tracking variable.",
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(whole)
        column(self._pages, of=self, grows=self._pages, spacing=0)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def set_record(self, record: Record | None) -> None:
        """Show the figures of this session."""
        self._record = record
        self._fill([])
        if record is not None:
            session = record.session
            self._background.run(
                lambda: (record, figure_choices(session)),
                self._take_choices,
                partial(self._give_up, record),
            )

    def _give_up(self, record: Record | None, error: Exception) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        if record is self._record:
            self._background.failed.emit(error)

    @Slot(object)
    def _take_choices(self, answer: tuple[Record, list[FigureChoice]]) -> None:
        record, choices = answer
        if record is self._record:
            self._fill(choices)

    def _fill(self, choices: list[FigureChoice]) -> None:
        self._choices = choices
        self.box.blockSignals(True)
        self.box.clear()
        self.box.addItems([one_line(choice.title) for choice in choices])
        self.box.blockSignals(False)
        self._pages.setCurrentIndex(1 if choices else 0)
        self._choose(self.box.currentIndex())

    @Slot(int)
    def _choose(self, index: int) -> None:
        self._show(None, "")
        if 0 <= index < len(self._choices):
            choice = self._choices[index]
            self._background.run(
                choice.make,
                partial(self._take, choice),
                partial(self._give_up, self._record),
            )

    def _take(self, choice: FigureChoice, figure: Figure | None) -> None:
        index = self.box.currentIndex()
        if 0 <= index < len(self._choices) and self._choices[index] is choice:
            self._show(figure, figure.about if figure is not None else f"{_NONE}.")

    def _show(self, figure: Figure | None, about: str) -> None:
        self.view.show_figure(figure)
        self.about.setText(about)
        self._copy.setEnabled(figure is not None)

    @Slot()
    def copy(self) -> None:
        """Put the values of the figure on the clipboard."""
        if self.view.figure is not None:
            lines = ("\t".join(line) for line in self.view.figure.lines())
            QGuiApplication.clipboard().setText("\n".join(lines))
