"""The dialogs of the Bench page: open a bench, describe it, change its sources."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget

from app.bench.edit import remove_source
from app.bench.file import load_bench
from app.bench.model import Bench, SourceConfig
from app.ui.bench.file import BenchFile
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from app.ui.kit.document import DocumentSaving
from app.ui.kit.messages import ask
from instruments.driver import Driver
from instruments.errors import BadInput
from instruments.settings import Value

if TYPE_CHECKING:
    pass


class BenchDialogs(QObject):
    """Opens the dialogs of the Bench page, and changes the bench in hand.

    They are imported when they are wanted: they take all that reaches devices, hosts
    and disks, for which the first frame of the window would have to wait.

    Attributes:
        saving: What saves it.

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
        self.saving = DocumentSaving(file, "bench", Path.home, context, window)

    @Slot()
    def choose(self) -> None:
        """Ask for another bench.toml."""
        if self.saving.may_leave() and (path := self.saving.choose("Open a bench")):
            self.open(path)

    def open(self, path: Path) -> None:
        """Read a bench.toml; one with a mistake changes nothing."""
        self._context.background.run(
            lambda: (load_bench(path), path), lambda found: self._file.take(*found)
        )

    @Slot()
    def new(self) -> None:
        """Describe another device and begin a bench for it."""
        if self.saving.may_leave():
            self._describe(None, self._file.begin)

    @Slot()
    def describe(self) -> None:
        """Change the description of the device under test."""
        self._describe(self._file.bench, self._file.change)

    def _describe(self, bench: Bench | None, take: Callable[[Bench], object]) -> None:
        from app.ui.bench.dut_dialog import DutDialog  # noqa: PLC0415

        with shown(DutDialog(bench, self._context, self._window)) as dialog:
            if dialog.bench is not None:
                take(dialog.bench)

    @Slot()
    def edit_load(self) -> None:
        """Choose the hosts that loads come from, and what they run on there."""
        from app.ui.bench.load.dialog import LoadDialog  # noqa: PLC0415

        with shown(LoadDialog(self._file.bench, self._context, self._window)) as dialog:
            if dialog.bench is not None:
                self._file.change(dialog.bench)

    @Slot()
    def look(self) -> None:
        """Discover devices, and add those that are taken, until that is enough."""
        from app.ui.bench.discover_dialog import DiscoverDialog  # noqa: PLC0415

        dialog = DiscoverDialog(self._context, self._window)
        dialog.taken.connect(
            lambda driver, values: self._edit(driver=driver, values=values)
        )
        with shown(dialog):
            pass  # it emits `taken` for each device

    @Slot()
    def add(self) -> None:
        """Describe a source and add it."""
        self._edit()

    def change(self, config: SourceConfig) -> None:
        """Describe a source again."""
        self._edit(config=config)

    def _edit(
        self,
        *,
        config: SourceConfig | None = None,
        driver: Driver | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> None:
        from app.ui.bench.source_dialog import SourceDialog  # noqa: PLC0415

        dialog = SourceDialog(
            self._file.bench,
            self._context,
            # The dialog that looks for devices stays open behind this one.
            QApplication.activeModalWidget() or self._window,
            config=config,
            driver=driver,
            values=values,
        )
        with shown(dialog):
            if dialog.bench is not None:
                name, check = dialog.name, dialog.check
                self._file.change(dialog.bench)
                self.put.emit(name, check)

    def remove(self, config: SourceConfig) -> None:
        """Remove a source from the bench, after asking."""
        if not ask(
            self._context.icons,
            "Remove a source",
            f'Remove "{config.name}" ({config.driver.title}) from the bench? '
            "Recorded sessions are not affected.",
            yes="Remove",
            no="Cancel",
            parent=self._window,
        ):
            return
        try:
            self._file.change(remove_source(self._file.bench, config.name))
        except BadInput as error:
            self._context.background.failed.emit(error)

    def set_password(self, config: SourceConfig) -> None:
        """Ask for the password of a source."""
        from app.bench.build import login_of  # noqa: PLC0415
        from app.ui.bench.password_dialog import PasswordDialog  # noqa: PLC0415

        dialog = PasswordDialog(
            config.name,
            login_of(self._file.bench, config.name),
            config.driver.secret,
            self._context.background,
            self._window,
        )
        with shown(dialog):
            if dialog.result():
                self.password_stored.emit(config.name)
