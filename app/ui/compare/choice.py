"""Which step of two sessions is laid over the other, and in which charts."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

_ALL = "All charts"
_MAIN = ("Performance", "Power")
_MAIN_NAME = "Performance and power"


class CompareChoice(QObject):
    """Two boxes with their labels; a step that the user chose stays chosen.

    Attributes:
        step: The box of the steps.
        quantity: The box of the charts.
        widgets: Both with their labels, from left to right.

    Signals:
        changed: The user chose something else.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wanted = ""
        self.step = QComboBox()
        self.step.setToolTip("Which step is laid over the other (Alt+T)")
        self.step.activated.connect(self._want)
        self.quantity = QComboBox()
        self.quantity.setToolTip("Which of the charts are shown (Alt+S)")
        self.widgets: list[QWidget] = []
        for text, box, name in (
            ("S&tep", self.step, "Step shown"),
            ("&Show", self.quantity, "Charts shown"),
        ):
            label = QLabel(text)
            label.setBuddy(box)
            box.setAccessibleName(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.activated.connect(self.changed)
            self.widgets += [label, box]

    @property
    def label(self) -> str:
        """The step."""
        return self.step.currentText()

    @property
    def rows(self) -> tuple[str, ...] | None:
        """Names of the rows of charts, None for all."""
        wanted = self.quantity.currentText()
        return {_ALL: None, _MAIN_NAME: _MAIN}.get(wanted, (wanted,))

    @property
    def is_main(self) -> bool:
        """Whether the usual charts are shown."""
        return self.quantity.currentText() == _MAIN_NAME

    def offer(self, steps: Sequence[str], first: str, rows: Sequence[str]) -> None:
        """Offer steps and charts; what was chosen stays where it is offered still.

        Args:
            steps: Labels of the steps.
            first: The one to begin with.
            rows: Names of the rows of charts.
        """
        _fill(self.step, steps, first, self._wanted)
        charts = [_MAIN_NAME, _ALL, *rows]
        _fill(self.quantity, charts, _MAIN_NAME, self.quantity.currentText())

    def choose(self, label: str) -> None:
        """Choose a step as the user does; one that is not offered changes nothing."""
        index = self.step.findText(label)
        if index >= 0 and index != self.step.currentIndex():
            self.step.setCurrentIndex(index)
            self._want()
            self.changed.emit()

    @Slot()
    def _want(self) -> None:
        """Remember the step that the user chose; one that was only shown is not."""
        self._wanted = self.step.currentText()


def _fill(box: QComboBox, texts: Sequence[str], first: str, chosen: str) -> None:
    box.clear()
    box.addItems(texts)
    box.setCurrentText(chosen if chosen in texts else first)
