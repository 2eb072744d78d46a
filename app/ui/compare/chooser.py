"""Choosers of the two sessions that are compared."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QWidget

from app.record.store import SessionSummary
from app.ui.chart.legend import Swatch
from app.ui.compare.pair import NAMES
from app.ui.kit.context import Context
from app.ui.kit.labels import make_chip
from app.ui.session.list import started_of
from instruments.errors import one_line


class PairChooser(QWidget):
    """One box for A and one for B, each with the colour of its traces.

    Attributes:
        boxes: That of A and that of B.

    Signals:
        chosen: The user chose another session.
        export_wanted: The comparison is to be written to a file.
    """

    chosen = Signal()
    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._summaries: list[SessionSummary] = []
        self.boxes = (QComboBox(), QComboBox())
        self._swatches = [
            Swatch(context.theme.tokens.trace(number), Qt.PenStyle.SolidLine)
            for number in range(len(NAMES))
        ]
        self._fake = make_chip("simulated bench", "One or both ran on a simulator")
        self._fake.hide()
        self._export = QPushButton(" E&xport...")
        context.icons.put_on(self._export, "download")
        self._export.setToolTip("Write both tables with differences (Ctrl+E)")
        self._export.setShortcut("Ctrl+E")
        self._export.setEnabled(False)
        self._export.clicked.connect(self.export_wanted)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 8)
        layout.setSpacing(8)
        for name, box, swatch in zip(NAMES, self.boxes, self._swatches, strict=True):
            label = QLabel(f"Session &{name}")
            label.setBuddy(box)
            box.setAccessibleName(f"Session {name}")
            box.setToolTip(f"The session called {name} (Alt+{name})")
            box.setMinimumContentsLength(18)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.activated.connect(self.chosen)
            layout.addWidget(swatch)
            layout.addWidget(label)
            layout.addWidget(box, 1)
            layout.addSpacing(8)
        layout.addWidget(self._fake)
        layout.addWidget(self._export)
        context.theme.changed.connect(self._recolour)

    @property
    def paths(self) -> tuple[Path | None, Path | None]:
        """The files chosen."""
        first, second = (box.currentData() for box in self.boxes)
        return first, second

    def show_pair(self, *, simulated: bool, shown: bool) -> None:
        """Say whether it is simulated; only one that is shown can be exported."""
        self._fake.setVisible(simulated)
        self._export.setEnabled(shown)

    def offer(self, found: Sequence[SessionSummary]) -> bool:
        """Offer these sessions; tell whether they are others than before.

        What was chosen stays chosen. At first B is the newest; A, the reference,
        the one before it.
        """
        usable = [one for one in found if not one.error and one.state != "recording"]
        if usable == self._summaries:
            return False
        self._summaries = usable
        paths = [one.path for one in usable]
        names = [_name_of(one) for one in usable]
        names = [
            f"{name} · {one_line(one.path.stem)}" if names.count(name) > 1 else name
            for name, one in zip(names, usable, strict=True)
        ]
        for index, (box, before) in enumerate(zip(self.boxes, self.paths, strict=True)):
            box.clear()
            for row, one in enumerate(usable):
                box.addItem(names[row], one.path)
                box.setItemData(
                    row, one_line(str(one.path)), Qt.ItemDataRole.ToolTipRole
                )
            first = min(1 - index, len(usable) - 1)
            box.setCurrentIndex(paths.index(before) if before in paths else first)
        return True

    @property
    def count(self) -> int:
        """How many sessions there are to choose from."""
        return len(self._summaries)

    def choose(self, first: Path, second: Path) -> None:
        """Choose these two files, listed or not; without a signal."""
        for box, path in zip(self.boxes, (first, second), strict=True):
            row = box.findData(path)
            if row < 0:
                box.addItem(one_line(path.stem), path)
                row = box.count() - 1
            box.setCurrentIndex(row)

    def _recolour(self) -> None:
        for number, swatch in enumerate(self._swatches):
            swatch.set_colour(self._context.theme.tokens.trace(number))


def _name_of(one: SessionSummary) -> str:
    fake = " · simulated" if one.simulated else ""
    return f"{started_of(one)}  {one_line(one.name)}{fake}"
