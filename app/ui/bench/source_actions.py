"""What a user does with the sources of a bench: find, add, change, remove."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.bench.build import login_of
from app.bench.edit import remove_source
from app.bench.model import SourceConfig
from app.operations.bench.check import SourceCheck
from app.operations.bench.discover import Discovery, discover
from app.ui.bench.file import BenchFile
from app.ui.bench.password_dialog import PasswordDialog
from app.ui.bench.source_dialog import SourceDialog
from app.ui.bench.source_kinds import SECTIONS
from app.ui.kit.background import nothing
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from app.ui.kit.messages import ask
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import Table
from instruments.driver import Driver, Found
from instruments.errors import BadInput
from instruments.settings import Value


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


class SourceActions(QObject):
    """Opens the dialogs and changes the bench in hand.

    Args:
        file: The bench in hand.
        context: What the parts of the window share.
        window: What dialogs belong to.

    Signals:
        put: A source was added or changed (its name, what it answered or None).
        password_stored: A source has another password (its name).
    """

    put = Signal(str, object)
    password_stored = Signal(str)

    def __init__(self, file: BenchFile, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._file = file
        self._context = context
        self._window = window

    @Slot()
    def look(self) -> None:
        """Look for devices, and add those that are taken, until that is enough."""
        dialog = DiscoverDialog(self._context, self._window)
        dialog.taken.connect(self._add_found)
        with shown(dialog):
            pass  # it tells by its signal, as often as something is taken

    @Slot(object, object)
    def _add_found(self, driver: Driver, values: Mapping[str, Value]) -> None:
        self._edit(driver=driver, values=values)

    @Slot()
    def add(self) -> None:
        """Describe a source and add it."""
        self._edit()

    def change(self, config: SourceConfig) -> None:
        """Describe a source anew."""
        self._edit(config=config)

    def _edit(
        self,
        *,
        config: SourceConfig | None = None,
        driver: Driver | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> None:
        dialog = SourceDialog(
            self._file.bench,
            self._context,
            QApplication.activeModalWidget() or self._window,
            config=config,
            driver=driver,
            values=values,
        )
        with shown(dialog):
            if dialog.bench is not None:
                name, check = dialog.name, dialog.check
                self._file.change(dialog.bench)
                self._tell(name, check)

    def _tell(self, name: str, check: SourceCheck | None) -> None:
        self.put.emit(name, check)

    def remove(self, config: SourceConfig) -> None:
        """Take a source off the bench, after asking."""
        wanted = ask(
            self._context.icons,
            "Remove a source",
            f'Take "{config.name}" ({config.driver.title}) off the bench? Sessions '
            "that were recorded keep it.",
            yes="Remove",
            no="Keep it",
            parent=self._window,
        )
        if not wanted:
            return
        try:
            self._file.change(remove_source(self._file.bench, config.name))
        except BadInput as error:
            self._context.background.failed.emit(error)

    def set_password(self, config: SourceConfig) -> None:
        """Ask for the password of a source."""
        secret = config.driver.secret
        address = login_of(self._file.bench, config.name)
        background = self._context.background
        dialog = PasswordDialog(config.name, address, secret, background, self._window)
        with shown(dialog):
            if dialog.result():
                self.password_stored.emit(config.name)
