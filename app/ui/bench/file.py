"""The bench in hand: as it is now, as it was saved, and where it lies."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bench.edit import save_bench
from app.bench.file import load_bench
from app.bench.model import Bench


class BenchFile(QObject):
    """Knows whether a bench has changes that no file has yet.

    A bench that ships, and a new one, lie nowhere until they are saved.

    Signals:
        changed: Another bench, another version of it, or it was saved.
    """

    changed = Signal()

    def __init__(self, bench: Bench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._saved = bench.text
        self._path = Path(bench.file) if Path(bench.file).is_file() else None

    @property
    def bench(self) -> Bench:
        """The bench as it is now."""
        return self._bench

    @property
    def name(self) -> str:
        """What it is called."""
        return self._bench.name

    @property
    def saved(self) -> str:
        """What its file had when it was read or written last."""
        return self._saved

    @property
    def path(self) -> Path | None:
        """Where it lies, None where it was never saved."""
        return self._path

    @property
    def has_changes(self) -> bool:
        """Whether something would be lost without saving."""
        return self._bench.text != self._saved

    def take(self, bench: Bench, path: Path | None = None) -> None:
        """Take another bench, as it was read from a file or ships."""
        self._bench, self._saved, self._path = bench, bench.text, path
        self.changed.emit()

    def begin(self, bench: Bench) -> None:
        """Take a new bench, which no file has."""
        self._bench, self._saved, self._path = bench, "", None
        self.changed.emit()

    def change(self, bench: Bench) -> None:
        """Take another version of the same bench."""
        self._bench = bench
        self.changed.emit()

    def save(self, path: Path) -> None:
        """Write it to a file and read it again, so that errors name its lines.

        Raises:
            BadInput: It cannot be written there.
        """
        save_bench(self._bench, path)
        self.take(load_bench(path), path)
