"""What a user does with the sources of a bench: find, add, change, remove."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QWidget,
)

from app.bench.edit import remove_source
from app.bench.model import SourceConfig
from app.ui.bench.file import BenchFile
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from app.ui.kit.messages import ask
from instruments.driver import Driver
from instruments.errors import BadInput
from instruments.settings import Value

if TYPE_CHECKING:
    from app.operations.bench.check import SourceCheck


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
        # Only now, as with the other dialogs: they take what reaches devices.
        from app.ui.bench.discover_dialog import DiscoverDialog  # noqa: PLC0415

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
        from app.ui.bench.source_dialog import SourceDialog  # noqa: PLC0415

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

    def _tell(self, name: str, check: "SourceCheck | None") -> None:
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
        from app.bench.build import login_of  # noqa: PLC0415
        from app.ui.bench.password_dialog import PasswordDialog  # noqa: PLC0415

        secret = config.driver.secret
        address = login_of(self._file.bench, config.name)
        background = self._context.background
        dialog = PasswordDialog(config.name, address, secret, background, self._window)
        with shown(dialog):
            if dialog.result():
                self.password_stored.emit(config.name)
