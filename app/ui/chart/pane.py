"""A chart under a bar with its title, time span and zoom."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QMenu,
    QTabWidget,
    QToolButton,
    QWidget,
)

from app.ui.chart.chart import Chart
from app.ui.chart.chart_file import copy_chart, save_chart
from app.ui.chart.layers import Layer
from app.ui.chart.layout.bar import LayoutTools
from app.ui.chart.layout.layouts import Layouts
from app.ui.chart.statistics_panel import StatisticsPanel
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.folding_row import FoldingRow
from app.ui.kit.labels import ElidedLabel, make_chip
from app.ui.kit.widgets import column, named, row

_SPANS: tuple[tuple[str, float | None], ...] = (
    ("Whole session", None),
    ("Last 30 min", 1800.0),
    ("Last 10 min", 600.0),
    ("Last 2 min", 120.0),
    ("Last 30 s", 30.0),
)

_ROW_HEIGHT = 130
"""Pixels of one chart among several that is easily read."""


class ChartPane(QFrame):
    """Title, "simulated" label, time span, zoom, the chart itself, its statistics.

    Args:
        context: What the parts of the window share.
        tools: Stand before the title.
        spans: Whether the last minutes alone can be shown.
        layouts: What the charts are arranged by; None where they cannot be.

    Attributes:
        chart: The chart.
        statistics: The figures below it, hidden until they are wanted.
        tools: What arranges the charts, None where they cannot be.
    """

    def __init__(
        self,
        context: Context,
        tools: Sequence[QWidget] = (),
        *,
        spans: bool = True,
        layouts: Layouts | None = None,
    ) -> None:
        super().__init__()
        self._icons = context.icons
        self._background = context.background
        self._seconds = float("inf")
        self.chart = Chart(context)
        self._title = ElidedLabel()
        self._title.setObjectName("heading")
        self._fake = make_chip(
            "simulated bench", "Power, temperatures and noise come from a simulator"
        )
        self._fake.hide()
        self._span = ComboBox()
        self._span.setPlaceholderText("Zoomed in")
        self._offer_spans()
        self._span.setAccessibleName("Time span shown")
        self._span.setToolTip("How much time the charts show")
        self._span.activated.connect(self._choose_span)
        if not spans:
            self._span.hide()
        self._bar = QWidget()
        self._row = bar = FoldingRow(context.icons)
        self._bar.setLayout(bar)
        bar.setContentsMargins(12, 6, 12, 2)
        bar.setSpacing(4)
        for tool in tools:
            bar.addWidget(tool)
        bar.addWidget(self._title, 1)
        bar.addWidget(self._fake)
        bar.addSpacing(6)
        bar.addWidget(self._span)
        zoom_in = self._button("zoom-in", "Zoom in", "Ctrl++", self.chart.zoom.zoom_in)
        zoom_out = self._button(
            "zoom-out", "Zoom out", "Ctrl+-", self.chart.zoom.zoom_out
        )
        self._all = self._button(
            "scan", "Show everything", "Ctrl+0", self.chart.zoom.show_all
        )
        self.statistics = StatisticsPanel(context, self.chart)
        self.statistics.hide()
        self._figures = self._button(
            "sigma", "Statistics", "Ctrl+Shift+S", self._toggle_statistics
        )
        self._figures.setCheckable(True)
        self._figures.setToolTip(
            "Statistics of what is shown, of a step that is clicked above the charts, "
            "or of A to B, dragged with Shift (Ctrl+Shift+S)"
        )
        self._files = self._make_files()
        buttons = [self._files, self._figures, zoom_in, zoom_out, self._all]
        self.tools: LayoutTools | None = None
        if layouts is not None:
            self.tools = LayoutTools(context, self.chart, layouts, self)
            buttons = [*self.tools.buttons, *buttons]
        for button in buttons:
            bar.addWidget(button)
        ticks = (tool for tool in tools if isinstance(tool, QCheckBox))
        bar.fold(*reversed(buttons), *ticks)
        self._all.setEnabled(False)
        self.chart.zoom.zoomed.connect(self._show_zoomed)
        self.chart.part.chosen.connect(self.show_statistics)
        self.statistics.closed.connect(self.hide_statistics)
        self._build()

    def _build(self) -> None:
        if self.tools is None:
            parts: tuple[QWidget, ...] = (self._bar, self.chart, self.statistics)
            column(*parts, of=self, grows=self.chart, spacing=0)
        else:
            middle, channels = QWidget(), self.tools.channels
            row(channels, self.chart, of=middle, grows=self.chart, spacing=0)
            parts = (self._bar, self.tools.note, middle, self.statistics)
            column(*parts, of=self, grows=middle, spacing=0)
        self.setObjectName("surface")

    def _button(
        self, icon: str, text: str, keys: str, action: Callable[[], None]
    ) -> QToolButton:
        button = QToolButton()
        self._icons.put_on(button, icon)
        button.setAccessibleName(text)
        button.setShortcut(QKeySequence(keys))
        button.setToolTip(f"{text} ({keys})")
        button.clicked.connect(action)
        return button

    def _make_files(self) -> QToolButton:
        """Make the button that copies and saves the charts."""
        button = QToolButton()
        self._icons.put_on(button, "save")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        tip = "Copy or save the charts that are shown (Ctrl+Alt+S)"
        named(button, "Picture and data", tip)
        button.setShortcut("Ctrl+Alt+S")
        menu = QMenu(button)
        menu.addAction("&Copy picture").triggered.connect(self.copy)
        menu.addAction("&Save picture or data...").triggered.connect(self.save)
        button.setMenu(menu)
        button.setObjectName("more")
        return button

    @property
    def full_height(self) -> int:
        """Pixels in which charts are easily read; they take whatever is left."""
        return _ROW_HEIGHT * max(1, len(self.chart.rows))

    def set_layers(self, layers: Sequence[Layer]) -> None:
        """Show these sessions; see `Chart`."""
        self.chart.set_layers(layers)
        if self.tools is not None:
            self.tools.look()

    def advance(self, layers: Sequence[Layer], limit: int) -> None:
        """Take the same sessions, longer than before; see `Chart`."""
        self.chart.advance(layers, limit)
        if self.tools is not None:
            self.tools.look()

    def lend_bar(self, tabs: QTabWidget) -> QWidget:
        """Put the bar beside tabs, not in its own row, and hand it out.

        It has no room for the title there.
        """
        self._title.hide()
        self._fake.setText("simulated")
        self._row.setContentsMargins(12, 1, 12, 1)
        self._row.stand_beside(tabs)
        tabs.setCornerWidget(self._bar)
        return self._bar

    def set_title(self, text: str, *, simulated: bool) -> None:
        """Show what is charted, and whether it is simulated."""
        self._title.setText(text)
        self._title.setToolTip(text)
        self._fake.setVisible(simulated)

    @Slot()
    def copy(self) -> None:
        """Put a picture of the charts on the clipboard."""
        if self.chart.layers:
            copy_chart(self.chart)

    @Slot()
    def save(self) -> None:
        """Ask for a file, and write the charts as SVG, PNG or CSV."""
        if self.chart.layers:
            save_chart(self.chart, self, self._background)

    @Slot()
    def show_statistics(self) -> None:
        """Show the statistics below the charts."""
        self._figures.setChecked(True)
        self.statistics.show()

    @Slot()
    def hide_statistics(self) -> None:
        """Leave the room to the charts; A and B go."""
        self._figures.setChecked(False)
        self.statistics.hide()
        self.chart.part.place(None)

    def _toggle_statistics(self) -> None:
        if self.statistics.isHidden():
            self.show_statistics()
        else:
            self.hide_statistics()

    def offer_spans(self, seconds: float) -> None:
        """Offer the last minutes of a session only where it is longer."""
        if seconds != self._seconds:
            self._seconds = seconds
            self._offer_spans()

    def _offer_spans(self) -> None:
        chosen = self._span.currentText()
        self._span.clear()
        for text, span in _SPANS:
            if span is None or span < self._seconds:
                self._span.addItem(text, span)
        self._span.setCurrentIndex(max(0, self._span.findText(chosen)))

    @Slot(bool)
    def _show_zoomed(self, zoomed: bool) -> None:
        """Say that it is neither all nor the end that is shown."""
        self._all.setEnabled(zoomed)
        if zoomed:
            self._span.setCurrentIndex(-1)
        elif self._span.currentIndex() < 0:
            self._span.setCurrentIndex(0)

    @Slot(int)
    def _choose_span(self, index: int) -> None:
        self.chart.set_span(self._span.itemData(index))
