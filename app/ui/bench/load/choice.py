"""Where hosts of [load] and their disks are chosen: menus and dialogs of their own."""

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.bench.load.disks_dialog import LoadDisksDialog
from app.ui.bench.load.hosts import LoadHostList
from app.ui.bench.source_dialog import SourceDialog
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.theme import Theme
from instruments.host.ssh import DRIVER as SSH


class LoadChoice:
    """Lets hosts be added and described, and disks of a host be chosen.

    Args:
        hosts: Takes the hosts.
        theme: The look.
        icons: Icons of the theme.
        background: Where hosts are asked.
        parent: The dialog that waits.
    """

    def __init__(
        self,
        hosts: LoadHostList,
        theme: Theme,
        icons: Icons,
        background: Background,
        parent: QWidget,
    ) -> None:
        self._hosts = hosts
        self._theme, self._icons, self._background = theme, icons, background
        self._parent = parent

    def add(self, place: QPoint) -> None:
        """Take a host that the bench has already, or describe a new one.

        Args:
            place: Where the menu of those that it has opens.
        """
        others = self._hosts.others
        if not others:
            self.describe()
            return
        menu = QMenu(self._parent)
        for name in others:
            menu.addAction(name, partial(self._hosts.add, name))
        menu.addSeparator()
        menu.addAction("Another machine...", partial(self.describe, ""))
        menu.popup(place)

    def describe(self, name: str = "") -> None:
        """Describe how a host is reached; a new one where it has no name yet."""
        bench = self._hosts.bench
        config = next((one for one in bench.sources if one.name == name), None)
        dialog = SourceDialog(
            bench,
            self._icons,
            self._background,
            self._parent,
            config=config,
            driver=None if config else SSH,
        )
        try:
            dialog.exec()
            if dialog.bench is not None:
                self._hosts.take_bench(dialog.bench)
                if config is None:
                    self._hosts.add(dialog.name)
        finally:
            dialog.deleteLater()

    def disks(self, name: str) -> tuple[str, ...]:
        """Choose targets among the disks that a host has; none for no change."""
        parts = (self._hosts.bench, self._theme, self._icons, self._background)
        dialog = LoadDisksDialog(*parts, self._parent, host=name)
        try:
            return tuple(dialog.paths) if dialog.exec() else ()
        finally:
            dialog.deleteLater()
