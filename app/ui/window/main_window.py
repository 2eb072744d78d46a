"""The main window: tools above, pages at the left, the work in the middle."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSize, QTimer, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMainWindow,
    QVBoxLayout,
    QWidget,
)

from app.bench.model import Bench
from app.operations.editing.drafts import has_left_behind
from app.operations.run.run import RunResult
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Theme
from app.ui.run.control import RunControl, RunPlan
from app.ui.run.resume_bar import ResumeBar
from app.ui.run.start_asking import RunAsking
from app.ui.run.steering_bar import SteeringBar
from app.ui.run.steering_panic import PanicKey
from app.ui.session.work import SessionWork
from app.ui.window.error_box import ErrorBox
from app.ui.window.leaving import Leaving
from app.ui.window.navigation import Navigation
from app.ui.window.pages import PAGES, Pages
from app.ui.window.preflight_mend import Mending
from app.ui.window.run_starter import RunStarter
from app.ui.window.shown_session import ShownSession
from app.ui.window.status_line import StatusLine
from app.ui.window.toolbar import Tools

_SIZE = QSize(1280, 800)
_FRAME = QSize(8, 40)
"""About what a window manager adds to a window."""


class MainWindow(QMainWindow):
    """Holds the pages; charts are imported when the first page wants one.

    Args:
        bench: The bench that runs are started on.
        folder: Where sessions are kept.
        theme: The look.
        settings: What the user chose last time.
    """

    def __init__(
        self, bench: Bench, folder: Path, theme: Theme, settings: Settings
    ) -> None:
        super().__init__()
        self._theme = theme
        self._settings = settings
        self._icons = Icons(theme, self)
        self._is_closing = False
        self._page = self._page_before = "Bench"
        self.background = Background(self)
        self.run = RunControl(self.background, self)
        self.errors = ErrorBox(self._icons, self)
        self.work = SessionWork(theme, self._icons, self.background, self)
        self.tools = Tools(theme, self._icons)
        self.navigation = Navigation(PAGES, theme, self._icons)
        self.pages = Pages(
            theme,
            self._icons,
            self.background,
            self.run,
            settings,
            bench=bench,
            folder=folder,
        )
        self.steering = SteeringBar(theme, self._icons, self.run)
        PanicKey(self.run, self)
        self.resume = ResumeBar(theme, self._icons, self.background, settings)
        self.starter = self._make_starter()
        show = self.navigation.choose
        self.session = ShownSession(self.pages, show, self.run, self.work, self)
        self._leaving = Leaving(self.pages, self._icons, self)
        self.status = StatusLine()
        self.setWindowTitle("Bayscope")
        self._build()
        self._connect()
        self._restore()
        self._show_bench()
        self._show_run()
        self.navigation.choose("Bench")

    def _make_starter(self) -> RunStarter:
        theme, icons, work = self._theme, self._icons, self.background
        asking = RunAsking(theme, icons, work, self._settings, self)
        mending = Mending(self.pages, self.navigation.choose, work, self)
        return RunStarter(self.run, self.pages, asking, mending, self)

    def _build(self) -> None:
        self.addToolBar(self.tools)
        middle = QWidget()
        layout = QHBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.navigation)
        work = QVBoxLayout()
        work.setSpacing(0)
        work.addWidget(self.steering)
        work.addWidget(self.resume)
        work.addWidget(self.pages, 1)
        layout.addLayout(work, 1)
        self.setCentralWidget(middle)
        self.setStatusBar(self.status)

    def _connect(self) -> None:
        self.tools.start.triggered.connect(self.start_run)
        self.tools.stop.triggered.connect(self.steering.ask_stop)
        self.steering.live_wanted.connect(lambda: self.navigation.choose("Live"))
        self.steering.needs_changed.connect(
            lambda needs: self.navigation.set_badge("Live", shown=needs)
        )
        self.resume.wanted.connect(self.starter.go_on)
        self.resume.open_wanted.connect(self.session.open)
        self.tools.mark.triggered.connect(self.session.mark)
        self.tools.report.triggered.connect(self.session.report)
        self.navigation.chosen.connect(self.show_page)
        self.navigation.chosen.connect(self.steering.set_page)
        self.background.failed.connect(self.errors.show)
        self.work.said.connect(self.status.showMessage)
        self.pages.bench.bench_chosen.connect(self._show_bench)
        self.pages.cursor_text.connect(self.status.values.setText)
        self.pages.session_opened.connect(self._show_actions)
        self.pages.session_opened.connect(self.resume.look_at)
        self.pages.session_closed.connect(self._show_actions)
        self.pages.start_wanted.connect(self.start_run)
        self.pages.report_wanted.connect(self.session.report)
        self.pages.campaign_wanted.connect(self.starter.ask_for_campaign)
        self.pages.export_wanted.connect(self.session.export)
        self.pages.live_wanted.connect(self.session.watch)
        self.pages.import_wanted.connect(self.session.import_results)
        self.run.changed.connect(self._show_run)
        self.starter.begun.connect(self._show_begun)
        self.starter.refused.connect(self._show_refused)
        self.starter.failed.connect(self.errors.show)
        self.run.finished.connect(self._run_ended)

    def _restore(self) -> None:
        stored = self._settings.get("window")
        if not stored or not self.restoreGeometry(
            QByteArray.fromHex(QByteArray(stored.encode()))
        ):
            room = self.screen().availableSize() - _FRAME
            self.resize(_SIZE.boundedTo(room))

    @Slot(str)
    def show_page(self, name: str) -> None:
        """Show a page."""
        self._page = name
        self.pages.show_page(name)
        self._show_actions()

    def warm_up(self) -> None:
        """Import the charts while the user is still looking at the first page.

        That is the page of campaigns where one was left unsaved by a crash.
        """
        self.resume.look_in(self.pages.folder)
        if has_left_behind():
            self.navigation.choose("Campaigns")
        QTimer.singleShot(150, lambda: None if self._is_closing else self.pages.live)

    @Slot()
    def start_run(self) -> None:
        """Ask what to run, and run it; on its page it is the campaign in hand."""
        if self._page == "Campaigns":
            self.pages.campaigns.start()
        else:
            self.starter.ask()

    @Slot(object)
    def _show_begun(self, plan: RunPlan) -> None:
        """Show live what is being started."""
        self._page_before = self._page
        self.navigation.choose("Live")
        # Start run is disabled now; the focus must not wander to the next tool.
        self.navigation.take_focus()
        if plan.resume is not None:
            self.resume.forget(plan.resume)

    @Slot()
    def _show_refused(self) -> None:
        """Go back to where the run was wanted."""
        if self._page == "Live":
            self.navigation.choose(self._page_before)

    @Slot(object)
    def _run_ended(self, result: RunResult) -> None:
        if self._is_closing:
            return
        self.status.showMessage(f"{result.verdict}: {result.session}", 15_000)
        self.pages.sessions.show_next(result.session)
        self.pages.refresh_lists()

    @Slot()
    def _show_bench(self) -> None:
        bench, changed = self.pages.bench.bench, self.pages.bench.file.has_changes
        plan = self.run.plan if self.run.is_running else None
        runs_on = "" if plan is None else plan.bench.name
        self.status.show_bench(bench, changed=changed, runs_on=runs_on)
        self.setWindowTitle(f"{bench.name} * - Bayscope" if changed else "Bayscope")

    @Slot()
    def _show_run(self) -> None:
        running = self.run.is_running
        self.tools.set_running(running=running, stopping=self.run.is_stopping)
        self.resume.set_quiet(quiet=running)
        self._show_bench()
        self._show_actions()
        if self._is_closing and not running:
            self.close()

    @Slot()
    def _show_actions(self) -> None:
        shown = self.pages.shown_record() is not None
        self.tools.set_session(shown=shown, can_mark=self.pages.can_mark)

    def stop_and_close(self) -> None:
        """Close without asking; a run is stopped first."""
        self._end()
        self.close()

    def _end(self) -> None:
        self._is_closing = True
        self.starter.end()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop a run after asking, then join every thread."""
        if self.run.is_running:
            event.ignore()
            if self._is_closing or self._leaving.may_stop():
                self._end()
                self.run.stop()
            return
        if not self._is_closing and not self._leaving.may_leave():
            event.ignore()
            return
        self._end()
        self._settings.put("window", bytes(self.saveGeometry().toHex().data()).decode())
        self.hide()  # joining may take a moment; the user need not watch it
        try:
            self.background.close()
        finally:
            self.pages.shut()
        super().closeEvent(event)
