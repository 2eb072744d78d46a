"""A chart under a bar with its title, time span and zoom."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QToolButton,
    QWidget,
)

from app.ui.chart.chart import Chart
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel, make_chip
from app.ui.kit.widgets import column

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
    """Title, "simulated" label, time span, zoom buttons and the chart itself."""

    def __init__(
        self,
        context: Context,
        tools: Sequence[QWidget] = (),
        *,
        spans: bool = True,
    ) -> None:
        super().__init__()
        self._icons = context.icons
        self.chart = Chart(context)
        self._title = ElidedLabel()
        self._title.setObjectName("heading")
        self._fake = make_chip(
            "simulated bench", "Power, temperatures and noise come from a simulator"
        )
        self._fake.hide()
        self._span = QComboBox()
        for text, _ in _SPANS:
            self._span.addItem(text)
        self._span.setAccessibleName("Time span shown")
        self._span.setToolTip("How much time the charts show")
        self._span.activated.connect(self._choose_span)
        if not spans:
            self._span.hide()
        self._bar = QWidget()
        bar = QHBoxLayout(self._bar)
        bar.setContentsMargins(12, 6, 12, 2)
        bar.setSpacing(6)
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
        for button in (zoom_in, zoom_out, self._all):
            bar.addWidget(button)
        self._all.setEnabled(False)
        self.chart.zoom.zoomed.connect(self._all.setEnabled)
        column(self._bar, self.chart, of=self, grows=self.chart, spacing=0)
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

    @property
    def full_height(self) -> int:
        """Pixels in which charts are easily read; they take whatever is left."""
        return _ROW_HEIGHT * max(1, len(self.chart.rows))

    def lend_bar(self) -> QWidget:
        """Hand out the bar, to stand beside tabs and not in a row of its own.

        It has no room for the title there.
        """
        self._title.hide()
        margins = self._bar.layout()
        if margins is not None:
            margins.setContentsMargins(12, 1, 12, 1)
        return self._bar

    def set_title(self, text: str, *, simulated: bool) -> None:
        """Show what is charted, and whether it is simulated."""
        self._title.setText(text)
        self._title.setToolTip(text)
        self._fake.setVisible(simulated)

    @Slot(int)
    def _choose_span(self, index: int) -> None:
        self.chart.set_span(_SPANS[index][1])
