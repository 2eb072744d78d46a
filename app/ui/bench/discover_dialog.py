"""Looking for devices, off the GUI thread, and taking those that were found."""

import threading
from dataclasses import dataclass

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QProgressBar, QWidget

from app.operations.bench.discover import Discovery, discover
from app.ui.bench.source_list import SECTIONS
from app.ui.kit.background import nothing
from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    column,
    make_button,
    make_note,
    row,
)
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
        Column("Address", reached),
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
        self.setWindowTitle("Discover devices")
        self._background = context.background
        self._cancel = threading.Event()
        self._lines: list[FoundLine] = []
        self.model = RowsModel[FoundLine](found_columns(), context, self)
        self.table = Table(self.model, "Discovered devices", stretch=3)
        self.table.doubleClicked.connect(self.accept)
        self.table.selectionModel().selectionChanged.connect(self._look_at_choice)
        self._progress = QProgressBar()
        self._progress.setRange(0, 0)
        self._progress.setTextVisible(False)
        self._progress.setFixedHeight(4)
        self.about = make_note(
            "Searching the ports, buses and enclosures of this machine."
        )
        self.again = make_button(
            "Sc&an again", "", self.look, icon=context.icons.get("refresh-cw")
        )
        self.buttons = DialogButtons(self, "Add...", no="Close")
        self.heard.connect(self._hear)
        column(
            self.about,
            self._progress,
            self.table,
            row(self.again, None, self.buttons),
            of=self,
            grows=self.table,
            margins=DIALOG_MARGINS,
            spacing=10,
        )
        self.resize(820, 440)
        self.look()

    @Slot()
    def look(self) -> None:
        """Discover devices, off the GUI thread."""
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
            self.about.setText(f"{count} found. Add the ones that belong to the bench.")
        else:
            self.about.setText(
                "Nothing was found. Add network devices (meters, BMCs, "
                "PDUs) by address with Add source."
            )

    def _fail(self, error: Exception) -> None:
        self._rest()
        self.about.setText(str(error))

    def _rest(self) -> None:
        self._progress.hide()
        self.again.setEnabled(True)
        self._look_at_choice()

    def _choice(self) -> FoundLine | None:
        return self.model.at(self.table.chosen_row())

    @Slot()
    def _look_at_choice(self) -> None:
        choice = self._choice()
        self.buttons.yes.setEnabled(choice is not None and choice.found is not None)

    def accept(self) -> None:
        """Take the chosen device; the dialog stays, for there may be more."""
        choice = self._choice()
        if choice is not None and choice.found is not None:
            self.taken.emit(choice.driver, choice.found.values)

    def done(self, result: int) -> None:
        """Stop looking."""
        self._cancel.set()
        super().done(result)
