"""The pages of a report as they will be, before anything is written."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from app.operations.sessions.apart import ExportPlan, export_apart
from app.ui.kit.background import Background
from app.ui.kit.labels import WrappedLabel
from app.ui.kit.widgets import column, named
from instruments.errors import BenchError
from instruments.files.own_folder import OwnFolder
from instruments.sizes import counted

_WIDTH, _MOST = 560, 40
_ROOM = 40


def _pages_of(paths: Sequence[Path], plan: ExportPlan) -> list[QImage]:
    """Set the pages in a separate process, and read their pictures; in a worker."""
    form = "pdf" if len(paths) > 1 else "pages"
    with OwnFolder() as folder:
        files = export_apart(paths, replace(plan, formats=(form,), to=folder))
        pictures: Iterable[bytes] = (one.read_bytes() for one in files)
        if form == "pdf":
            # Only now: a session's pages come as pictures.
            from app.report.pages.pdf import page_pictures  # noqa: PLC0415

            pictures = chain.from_iterable(map(page_pictures, pictures))
        smooth = Qt.TransformationMode.SmoothTransformation
        return [
            QImage.fromData(one).scaledToWidth(_WIDTH, smooth)
            for one in islice(pictures, _MOST)
        ]


class PagePreview(QWidget):
    """Shows pages below each other; the last wish counts, one is set at a time.

    Attributes:
        said: What is going on, or went wrong.
    """

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self._wanted: tuple[Sequence[Path], ExportPlan] | None = None
        self._is_busy = False
        self.said = WrappedLabel()
        self._pages = QWidget()
        self._column = QVBoxLayout(self._pages)
        self._column.setSpacing(10)
        self._area = named(QScrollArea(), "Preview of the pages")
        self._area.setWidget(self._pages)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setMinimumWidth(_WIDTH + _ROOM)
        column(self.said, self._area, of=self, grows=self._area, spacing=6)

    @property
    def count(self) -> int:
        """How many pages are shown."""
        return self._column.count()

    def ask(self, paths: Sequence[Path], plan: ExportPlan) -> None:
        """Show how this would look, as soon as it is set."""
        self._wanted = (paths, plan)
        self.said.setText("Setting the pages ...")
        if not self._is_busy:
            self._begin()

    def _begin(self) -> None:
        if self._wanted is None:
            return
        paths, plan = self._wanted
        self._wanted, self._is_busy = None, True
        self._background.run(
            lambda: _pages_of(paths, plan),
            self._take,
            self._fail,
            lasting=True,
            reads=True,
        )

    def _take(self, pages: Sequence[QImage]) -> None:
        self._is_busy = False
        if self._wanted is not None:
            self._begin()
            return
        self._drop()
        for number, image in enumerate(pages, 1):
            page = named(QLabel(), f"Page {number}")
            page.setPixmap(QPixmap.fromImage(image))
            page.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            self._column.addWidget(page)
        cut = " or more" if len(pages) == _MOST else ""
        self.said.setText(f"{counted(len(pages), 'page')}{cut}")
        self._area.verticalScrollBar().setValue(0)

    def _fail(self, error: Exception) -> None:
        self._is_busy = False
        if self._wanted is not None:
            self._begin()
            return
        self._drop()
        if isinstance(error, BenchError):
            self.said.setText(str(error))
        else:
            self._background.failed.emit(error)

    def _drop(self) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
