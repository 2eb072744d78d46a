"""Which layout the charts of the window have, and those that are saved."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.report.chart.layout import Layout
from app.report.chart.layout_file import read_layouts, write_layouts
from app.ui.kit.settings import Settings
from instruments.errors import BadInput

_KEY = "layout"


class Layouts(QObject):
    """One for all pages with charts: what is arranged on one is so on all of them.

    Args:
        settings: Where the name of the last one is kept; None keeps it nowhere.
        path: The file of those that are saved; None for the user's.
        parent: Its owner.

    Attributes:
        current: What is shown; None for the charts of every session.

    Signals:
        changed: It is another one now, or others are saved.
    """

    changed = Signal()

    def __init__(
        self,
        settings: Settings | None = None,
        path: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._path = path
        self.current: Layout | None = None

    def begin(self) -> None:
        """Take the layout of the last time, where it is still saved.

        Raises:
            BadInput: The file cannot be read.
        """
        name = self._settings.get(_KEY) if self._settings is not None else ""
        if name and self.current is None:
            self.current = self.saved.get(name)

    @property
    def names(self) -> list[str]:
        """Those that are saved, as they stand in the file.

        Raises:
            BadInput: The file cannot be read.
        """
        return [*self.saved]

    @property
    def saved(self) -> dict[str, Layout]:
        """Those that are saved, by name, as they stand in the file.

        Raises:
            BadInput: The file cannot be read.
        """
        try:
            return {one.name: one for one in read_layouts(self._path)}
        except BadInput as error:
            raise BadInput(
                f"the saved layouts of charts cannot be read: {error.what}",
                where=error.place or error.where,
                way_out=f"{error.way_out} Until then the standard charts are shown.",
            ) from error

    def choose(self, name: str) -> None:
        """Show one of the file.

        Raises:
            BadInput: The file cannot be read.
        """
        self.show(self.saved.get(name))

    def show(self, layout: Layout | None) -> None:
        """Show this one from now on; None for the charts of every session."""
        self.current = layout
        if self._settings is not None:
            self._settings.put(_KEY, layout.name if layout is not None else "")
        self.changed.emit()

    def save(self, name: str) -> None:
        """Keep what is shown by a name; one of that name goes.

        Raises:
            BadInput: The file cannot be read or written.
        """
        if self.current is not None:
            kept = replace(self.current, name=name)
            self._change(lambda saved: saved | {name: kept})
            self.show(kept)

    def delete(self, name: str) -> None:
        """Forget one of the file; what is shown stays as it is.

        Raises:
            BadInput: The file cannot be read or written.
        """
        self._change(lambda saved: {k: v for k, v in saved.items() if k != name})
        if self.current is not None and self.current.name == name:
            self.show(replace(self.current, name=""))

    def _change(self, change: Callable[[dict[str, Layout]], dict[str, Layout]]) -> None:
        write_layouts([*change(self.saved).values()], self._path)
