"""In what two sessions differ: doubts, the tables side by side, crossings of sweeps."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.analysis.compare import Comparison, setups_told
from app.analysis.compare_lengths import lengths_told
from app.ui.compare.doubts import CompareDoubts
from app.ui.compare.model import CompareModel
from app.ui.compare.table import CompareTable
from app.ui.kit.sentences import Sentences
from app.ui.kit.theme import Theme

_FRAME = 4
"""Pixels around a table."""


class CompareDifferences(QWidget):
    """Shows a comparison in figures and words.

    Attributes:
        told: What makes one of the sessions doubtful.
        model: The figures.
        table: The table of them.
        crossings: What measured for different times, and at which size of a sweep one
            session is faster than the other.

    Signals:
        step_chosen: The user chose the row of a step (its label).
    """

    step_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.told = CompareDoubts()
        self.model = CompareModel(self)
        self.table = CompareTable(self.model, theme)
        self.crossings = Sentences(
            "What does not compare, and which session is faster at what size",
            "Lengths that differ, and of each sweep over a size who is faster",
            few=4,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.told)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.crossings)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.setFocusProxy(self.table)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show another one."""
        self.model.set_comparison(comparison)
        self.warn(comparison)
        self.crossings.tell([*lengths_told(comparison), *comparison.crossings])

    def warn(self, comparison: Comparison) -> None:
        """Say what makes either of them doubtful."""
        self.told.tell(comparison.about, setups_told(comparison))

    @property
    def full_height(self) -> int:
        """Pixels that show all of it, without scrolling."""
        head = self.table.horizontalHeader().height()
        rows = self.table.verticalHeader().length()
        words = 0 if self.crossings.isHidden() else self.crossings.full_height
        doubts = 0 if self.told.isHidden() else self.told.sizeHint().height()
        return head + rows + words + doubts + _FRAME

    def mark(self, label: str) -> None:
        """Mark the row of the step that is shown, where there is one."""
        labels = self.model.labels
        if label in labels:
            self.table.choose_row(labels.index(label))

    @Slot()
    def _choose(self) -> None:
        row = self.table.currentIndex().row()
        labels = self.model.labels
        if 0 <= row < len(labels):
            self.step_chosen.emit(labels[row])
