"""Looking for devices, off the GUI thread, and taking those that were found."""

import threading
from dataclasses import dataclass

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.operations.bench.discover import Discovery, discover
from app.ui.bench.source_kinds import SECTIONS
from app.ui.kit.background import nothing
from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import Table
from instruments.driver import Driver, Found


@dataclass(frozen=True, slots=True)
class FoundLine:
    """One device that was found, or a driver that could not look."""

    driver: Driver
    found: Found | None
    error: str = ""


def found_columns() -> list[Column[FoundLine]]:
    """Make the columns of what was found."""

    def reached(line: FoundLine) -> str:
        values = line.found.values if line.found else {}
        return ", ".join(f"{key} {value}" for key, value in values.items())

    return [
        Column("Kind", lambda line: SECTIONS[line.driver.section]),
        Column("Driver", lambda line: line.driver.title),
        Column("Found", lambda line: line.found.label if line.found else line.error),
        Column("Reached by", reached),
    ]


class DiscoverDialog(QDialog):
    """Looks for devices and lets one be taken.

    Signals:
        heard: What one driver found (Discovery); may come from any thread.
        taken: This driver (Driver) with these keys is to be added.
    """

    heard = Signal(object)
    taken = Signal(object, object)

    def __init__(
        self,
        context: Context,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Look for devices")
        self._background = context.background
        self._cancel = threading.Event()
        self._lines: list[FoundLine] = []
        self.model = RowsModel[FoundLine](found_columns(), context, self)
        self.table = Table(self.model, "Devices that were found", stretch=3)
        self.table.doubleClicked.connect(self.accept)
        self.table.selectionModel().selectionChanged.connect(self._look_at_choice)
        self._progress = QProgressBar()
        self._progress.setRange(0, 0)
        self._progress.setTextVisible(False)
        self._progress.setFixedHeight(4)
        self._told = QLabel("Looking at ports, buses and enclosures of this machine.")
        self._told.setObjectName("muted")
        self._told.setWordWrap(True)
        self.again = QPushButton(context.icons.get("refresh-cw"), " Look &again")
        self.again.setAutoDefault(False)
        self.again.clicked.connect(self.look)
        self.buttons = QDialogButtonBox()
        self._take = self.buttons.addButton(
            "Add...", QDialogButtonBox.ButtonRole.AcceptRole
        )
        self._take.setDefault(True)
        close = self.buttons.addButton("Close", QDialogButtonBox.ButtonRole.RejectRole)
        close.setAutoDefault(False)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.heard.connect(self._hear)
        bottom = QHBoxLayout()
        bottom.addWidget(self.again)
        bottom.addStretch(1)
        bottom.addWidget(self.buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        layout.addWidget(self._told)
        layout.addWidget(self._progress)
        layout.addWidget(self.table, 1)
        layout.addLayout(bottom)
        self.resize(820, 440)
        self.look()

    @Slot()
    def look(self) -> None:
        """Look for devices, off the GUI thread."""
        self._lines = []
        self.model.set_records([])
        self._progress.show()
        self.again.setEnabled(False)
        self._look_at_choice()
        cancel, heard = self._cancel, self.heard.emit
        self._background.run(
            lambda: discover(progress=heard, cancel=cancel),
            self._end,
            self._fail,
            drop=nothing,
            lasting=True,
        )

    @Slot(object)
    def _hear(self, discovery: Discovery) -> None:
        """Show what one driver found; what was chosen stays chosen."""
        chosen = self._choice()
        self._lines += [FoundLine(discovery.driver, one) for one in discovery.found]
        if discovery.error:
            self._lines.append(FoundLine(discovery.driver, None, discovery.error))
        self._lines.sort(key=lambda line: line.found is None)
        self.model.set_records(list(self._lines))
        if self._lines:
            known = chosen is not None and chosen in self._lines
            self.table.choose_row(self._lines.index(chosen) if known else 0)  # type: ignore[arg-type]
        self._look_at_choice()

    @Slot(object)
    def _end(self, found: list[Discovery]) -> None:
        self._rest()
        count = sum(len(one.found) for one in found)
        if count:
            self._told.setText(f"{count} found. Add the ones that belong to the bench.")
        else:
            self._told.setText(
                "Nothing was found here. What is reached over the network (meters, "
                "BMCs, PDUs) is added with Add source and its address."
            )

    def _fail(self, error: Exception) -> None:
        self._rest()
        self._told.setText(str(error))

    def _rest(self) -> None:
        self._progress.hide()
        self.again.setEnabled(True)
        self._look_at_choice()

    def _choice(self) -> FoundLine | None:
        row = self.table.chosen_row()
        return self._lines[row] if 0 <= row < len(self._lines) else None

    @Slot()
    def _look_at_choice(self) -> None:
        choice = self._choice()
        self._take.setEnabled(choice is not None and choice.found is not None)

    def accept(self) -> None:
        """Take the chosen device; the dialog stays, for there may be more."""
        choice = self._choice()
        if choice is not None and choice.found is not None:
            self.taken.emit(choice.driver, choice.found.values)

    def done(self, result: int) -> None:
        """Stop looking."""
        self._cancel.set()
        super().done(result)
