"""What a user does with a bench as a whole: new, open, describe."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.bench.file import load_bench
from app.bench.model import Bench
from app.ui.bench.file import BenchFile
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from app.ui.kit.document_saving import DocumentSaving, toml_filter

_BENCH = "bench"


class BenchFileActions(QObject):
    """Asks the user, and changes the bench in hand.

    Args:
        file: The bench in hand.
        context: What the parts of the window share.
        window: What dialogs belong to.

    Attributes:
        saving: What saves it.
    """

    def __init__(self, file: BenchFile, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._file = file
        self._context = context
        self._window = window
        self.saving = DocumentSaving(file, _BENCH, Path.home, context, window)

    @Slot()
    def new(self) -> None:
        """Describe another device and begin a bench for it."""
        if self.saving.may_leave():
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
        if not self.saving.may_leave():
            return
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            "Open a bench",
            str(self.saving.folder),
            toml_filter(_BENCH),
        )
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Read a bench.toml; one with a mistake changes nothing."""
        self._context.background.run(
            lambda: (load_bench(path), path), lambda found: self._file.take(*found)
        )
