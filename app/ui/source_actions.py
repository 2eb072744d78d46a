"""What a user does with the sources of a bench: find, add, change, remove."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget

from app.bench import SourceConfig
from app.bench.edit import remove_source
from app.operations.check import SourceCheck
from app.ui.background import Background
from app.ui.bench_file import BenchFile
from app.ui.discover_dialog import DiscoverDialog
from app.ui.icons import Icons
from app.ui.messages import ask
from app.ui.password_dialog import PasswordDialog
from app.ui.source_dialog import SourceDialog
from app.ui.theme import Theme
from instruments.driver import Driver
from instruments.errors import BadInput
from instruments.settings import Value


class SourceActions(QObject):
    """Opens the dialogs and changes the bench in hand.

    Args:
        file: The bench in hand.
        theme: The look.
        icons: Icons of the theme.
        background: Where devices are looked for and tried.
        window: What dialogs belong to.

    Signals:
        put: A source was added or changed (its name, what it answered or None).
        password_stored: A source has another password (its name).
    """

    put = Signal(str, object)
    password_stored = Signal(str)

    def __init__(
        self,
        file: BenchFile,
        theme: Theme,
        icons: Icons,
        background: Background,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._file = file
        self._theme = theme
        self._icons = icons
        self._background = background
        self._window = window

    @Slot()
    def look(self) -> None:
        """Look for devices, and add those that are taken, until that is enough."""
        dialog = DiscoverDialog(
            self._theme, self._icons, self._background, self._window
        )
        dialog.taken.connect(self._add_found)
        try:
            dialog.exec()
        finally:
            dialog.deleteLater()

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
            self._icons,
            self._background,
            QApplication.activeModalWidget() or self._window,
            config=config,
            driver=driver,
            values=values,
        )
        try:
            dialog.exec()
            if dialog.bench is not None:
                name, check = dialog.name, dialog.check
                self._file.change(dialog.bench)
                self._tell(name, check)
        finally:
            dialog.deleteLater()

    def _tell(self, name: str, check: SourceCheck | None) -> None:
        self.put.emit(name, check)

    def remove(self, config: SourceConfig) -> None:
        """Take a source off the bench, after asking."""
        wanted = ask(
            self._icons,
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
            self._background.failed.emit(error)

    def set_password(self, config: SourceConfig) -> None:
        """Ask for the password of a source."""
        secret = config.driver.secret
        dialog = PasswordDialog(config.name, secret, self._background, self._window)
        try:
            if dialog.exec():
                self.password_stored.emit(config.name)
        finally:
            dialog.deleteLater()
