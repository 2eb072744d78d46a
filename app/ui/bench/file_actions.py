"""What a user does with a bench as a whole: new, open, describe, save."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.bench.file import load_bench
from app.bench.model import Bench
from app.ui.bench.file import BenchFile
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from app.ui.kit.messages import ask_to_save
from app.ui.kit.save_place import ask_where, file_name
from instruments.errors import BadInput

_FILTER = "Benches (*.toml)"


class BenchFileActions(QObject):
    """Asks the user, and changes the bench in hand.

    Args:
        file: The bench in hand.
        context: What the parts of the window share.
        window: What dialogs belong to.
    """

    def __init__(self, file: BenchFile, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._file = file
        self._context = context
        self._window = window

    @Slot()
    def new(self) -> None:
        """Describe another device and begin a bench for it."""
        if self.may_leave():
            self._describe(None, self._file.begin)

    @Slot()
    def describe(self) -> None:
        """Change what is said of the device under test."""
        self._describe(self._file.bench, self._file.change)

    def _describe(self, bench: Bench | None, take: Callable[[Bench], object]) -> None:
        # Only now: it takes all that looks at disks.
        from app.ui.bench.dut_dialog import DutDialog  # noqa: PLC0415

        with shown(DutDialog(bench, self._context, self._window)) as dialog:
            if dialog.bench is not None:
                take(dialog.bench)

    @Slot()
    def choose(self) -> None:
        """Ask for another bench.toml."""
        if not self.may_leave():
            return
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open a bench", self._folder(), _FILTER
        )
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Read a bench.toml; one with a mistake changes nothing."""
        self._context.background.run(
            lambda: (load_bench(path), path), lambda found: self._file.take(*found)
        )

    @Slot()
    def save(self) -> bool:
        """Write the bench where it lies, or ask where; tell whether it was written."""
        path = self._file.path
        return self.save_as() if path is None else self._save(path)

    @Slot()
    def save_as(self) -> bool:
        """Ask where to write the bench; tell whether it was written."""
        name = file_name(self._file.bench.name, "bench")
        path = self._file.path or Path(self._folder()) / name
        wanted = ask_where(self._window, "Save the bench", path, _FILTER)
        return wanted is not None and self._save(wanted)

    def _save(self, path: Path) -> bool:
        try:
            self._file.save(path)
        except BadInput as error:
            self._context.background.failed.emit(error)
            return False
        return True

    def may_leave(self) -> bool:
        """Ask what becomes of changes; tell whether the bench may be let go."""
        if not self._file.has_changes:
            return True
        wanted = ask_to_save(self._context.icons, self._file.bench.name, self._window)
        return self.save() if wanted is None else wanted

    def _folder(self) -> str:
        path = self._file.path
        return str(Path.home() if path is None else path.parent)
