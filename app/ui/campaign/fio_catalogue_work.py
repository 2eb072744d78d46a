"""What fio says of its options, looked up once and asked once."""

from PySide6.QtCore import QObject, Signal, Slot

from app.ui.kit.background import Background, nothing
from workloads.fio.options.ask import kept_catalogue, load_catalogue
from workloads.fio.options.catalogue import Catalogue


class CatalogueWork(QObject):
    """Gets the catalogue of options off the GUI thread.

    Signals:
        found: The catalogue (Catalogue), or None where it was never asked for.
    """

    found = Signal(object)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._asked = self._looked_up = False

    def look_up(self) -> None:
        """Take what fio said of its options before, if it was ever asked."""
        if not self._looked_up:
            self._looked_up = True
            self._background.run(kept_catalogue, self._take, nothing)

    @Slot()
    def ask(self) -> None:
        """Ask the fio of this machine for its options; it takes some seconds."""
        if not self._asked:
            self._asked = True
            self._background.run(load_catalogue, self._take, nothing, lasting=True)

    @Slot(object)
    def _take(self, catalogue: Catalogue | None) -> None:
        self.found.emit(catalogue)
