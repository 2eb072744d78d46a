"""The slot map with its summary and the scale of its colours, bound to a playhead."""

import math
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.ui.chart.chart import Chart
from app.ui.chart.layers import Layer
from app.ui.chart.panels_heat import slot_row
from app.ui.kit.background import Background
from app.ui.kit.empty import EmptyState
from app.ui.kit.icons import Icons
from app.ui.kit.labels import ElidedLabel, make_chip
from app.ui.kit.theme import Theme, tabular
from app.ui.session.record import Record
from app.ui.session.slots.heat_scale import HeatScale
from app.ui.session.slots.light import SlotLight
from app.ui.session.slots.map import SlotMap
from app.ui.session.slots.reader import SlotReader
from app.ui.session.slots.rows import NO_SLOTS, caption_of, missing_slots, rows_of_slots
from app.ui.session.slots.values import SlotState, slot_channels


class SlotPage(QWidget):
    """Shows the slots of a session at a moment, live or in replay."""

    def __init__(self, theme: Theme, icons: Icons, background: Background) -> None:
        super().__init__()
        self._record: Record | None = None
        self._reader = SlotReader(background, self)
        self._reader.read.connect(self._take)
        self.state = SlotState()
        self.map = SlotMap(theme)
        self.map.chosen.connect(self._choose)
        self.scale = HeatScale(theme)
        self.summary = QLabel("")
        self.summary.setFont(tabular())
        self.summary.setWordWrap(True)
        self._chosen = QLabel("")
        self._chosen.setObjectName("muted")
        self._fake = make_chip("simulated", "These temperatures come from a simulator")
        self.light = SlotLight(icons, background)
        self.mode = QComboBox()
        self.mode.addItems(["Temperature", "Rise over the inlet"])
        self.mode.setAccessibleName("What the slots show")
        self.mode.setToolTip("Write temperatures, or kelvins over the inlet")
        self.mode.currentIndexChanged.connect(self._redraw)
        self.caption = ElidedLabel()
        self.caption.setObjectName("small")
        self.chart = Chart(theme, background)
        self._layer: Layer | None = None
        self._empty = EmptyState(
            icons,
            "columns-2",
            NO_SLOTS,
            missing_slots(()),
        )
        theme.changed.connect(self._empty.recolour)
        self.map.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.map.customContextMenuRequested.connect(self._open_menu)
        self._build()

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 0)
        head.setSpacing(8)
        head.addWidget(self.mode)
        head.addWidget(self._fake)
        head.addWidget(self._chosen, 1)
        head.addWidget(self.light)
        head.addWidget(self.scale)
        self.summary.setContentsMargins(12, 8, 12, 0)
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.summary)
        upper = QWidget()
        above = QVBoxLayout(upper)
        above.setContentsMargins(0, 0, 0, 0)
        above.setSpacing(0)
        above.addWidget(self.map, 1)
        self.caption.setContentsMargins(12, 0, 12, 4)
        above.addWidget(self.caption)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(upper)
        split.addWidget(self.chart)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setSizes([380, 150])
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        column.addWidget(split, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(full)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def set_record(self, record: Record | None) -> None:
        """Show another session, or the same one with more in it."""
        before, self._record = self._record, record
        self._reader.set_record(record)
        found = [] if record is None else slot_channels(record.session.channels())
        self._stack.setCurrentIndex(1 if found else 0)
        if record is not None and not found:
            self._empty.advise(missing_slots(record.session.channels()))
        if before is None or record is None or before.session is not record.session:
            self.light.set_record(record)
        if record is None or not found:
            return
        self._fake.setVisible(record.is_simulated)
        locations = dict.fromkeys(one.location for one in found)
        bench = record.session.info.bench
        self.map.set_rows(rows_of_slots(bench, list(locations)))
        self.caption.setText(caption_of(bench, list(locations)))
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
