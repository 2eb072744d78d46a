"""What a chosen session is, at a glance: facts, curves in small, the main table."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.record.store import Session, SessionSummary
from app.report.chart.line import Floats
from app.report.chart.lines import load_line
from app.report.chart.panels import session_rows
from app.report.table import show
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.question import Question
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.theme import tabular
from app.ui.kit.widgets import column, make_heading, make_note, panel
from app.ui.session.list import facts
from instruments.errors import BenchError
from instruments.metric import BANDWIDTH, BY_NAME, IOPS
from instruments.reading import SECOND

_POINTS = 300
_ROWS = ("Power", "Performance")
_METRICS = (BY_NAME["power_w"], IOPS, BANDWIDTH)
_HEIGHT = 64
_SEVERAL = "Compare, label or delete them together."
_NONE = "Choose one to see what it is; Enter or a double click opens it."


@dataclass(frozen=True, slots=True)
class Spark:
    """One curve in small.

    Attributes:
        title: What it is, with its unit.
        lines: x in seconds and y of each line, broken by NaN.
        length: Seconds of the session.
    """

    title: str
    length: float
    lines: tuple[tuple[Floats, Floats], ...]

    @property
    def range(self) -> tuple[float, float] | None:
        """The lowest and the highest value; None where nothing was measured."""
        known = [y[np.isfinite(y)] for _, y in self.lines]
        values = np.concatenate(known) if known else np.empty(0)
        return (float(values.min()), float(values.max())) if len(values) else None


@dataclass(frozen=True, slots=True)
class Glance:
    """What is read of a session for its preview.

    Attributes:
        sparks: Its main curves.
        rows: Of each step its label and its main figures.
    """

    sparks: tuple[Spark, ...]
    rows: tuple[tuple[str, ...], ...]


def glance(path: Path) -> Glance:
    """Read what a preview shows of a finished session; runs in a worker.

    Raises:
        BadInput: It cannot be read.
    """
    with Session.open(path) as session:
        start, (_, end) = session.begin_ns, session.extent()
        sparks = []
        for row in session_rows(session):
            if row.name not in _ROWS or not row.panels or end <= start:
                continue
            panel = row.panels[0]
            lines = [
                load_line(session, curve, (start, end), _POINTS, start)
                for curve in panel.curves[:2]
            ]
            drawn = tuple(line.polyline() for line in lines)
            title = f"{panel.title}, {panel.unit}"
            sparks.append(Spark(title, (end - start) / SECOND, drawn))
        rows = tuple(
            (str(row["step"]), *(_cell(row.get(m.name), m.decimals) for m in _METRICS))
            for row in session.report_table()
        )
    return Glance(tuple(sparks), rows)


def _cell(value: object, decimals: int) -> str:
    return show(value, decimals) if isinstance(value, int | float) else ""


class Sparkline(QWidget):
    """A curve without axes; its range is written beside its title."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme = context.theme
        self._spark: Spark | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        context.theme.changed.connect(self.update)

    def show_spark(self, spark: Spark) -> None:
        """Draw a curve."""
        self._spark = spark
        told = spark.range
        text = "nothing was measured" if told is None else f"{told[0]:g} to {told[1]:g}"
        self.setAccessibleName(f"{spark.title}: {text}")
        self.setToolTip(f"{spark.title}: {text}")
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(120, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Write the title and draw the lines below it."""
        spark = self._spark
        if spark is None:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setFont(tabular(8.5))
        painter.setPen(QColor(tokens.muted))
        head = painter.fontMetrics().height() + 2
        told = spark.range
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        box = QRectF(0, 0, self.width(), head)
        painter.drawText(box, left, spark.title)
        if told is None:
            painter.drawText(box, right, "not measured")
            return
        low, high = told
        painter.drawText(box, right, f"{low:.4g} to {high:.4g}")
        room = QRectF(1, head + 2, self.width() - 2, self.height() - head - 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, (x, y) in enumerate(spark.lines):
            painter.setPen(QPen(QColor(tokens.trace(number)), 0))
            for part in _pieces(x, y):
                points = [
                    QPointF(
                        room.left() + room.width() * a / spark.length,
                        room.bottom()
                        - room.height() * (b - low) / ((high - low) or 1.0),
                    )
                    for a, b in part
                ]
                painter.drawPolyline(QPolygonF(points))


def _pieces(x: Floats, y: Floats) -> list[list[tuple[float, float]]]:
    """Break a line at its gaps."""
    parts: list[list[tuple[float, float]]] = [[]]
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        if np.isfinite(b):
            parts[-1].append((a, b))
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


class Preview(QWidget):
    """The chosen session, or how many are chosen.

    Args:
        context: What the parts of the window share.
        beside: What stands below: labels and what can be done.
    """

    def __init__(self, context: Context, beside: QWidget) -> None:
        super().__init__()
        self._context = context
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = make_heading("")
        self.title.setWordWrap(True)
        self._facts = make_note(name="About the session")
        self._place = ElidedLabel("", Qt.TextElideMode.ElideMiddle)
        self._place.setObjectName("small")
        self._lines = [Sparkline(context) for _ in _ROWS]
        columns = [Column[tuple[str, ...]]("Step", itemgetter(0))]
        columns += [
            Column[tuple[str, ...]](
                metric.short or metric.unit, itemgetter(number), right=True
            )
            for number, metric in enumerate(_METRICS, 1)
        ]
        self._rows = RowsModel(columns, context, self)
        self._table = Table(self._rows, "Main figures of the session")
        self._trouble = make_note(look="mistake", name="Why there is no preview")
        self._glance: Glance | None = None
        self._question = Question(context.background, self)
        self._question.answered.connect(self._take)
        self._question.failed.connect(self._fail)
        room = panel(self._table)
        parts = (self.title, self._facts, self._place, beside, *self._lines)
        column(
            *parts,
            self._trouble,
            room,
            of=self,
            grows=room,
            margins=(14, 12, 12, 10),
            spacing=8,
        )
        self.show_sessions([])

    def show_sessions(self, chosen: Sequence[SessionSummary]) -> None:
        """Show the one that is chosen; of several how many, of none what to do."""
        for line in self._lines:
            line.hide()
        self._table.hide()
        self._trouble.hide()
        self._rows.set_records([])
        if len(chosen) == 1:
            self._show_one(chosen[0])
            return
        several = f"{len(chosen)} sessions are chosen", _SEVERAL
        title, advice = several if chosen else ("No session is chosen", _NONE)
        self.title.setText(title)
        self._facts.setText(advice)
        self._place.setText("")
        self._question.forget()

    def _show_one(self, one: SessionSummary) -> None:
        self.title.setText(one.name or one.path.stem)
        lines = [one.dut, facts(one), one.operator and f"run by {one.operator}"]
        if one.published:
            lines = [one.dut, f"published by {one.operator}, not measured here"]
        self._facts.setText("\n".join(filter(None, lines)))
        self._place.setText(one.path.name)
        self._place.setToolTip(str(one.path))
        if one.error or one.state != "complete":
            self._question.forget()
            text = one.error or "It is not finished; open it to see what was recorded."
            self._trouble.setText(text)
            self._trouble.show()
            return
        if self._question.ask((one.path, one.size), lambda: glance(one.path)):
            self._glance = None
        elif self._glance is not None:
            self._take(self._glance)

    def _take(self, found: Glance) -> None:
        self._glance = found
        for line, spark in zip(self._lines, found.sparks, strict=False):
            line.show_spark(spark)
            line.show()
        self._rows.set_records(found.rows)
        self._table.setVisible(bool(found.rows))

    def _fail(self, error: Exception) -> None:
        if isinstance(error, BenchError):
            self._trouble.setText(str(error))
            self._trouble.show()
        else:
            self._context.background.failed.emit(error)
