"""The bench in hand: as it is now, as it was saved, and where it lies."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bench.edit import put_name, save_bench
from app.bench.file import load_bench
from app.bench.model import Bench
from app.ui.kit.background import Perform, at_once


class BenchFile(QObject):
    """Knows whether a bench has changes that no file has yet.

    A bench that ships, and a new one, lie nowhere until they are saved.

    Attributes:
        bench: The bench as it is now.
        saved: What its file had when it was read or written last.
        path: Where it lies, None where it was never saved.

    Signals:
        changed: Another bench, another version of it, or it was saved.
    """

    changed = Signal()

    def __init__(self, bench: Bench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.saved = bench.text
        self._origin = bench.name
        self.path = Path(bench.file) if Path(bench.file).is_file() else None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.bench.name

    @property
    def text(self) -> str:
        """What would be written now."""
        return self.bench.text

    @property
    def origin(self) -> str:
        """What it was called when it was read or saved; "" for a new one."""
        return self._origin

    @property
    def has_changes(self) -> bool:
        """Whether something would be lost without saving."""
        return self.bench.text != self.saved

    def take(self, bench: Bench, path: Path | None = None) -> None:
        """Take another bench, as it was read from a file or ships."""
        self.bench, self.saved, self.path = bench, bench.text, path
        self._origin = bench.name
        self.changed.emit()

    def begin(self, bench: Bench) -> None:
        """Take a new bench, which no file has."""
        self.bench, self.saved, self.path, self._origin = bench, "", None, ""
        self.changed.emit()

    def change(self, bench: Bench) -> None:
        """Take another version of the same bench."""
        self.bench = bench
        self.changed.emit()

    def rename(self, name: str) -> None:
        """Call it something else."""
        self.change(put_name(self.bench, name))

    def save(self, path: Path, perform: Perform = at_once) -> None:
        """Write it to a file and read it again, so that errors name its lines.

        Args:
            path: The file.
            perform: Writes and reads.

        Raises:
            BadInput: It cannot be written there.
        """
        bench = self.bench

        def write() -> Bench:
            save_bench(bench, path)
            return load_bench(path)

        self.take(perform(write), path)
