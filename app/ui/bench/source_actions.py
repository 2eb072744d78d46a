"""What a user does with the sources of a bench: find, add, change, remove."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.bench.build import login_of
from app.bench.edit import remove_source
from app.bench.model import SourceConfig
from app.operations.bench.check import SourceCheck
from app.ui.bench.discover_dialog import DiscoverDialog
from app.ui.bench.file import BenchFile
from app.ui.bench.password_dialog import PasswordDialog
from app.ui.bench.source_dialog import SourceDialog
from app.ui.kit.dialogs import Dialogs
from app.ui.kit.messages import ask
from instruments.driver import Driver
from instruments.errors import BadInput
from instruments.settings import Value


class SourceActions(QObject):
    """Opens the dialogs and changes the bench in hand.

    Args:
        file: The bench in hand.
        dialogs: The surroundings of dialogs.

    Signals:
        put: A source was added or changed (its name, what it answered or None).
        password_stored: A source has another password (its name).
    """

    put = Signal(str, object)
    password_stored = Signal(str)

    def __init__(self, file: BenchFile, dialogs: Dialogs) -> None:
        super().__init__(dialogs.window)
        self._file = file
        self._dialogs = dialogs

    @Slot()
    def look(self) -> None:
        """Look for devices, and add those that are taken, until that is enough."""
        on = self._dialogs
        dialog = DiscoverDialog(on.theme, on.icons, on.background, on.window)
        dialog.taken.connect(self._add_found)
        with on.shown(dialog):
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
        on = self._dialogs
        dialog = SourceDialog(
            self._file.bench,
            on.icons,
            on.background,
            QApplication.activeModalWidget() or on.window,
            config=config,
            driver=driver,
            values=values,
        )
        with on.shown(dialog):
            if dialog.bench is not None:
                name, check = dialog.name, dialog.check
                self._file.change(dialog.bench)
                self._tell(name, check)

    def _tell(self, name: str, check: SourceCheck | None) -> None:
        self.put.emit(name, check)

    def remove(self, config: SourceConfig) -> None:
        """Take a source off the bench, after asking."""
        wanted = ask(
            self._dialogs.icons,
            "Remove a source",
            f'Take "{config.name}" ({config.driver.title}) off the bench? Sessions '
            "that were recorded keep it.",
            yes="Remove",
            no="Keep it",
            parent=self._dialogs.window,
        )
        if not wanted:
            return
        try:
            self._file.change(remove_source(self._file.bench, config.name))
        except BadInput as error:
            self._dialogs.background.failed.emit(error)

    def set_password(self, config: SourceConfig) -> None:
        """Ask for the password of a source."""
        secret = config.driver.secret
        on = self._dialogs
        address = login_of(self._file.bench, config.name)
        dialog = PasswordDialog(config.name, address, secret, on.background, on.window)
        with on.shown(dialog):
            if dialog.result():
                self.password_stored.emit(config.name)
