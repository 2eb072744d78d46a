"""The slot map with its summary and the scale of its colours, bound to a playhead."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from app.report.chart.panels_heat import slot_row
from app.report.slots import NO_SLOTS, caption_of, missing_slots, rows_of_slots
from app.ui.chart.chart import Chart
from app.ui.chart.layers import Layer
from app.ui.kit.background import Background
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.empty import EmptyState
from app.ui.kit.labels import ElidedLabel, make_chip
from app.ui.kit.theme import Theme, tabular
from app.ui.kit.widgets import column, make_note, named, panel, row, split
from app.ui.session.record import Record
from app.ui.session.slots.heat import heat
from app.ui.session.slots.light import SlotLight
from app.ui.session.slots.map import SlotMap
from app.ui.session.slots.values import (
    SlotState,
    colour_span,
    read_slots,
    slot_channels,
)
from instruments.reading import Channel

_LEAST_CHART = 60


@dataclass(frozen=True, slots=True)
class _Answer:
    record: Record
    state: SlotState


class SlotReader(QObject):
    """Asks the store for a view; while one answer is due the last wish counts.

    Args:
        background: Where the store is read.
        view: Whom it is for; nothing is read while it is hidden.

    Signals:
        read: How the slots were (SlotState).
    """

    read = Signal(object)

    def __init__(self, background: Background, view: QWidget) -> None:
        super().__init__(view)
        self._background = background
        self._view = view
        self._record: Record | None = None
        self._span: tuple[float, float] | None = None
        self._wanted: int | None = None
        self._busy = False

    def set_record(self, record: Record | None) -> None:
        """Read another session, or the same one with more in it."""
        before, self._record = self._record, record
        if record is None or before is None or before.session is not record.session:
            self._span = None

    def want(self, t_ns: int) -> None:
        """Read a moment, as soon as that can be."""
        self._wanted = t_ns
        self.catch_up()

    def catch_up(self) -> None:
        """Read what is wanted, unless an answer is due."""
        record, t_ns, span = self._record, self._wanted, self._span
        if self._busy or record is None or t_ns is None or not self._view.isVisible():
            return
        self._busy, self._wanted = True, None

        def do() -> _Answer:
            channels = record.session.channels()
            slots = slot_channels(channels)
            airs = [channel for channel in channels if channel.location == "inlet"]
            # While it is recorded the span may still grow.
            is_live = record.session.state == "recording"
            ends = span if span and not is_live else colour_span(record.session, slots)
            inlet = airs[0] if airs else None
            return _Answer(record, read_slots(record.session, slots, inlet, t_ns, ends))

        self._background.run(do, self._take, partial(self._give_up, record))

    @Slot(object)
    def _take(self, answer: _Answer) -> None:
        self._busy = False
        mine = self._record
        if mine is not None and mine.session is answer.record.session:
            self._span = answer.state.low, answer.state.high
            self.read.emit(answer.state)
        self.catch_up()

    def _give_up(self, record: Record, error: Exception) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        self._busy = False
        if self._record is not None and self._record.session is record.session:
            self._background.failed.emit(error)
        else:
            self.catch_up()


class HeatScale(QWidget):
    """The colours with the temperatures they mean."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._low, self._high = 20.0, 60.0
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Scale of the colours")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """A bar with a number at each end."""
        return QSize(260, 22)

    def minimumSizeHint(self) -> QSize:
        """A bar that still has all its colours."""
        return QSize(150, 22)

    def set_span(self, low: float, high: float) -> None:
        """Say which temperatures the ends mean, in degC."""
        self._low, self._high = low, high
        self.setToolTip("Colours mean the same temperature in the whole session")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Draw the bar."""
        painter = QPainter(self)
        bar = QRectF(54, 5, self.width() - 108, self.height() - 10)
        ramp = QLinearGradient(bar.topLeft(), bar.topRight())
        for step in range(9):
            ramp.setColorAt(step / 8, heat(step / 8))
        painter.fillRect(bar, ramp)
        painter.setPen(QColor(self._theme.tokens.muted))
        painter.setFont(tabular())
        middle = Qt.AlignmentFlag.AlignVCenter
        left, right = QRectF(self.rect()), QRectF(self.rect())
        left.setWidth(48)
        right.setLeft(self.width() - 48)
        flags = int(middle | Qt.AlignmentFlag.AlignRight)
        painter.drawText(left, flags, f"{self._low:.0f} °C")
        flags = int(middle | Qt.AlignmentFlag.AlignLeft)
        painter.drawText(right, flags, f"{self._high:.0f} °C")


class SlotPage(QWidget):
    """Shows the slots of a session at a moment, live or in replay."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._record: Record | None = None
        self._reader = SlotReader(context.background, self)
        self._reader.read.connect(self._take)
        self.state = SlotState()
        self.map = SlotMap(context.theme)
        self.map.chosen.connect(self._choose)
        self.scale = HeatScale(context.theme)
        self.summary = make_note(look="")
        self.summary.setFont(tabular())
        self._chosen = named(ElidedLabel(), "", look="muted")
        self._fake = make_chip("simulated", "These temperatures come from a simulator")
        self.light = SlotLight(context)
        self.mode = ComboBox()
        self.mode.addItems(["Temperature", "Rise over the inlet"])
        self.mode.setAccessibleName("What the slots show")
        self.mode.setToolTip("Write temperatures, or kelvins over the inlet")
        self.mode.currentIndexChanged.connect(self._redraw)
        self.caption = ElidedLabel()
        self.caption.setObjectName("small")
        self.chart = Chart(context)
        self.chart.setMinimumHeight(_LEAST_CHART)  # it scrolls
        self._layer: Layer | None = None
        self._empty = EmptyState(
            context.icons,
            "columns-2",
            NO_SLOTS,
            missing_slots(()),
        )
        self.map.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.map.customContextMenuRequested.connect(self._open_menu)
        self._build()

    def _build(self) -> None:
        head = row(
            *(self.mode, self._fake, self._chosen, self.light, self.scale),
            grows=self._chosen,
            margins=(12, 8, 12, 0),
            spacing=8,
        )
        self.summary.setContentsMargins(12, 8, 12, 0)
        self.caption.setContentsMargins(12, 0, 12, 4)
        upper = panel(self.map, self.caption, grows=self.map, spacing=0)
        parts = split(upper, self.chart, sizes=(380, 150), is_vertical=True)
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(panel(head, self.summary, parts, grows=parts, spacing=0))
        column(self._stack, of=self)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def set_record(self, record: Record | None) -> None:
        """Show another session, or the same one with more in it."""
        before, self._record = self._record, record
        self._reader.set_record(record)
        if before and record and before.layer.rows is record.layer.rows:
            return  # it has grown, and has no other channels than before
        if before is None or record is None or before.session is not record.session:
            self.light.set_record(record)
        if record is None:
            self._stack.setCurrentIndex(0)
            return
        channels = record.session.channels()
        slots = slot_channels(channels)
        self._stack.setCurrentIndex(1 if slots else 0)
        if slots:
            self._show_slots(record, slots)
        else:
            self._empty.advise(missing_slots(channels))

    def _show_slots(self, record: Record, slots: Sequence[Channel]) -> None:
        """Arrange the map for these slots, and draw the chosen one."""
        self._fake.setVisible(record.is_simulated)
        locations = list(dict.fromkeys(slot.location for slot in slots))
        bench = record.session.info.bench
        self.map.set_rows(rows_of_slots(bench, locations))
        self.caption.setText(caption_of(bench, locations))
        self._show_curves()

    def _show_curves(self) -> None:
        """Draw the chosen slot over time below the map."""
        record = self._record
        if record is None:
            return
        panel = record.layer.panel("Temperature", "Temperature")
        row = slot_row(
            record.session.channels(),
            self.map.chosen_slot,
            simulated=panel is not None and panel.simulated,
        )
        layer = replace(record.layer, rows=(row,))
        before, self._layer = self._layer, layer
        if before is None or before.session is not layer.session:
            self.chart.set_limit(None)
            self.chart.set_layers([layer])
        elif before.rows != layer.rows:
            self.chart.set_layers([layer], keep_zoom=True)

    def show_at(self, t_ns: int) -> None:
        """Show the slots at a moment; while one answer is due the last wish counts."""
        if self._layer is not None:
            longer = replace(self._layer, end=max(self._layer.end, t_ns))
            self.chart.advance([longer], t_ns)
        self._reader.want(t_ns)

    @Slot(object)
    def _take(self, state: SlotState) -> None:
        self.state = state
        self._redraw()

    @Slot()
    def _redraw(self) -> None:
        state = self.state
        rise = self.mode.currentIndex() == 1 and math.isfinite(state.inlet)
        self.map.set_state(state, rise=rise)
        self.scale.set_span(state.low, state.high)
        self.summary.setText(state.summary)
        self._tell(self.map.chosen_slot)

    @Slot(str)
    def _choose(self, name: str) -> None:
        self._tell(name)
        self._show_curves()

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        """Offer the light of the slot under the mouse, which its press has chosen."""
        if not self.map.chosen_slot or not self.light.is_there:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.light.add_to(menu)
        menu.popup(self.map.mapToGlobal(place))

    def _tell(self, name: str) -> None:
        self.light.set_slot(name)
        self._chosen.setText(self.map.tip_of(name) if name else "")

    def shut(self) -> None:
        """Let go of the chart; called once, when no work is going on."""
        self.chart.close_plots()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was wanted while it was hidden."""
        super().showEvent(event)
        self._reader.catch_up()
