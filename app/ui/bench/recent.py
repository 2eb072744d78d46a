"""The benches that were open last, of which the very last is opened again."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMenu, QWidget

from app.bench.file import default_bench, load_bench
from app.bench.model import Bench
from app.operations.bench.in_time import Job, in_time
from app.ui.bench.dialogs import BenchDialogs
from app.ui.bench.file import BenchFile
from app.ui.kit.background import Background
from app.ui.kit.document import RecentFiles
from app.ui.kit.settings import Settings
from instruments.errors import BadInput, BenchError, one_line

_LAST = "bench"
_PATIENCE_S = 5.0
"""The server that a bench lies on may be gone, and the window waits so long."""


def last_bench(settings: Settings) -> tuple[Bench, BenchError | None]:
    """Get the bench that was in hand last, or the simulated one and why not.

    The reason is None where nothing was wrong: it is the first start, say.
    """
    kept = settings.get(_LAST)
    if not kept:
        return default_bench(), None
    # There is no window yet that could wait, or say for what.
    [found] = in_time([Job(kept, partial(_load, Path(kept)))], _PATIENCE_S)
    if isinstance(found, Bench):
        return found, None
    told = BadInput(
        found.what,
        where=found.place or found.where,
        way_out=f"{found.way_out} The simulated bench is open instead.".strip(),
    )
    return default_bench(), told


def _load(path: Path) -> Bench:
    if not path.is_file():
        raise BadInput(
            "the bench that was open last no longer exists",
            where=str(path),
            way_out="Open yours with Open.",
        )
    return load_bench(path)


class RecentBenches(QObject):
    """Remembers each bench that was opened or saved, and offers the last ones.

    Args:
        dialogs: What opens another one.
        settings: Where their paths are kept.
        background: Where it is looked whether they are still there.
        parent: The page.

    Attributes:
        menu: The last benches, and the simulated one.
    """

    def __init__(
        self,
        file: BenchFile,
        dialogs: BenchDialogs,
        settings: Settings,
        background: Background,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._file = file
        self._dialogs = dialogs
        self._settings = settings
        self._background = background
        self._recent = RecentFiles(settings, "recent_benches")
        self.menu = QMenu(parent)
        self.menu.setToolTipsVisible(True)
        self.menu.aboutToShow.connect(self.fill)
        file.changed.connect(self._remember)
        self._remember()

    @Slot()
    def _remember(self) -> None:
        """Put the bench in hand in front, where it has a file."""
        if self._file.path is None:
            return
        path = self._file.path.absolute()
        self._recent.put(path)
        self._settings.put(_LAST, str(path))

    @Slot()
    def fill(self) -> None:
        """List what was opened; what is gone says so as soon as that is known."""
        self.menu.clear()
        paths = self._recent.paths
        for number, path in enumerate(paths, 1):
            place = f"{path.stem}   ({path.parent})".replace("&", "&&")
            name = f"&{number}  {one_line(place)}"
            action = self.menu.addAction(name, partial(self._open, path))
            action.setToolTip(one_line(str(path)))
            action.setData(path)
        self._background.run(partial(_gone, paths), self._mark)
        if paths:
            self.menu.addSeparator()
        self.menu.addAction("&Simulated bench", self._simulate)

    @Slot(object)
    def _mark(self, gone: list[Path]) -> None:
        for action in self.menu.actions():
            if action.data() in gone and action.isEnabled():
                action.setText(f"{action.text()}, gone")
                action.setEnabled(False)

    def _open(self, path: Path) -> None:
        if self._dialogs.saving.may_leave():
            self._dialogs.open(path)

    @Slot()
    def _simulate(self) -> None:
        if self._dialogs.saving.may_leave():
            self._file.take(default_bench())
            self._settings.put(_LAST, "")


def _gone(paths: list[Path]) -> list[Path]:
    """Find the files that are gone; runs in a worker."""
    return [path for path in paths if not path.is_file()]
