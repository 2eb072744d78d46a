"""What a user does with the session on the screen, and how others come there."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.ui.run.control import RunControl
from app.ui.session.work import SessionWork
from app.ui.window.pages import Pages


class ShownSession(QObject):
    """Marks, reports, exports and opens sessions where the pages show them.

    Args:
        pages: The pages.
        show_page: Shows the page with a name.
        run: The run that may be going on.
        work: What writes to sessions.
        parent: The window.
    """

    def __init__(
        self,
        pages: Pages,
        show_page: Callable[[str], None],
        run: RunControl,
        work: SessionWork,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._pages = pages
        self._show_page = show_page
        self._run = run
        self._work = work
        work.marked.connect(self._show_marks)

    @Slot()
    def _show_marks(self) -> None:
        if "Sessions" in self._pages.made:
            self._pages.sessions.page.show_notes()

    @Slot()
    def mark(self) -> None:
        """Ask for a note and store it where the mouse or the playhead is."""
        found = self._pages.shown_record()
        if found is not None:
            self._work.ask_mark(*found)

    @Slot()
    def report(self) -> None:
        """Show the report table of the session the user looks at."""
        found = self._pages.shown_record()
        if found is None:
            return
        record, _ = found
        self._show_page("Sessions")
        page = self._pages.sessions
        if page.record is None or page.record.path != record.path:
            page.open(record.path, even_live=True)
        page.page.tabs.setCurrentWidget(page.page.report)

    @Slot(object)
    def export(self, path: Path) -> None:
        """Ask for formats and write them."""
        report = self._pages.sessions.page.report
        spread = report.spread.isChecked()
        self._work.ask_export(path, form=report.form, spread=spread)

    @Slot()
    def export_samples(self) -> None:
        """Ask which samples are wanted, and write them."""
        page = self._pages.sessions.page
        if page.record is not None:
            self._work.ask_samples(page.record, page.pane.chart)

    @Slot(object)
    def import_results(self, paths: Sequence[Path] = ()) -> None:
        """Ask what results made elsewhere are, and show the session they become."""
        session = self._work.ask_import(paths, self._pages.folder)
        if session is not None:
            self.open(session)
            self._pages.refresh_lists()

    @Slot(object)
    def open(self, path: Path) -> None:
        """Show a recorded session."""
        self._show_page("Sessions")
        self._pages.sessions.open(path)

    @Slot(object)
    def compare(self, paths: Sequence[Path]) -> None:
        """Put these sessions side by side."""
        self._show_page("Compare")
        self._pages.compare.compare(*paths)

    @Slot(object)
    def watch(self, path: Path) -> None:
        """Show a session that is being recorded elsewhere."""
        if not self._run.is_running:
            self._pages.live.watch(path)
        self._show_page("Live")
