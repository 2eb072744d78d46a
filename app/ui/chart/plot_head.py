"""The title row of a plot: which quantity, its legend, and whether it is simulated."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.ui.chart.legend import LegendEntry
from app.ui.chart.legend_row import LegendRow
from app.ui.kit.labels import make_chip

_HEIGHT = 28


class PlotHead(QWidget):
    """A chooser, one legend entry a curve, and the "simulated" label.

    Attributes:
        legend: The entries.

    Signals:
        chosen: The quantity with this number is wanted.
    """

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._chooser = QComboBox()
        policy = QComboBox.SizeAdjustPolicy.AdjustToContents
        self._chooser.setSizeAdjustPolicy(policy)
        self._chooser.setToolTip("Choose the quantity of this chart")
        self._chooser.setObjectName("quantity")
        # With one quantity there is nothing to choose, only something to say.
        self._only = QLabel("")
        self._only.setObjectName("quantity")
        self._chooser.activated.connect(self.chosen)
        self._simulated = make_chip(
            "simulated", "These values come from a simulator, not a device"
        )
        self.legend = LegendRow()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 14, 0)
        layout.setSpacing(14)
        layout.addWidget(self._only)
        layout.addWidget(self._chooser)
        layout.addWidget(self.legend, 1)
        layout.addWidget(self._simulated)
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def offer(self, row: str, titles: Sequence[str]) -> None:
        """Offer the quantities of a row; the first one is chosen."""
        self._chooser.clear()
        self._chooser.addItems(list(titles))
        self._chooser.setAccessibleName(f"{row}: quantity shown")
        self._only.setText(titles[0])
        self._only.setVisible(len(titles) == 1)
        self._chooser.setVisible(len(titles) > 1)

    def choose(self, index: int) -> None:
        """Show another quantity as chosen, without a signal."""
        self._chooser.setCurrentIndex(index)

    def set_simulated(self, simulated: bool) -> None:
        """Show or hide the label."""
        self._simulated.setVisible(simulated)

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Show these entries and no others."""
        self.legend.set_entries(entries)
