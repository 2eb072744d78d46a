"""The main window: tools above, pages at the left, the work in the middle."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, QTimer, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QVBoxLayout,
    QWidget,
)

from app.bench import Bench
from app.operations.campaign_drafts import has_left_behind
from app.operations.resume import Unfinished
from app.operations.run import RunResult
from app.ui.background import Background
from app.ui.bench_view import BenchView
from app.ui.error_box import ErrorBox
from app.ui.icons import Icons
from app.ui.labels import ElidedLabel
from app.ui.messages import ask, in_window
from app.ui.navigation import Navigation
from app.ui.pages import PAGES, Pages
from app.ui.preflight_mend import Mending
from app.ui.resume_bar import ResumeBar
from app.ui.resume_plan import needs_words, plan_of
from app.ui.run_control import RunControl, RunPlan
from app.ui.session_work import SessionWork
from app.ui.settings import Settings
from app.ui.start_asking import RunAsking
from app.ui.steering_bar import SteeringBar
from app.ui.steering_panic import PanicKey
from app.ui.theme import Theme, tabular
from app.ui.toolbar import Tools
from instruments.errors import Aborted, BenchError

if TYPE_CHECKING:
    from app.ui.campaign_view import CampaignView
    from app.ui.compare_view import CompareView
    from app.ui.live_view import LiveView
    from app.ui.sessions_view import SessionsView

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
        self._folder = folder
        self._theme = theme
        self._settings = settings
        self._icons = Icons(theme, self)
        self._is_closing = False
        self._page = self._page_before = "Bench"
        self.background = Background(self)
        self.run = RunControl(self.background, self)
        self.errors = ErrorBox(self._icons, self)
        self.work = SessionWork(self.background, self)
        self._asking = RunAsking(theme, self._icons, self.background, settings, self)
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
        show = self.navigation.choose
        self._mending = Mending(self.pages, show, self.background, self)
        self._cursor = ElidedLabel()
        self._state = QLabel("")
        self.setWindowTitle("Bayscope")
        self._build()
        self._connect()
        self._restore()
        self._show_bench()
        self._show_run()
        self.navigation.choose("Bench")

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
        self._cursor.setAccessibleName("Values at the crosshair")
        self._cursor.setContentsMargins(10, 0, 0, 0)
        self._cursor.setFont(tabular())
        self._state.setContentsMargins(0, 0, 10, 0)
        self.statusBar().addWidget(self._cursor, 1)
        self.statusBar().addPermanentWidget(self._state)
        self.statusBar().setSizeGripEnabled(False)

    def _connect(self) -> None:
        self.tools.start.triggered.connect(self.start_run)
        self.tools.stop.triggered.connect(self.steering.ask_stop)
        self.steering.live_wanted.connect(lambda: self.navigation.choose("Live"))
        self.steering.needs_changed.connect(
            lambda needs: self.navigation.set_badge("Live", shown=needs)
        )
        self.resume.wanted.connect(self.go_on)
        self.resume.open_wanted.connect(self.open_session)
        self.tools.mark.triggered.connect(self.mark_event)
        self.tools.report.triggered.connect(self.show_report)
        self.navigation.chosen.connect(self.show_page)
        self.navigation.chosen.connect(self.steering.set_page)
        self.background.failed.connect(self.errors.show)
        self.work.said.connect(self.statusBar().showMessage)
        self.bench_page.bench_chosen.connect(self._show_bench)
        self.pages.cursor_text.connect(self._cursor.setText)
        self.pages.session_opened.connect(self._show_actions)
        self.pages.session_opened.connect(self.resume.look_at)
        self.pages.session_closed.connect(self._show_actions)
        self.pages.start_wanted.connect(self.start_run)
        self.pages.report_wanted.connect(self.show_report)
        self.pages.campaign_wanted.connect(self.start_campaign)
        self.pages.export_wanted.connect(self.export)
        self.pages.live_wanted.connect(self._watch)
        self.pages.folder_chosen.connect(self._take_folder)
        self.pages.import_wanted.connect(self.import_results)
        self.run.changed.connect(self._show_run)
        self.run.failed.connect(self._run_failed)
        self.run.finished.connect(self._run_ended)

    def _restore(self) -> None:
        stored = self._settings.get("window")
        if not stored or not self.restoreGeometry(
            QByteArray.fromHex(QByteArray(stored.encode()))
        ):
            room = self.screen().availableSize() - _FRAME
            self.resize(_SIZE.boundedTo(room))

    @property
    def bench_page(self) -> BenchView:
        """The page of the bench."""
        return self.pages.bench

    @property
    def campaigns(self) -> "CampaignView":
        """The page of the campaign in hand."""
        return self.pages.campaigns

    @property
    def live(self) -> "LiveView":
        """The page of the run."""
        return self.pages.live

    @property
    def sessions(self) -> "SessionsView":
        """The page of recorded sessions."""
        return self.pages.sessions

    @property
    def compare(self) -> "CompareView":
        """The page of two sessions."""
        return self.pages.compare

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
        self.resume.look_in(self._folder)
        if has_left_behind():
            self.navigation.choose("Campaigns")
        QTimer.singleShot(150, lambda: None if self._is_closing else self.live)

    @Slot()
    def start_run(self) -> None:
        """Ask what to run, and run it; on its page it is the campaign in hand."""
        if self._page == "Campaigns":
            self.campaigns.start()
        else:
            self._ask_for_run(None, "")

    @Slot()
    def start_campaign(self) -> None:
        """Ask for a run of the campaign in hand."""
        page, bench = self.campaigns, self.bench_page.bench
        if page.campaign is not None:
            plan = RunPlan(page.campaign, bench, self._folder, (), page.source)
            self._ask_for_run(plan, "")

    def _ask_for_run(self, again: RunPlan | None, problem: str) -> None:
        if self.run.is_running or self._is_closing:
            return
        try:
            plan = self._asking.ask(
                self.bench_page.bench if again is None else again.bench,
                self._folder,
                again=again,
                problem=problem,
            )
        except BenchError as error:
            self.errors.show(error)
            return
        if plan is not None:
            self.begin(plan)
        elif self._asking.mends is not None:
            self._mending.mend(self._asking.mends, self._asking.chosen)

    def begin(self, plan: RunPlan) -> None:
        """Run a plan and show it live."""
        self._page_before = self._page
        self.navigation.choose("Live")
        # Start run is disabled now; the focus must not wander to the next tool.
        self.navigation.take_focus()
        self.run.start(plan)
        if plan.resume is not None:
            self.resume.forget(plan.resume)

    @Slot(object)
    def go_on(self, left: Unfinished) -> None:
        """Go on with a run that was cut off; what has to be typed is typed again."""
        plan = plan_of(left)
        if needs_words(plan):
            self._ask_for_run(plan, "")
        else:
            self.begin(plan)

    @Slot(object)
    def open_session(self, path: Path) -> None:
        """Show a recorded session."""
        self.navigation.choose("Sessions")
        self.sessions.open(path)

    @Slot(object)
    def _watch(self, path: Path) -> None:
        if not self.run.is_running:
            self.live.watch(path)
        self.navigation.choose("Live")

    @Slot(object)
    def _run_ended(self, result: RunResult) -> None:
        if self._is_closing:
            return
        self.statusBar().showMessage(f"{result.verdict}: {result.session}", 15_000)
        self.sessions.show_next(result.session)
        self.pages.refresh_lists()

    @Slot(object)
    def _run_failed(self, error: Exception) -> None:
        """Ask again where nothing was begun; the choices stay as they were."""
        wanted = isinstance(error, BenchError) and not isinstance(error, Aborted)
        plan = self.run.plan
        if plan is None or not wanted or self.run.has_begun:
            self.errors.show(error)
        elif not self._is_closing:
            if self._page == "Live":
                self.navigation.choose(self._page_before)
            # Not from within the signal: others want to hear of it as well.
            QTimer.singleShot(
                0, self, lambda: self._ask_for_run(plan, in_window(error))
            )

    @Slot()
    def mark_event(self) -> None:
        """Ask for a note and store it at the playhead."""
        found = self.pages.shown_record()
        if found is None:
            return
        self.work.ask_mark(*found)

    @Slot()
    def show_report(self) -> None:
        """Show the report table of the session the user looks at."""
        found = self.pages.shown_record()
        if found is None:
            return
        record, _ = found
        self.navigation.choose("Sessions")
        page = self.sessions
        if page.record is None or page.record.path != record.path:
            page.open(record.path, even_live=True)
        page.page.tabs.setCurrentIndex(1)

    @Slot(object)
    def export(self, path: Path) -> None:
        """Ask for formats and write them."""
        self.work.ask_export(path, lab=self.sessions.page.report.is_lab)

    @Slot(object)
    def import_results(self, paths: Sequence[Path] = ()) -> None:
        """Ask what results made elsewhere are, and show the session they become."""
        # Only now: the readers of a dozen formats take a while to import.
        from app.ui.import_dialog import ask_for_import  # noqa: PLC0415

        parts = (self._theme, self._icons, self.background)
        session = ask_for_import(paths, self._folder, *parts, parent=self)
        if session is not None:
            self.open_session(session)
            self.pages.refresh_lists()

    @Slot(object)
    def _take_folder(self, folder: Path) -> None:
        self._folder = folder

    @Slot()
    def _show_bench(self) -> None:
        bench = self.bench_page.bench
        # Nothing is held open between checks and runs.
        label = "simulated" if bench.is_simulated else _sources(len(bench.sources))
        star = " *" if self.bench_page.file.has_changes else ""
        self._state.setText(f"{bench.name}{star}  ·  {label}")
        self._state.setAccessibleName(f"Bench: {bench.name}, {label}")
        self.setWindowTitle(f"{bench.name}{star} - Bayscope" if star else "Bayscope")

    @Slot()
    def _show_run(self) -> None:
        running = self.run.is_running
        self.tools.set_running(running=running, stopping=self.run.is_stopping)
        self.resume.set_quiet(quiet=running)
        self._show_actions()
        if self._is_closing and not running:
            self.close()

    @Slot()
    def _show_actions(self) -> None:
        shown = self.pages.shown_record() is not None
        self.tools.set_session(shown=shown, can_mark=self.pages.can_mark)

    def stop_and_close(self) -> None:
        """Close without asking; a run is stopped first."""
        self._is_closing = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop a run after asking, then join every thread."""
        if self.run.is_running:
            event.ignore()
            if self._is_closing or self._may_stop():
                self._is_closing = True
                self.run.stop()
            return
        if not self._is_closing and not self._may_leave():
            event.ignore()
            return
        self._is_closing = True
        self._settings.put("window", bytes(self.saveGeometry().toHex().data()).decode())
        self.hide()  # joining may take a moment; the user need not watch it
        try:
            self.background.close()
        finally:
            self.pages.shut()
        super().closeEvent(event)

    def _may_leave(self) -> bool:
        """Ask what becomes of changes to bench and campaign."""
        if not self.bench_page.files.may_leave():
            return False
        if "Campaigns" not in self.pages.made:
            return True
        page = self.campaigns
        if not page.files.may_leave():
            return False
        page.autosave.forget()
        return True

    def _may_stop(self) -> bool:
        return ask(
            self._icons,
            "A run is going on",
            "Stop the run and close? What was recorded so far is kept.",
            yes="Stop and close",
            no="Keep running",
            parent=self,
        )


def _sources(number: int) -> str:
    return f"{number} source" if number == 1 else f"{number} sources"
