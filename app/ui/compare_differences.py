"""In what two sessions differ: doubts, the tables side by side, crossings of sweeps."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.analysis.compare import Comparison
from app.ui.compare_doubts import CompareDoubts
from app.ui.compare_model import CompareModel
from app.ui.compare_table import CompareTable
from app.ui.sentences import Sentences
from app.ui.theme import Theme


class CompareDifferences(QWidget):
    """Shows a comparison in figures and words.

    Attributes:
        told: What makes one of the sessions doubtful.
        model: The figures.
        table: The table of them.
        crossings: At which size of a sweep one session is faster than the other.

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
            "Which session is faster at what size",
            "Of each sweep over a size, by bandwidth",
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
        self.told.tell(comparison.about)
        self.crossings.tell(comparison.crossings)

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
