"""The main window: tools above, pages at the left, the work in the middle."""

import gc
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QSize, Signal, Slot
from PySide6.QtGui import QCloseEvent, QPaintEvent, QStatusTipEvent
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QWidget,
)

from app.bench.model import Bench
from app.operations.editing.drafts import has_left_behind
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.kit.icons import Icons
from app.ui.kit.messages import ErrorBox
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Theme
from app.ui.kit.widgets import column, row
from app.ui.run.control import RunControl, RunPlan
from app.ui.run.queue_bar import QueueBar
from app.ui.run.resume_bar import ResumeBar
from app.ui.run.start_asking import RunAsking
from app.ui.run.steering_bar import PanicKey, SteeringBar
from app.ui.session.work import SessionWork
from app.ui.window import home
from app.ui.window.home import Task
from app.ui.window.leaving import Leaving
from app.ui.window.navigation import Navigation
from app.ui.window.pages import PAGES, Pages
from app.ui.window.run_starter import RunStarter
from app.ui.window.shown_session import ShownSession
from app.ui.window.status_line import StatusLine
from app.ui.window.toolbar import Tools
from instruments.errors import one_line

if TYPE_CHECKING:
    from app.operations.run.run import RunResult
    from app.operations.sweeping import Swept


_BEHIND = ("app.operations.run.run", "app.operations.preflight.preflight")
"""What the first clicks want of the floors below the window: all loads and drivers."""


def _import_rest() -> None:
    for name in _BEHIND:
        import_module(name)


_TOLD_MS = 15_000
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

    Signals:
        painted: The window is seen for the first time.
    """

    painted = Signal()

    def __init__(
        self, bench: Bench, folder: Path, theme: Theme, settings: Settings
    ) -> None:
        super().__init__()
        self._settings = settings
        self._is_closing = self._is_painted = False
        self._page = self._page_before = "Home"
        self.background = Background(self)
        self._icons = Icons(theme, self)
        context = Context(theme, self._icons, self.background)
        self.run = RunControl(self.background, self)
        self.errors = ErrorBox(self._icons, self)
        self.work = SessionWork(context, self)
        self.tools = Tools(context)
        self.navigation = Navigation(PAGES, context)
        self.pages = Pages(context, self.run, settings, bench=bench, folder=folder)
        self.steering = SteeringBar(context, self.run)
        PanicKey(self.run, self)
        self.resume = ResumeBar(context, settings)
        show = self.navigation.choose
        asking = RunAsking(context, settings, self)
        self.starter = RunStarter(
            self.run,
            self.pages,
            asking,
            self,
            show_page=show,
            background=self.background,
        )
        self.queue = QueueBar(context, self.starter.queue)
        self.queue.again_wanted.connect(self.starter.ask_left)
        self.session = ShownSession(self.pages, show, self.run, self.work, self)
        self._leaving = Leaving(self.pages, self._icons, self)
        self.status = StatusLine(context)
        self._build()
        self._connect()
        self._restore()
        self._show_bench()
        self._show_run()
        self.navigation.choose("Home")

    def _build(self) -> None:
        self.addToolBar(self.tools)
        middle, pages = QWidget(), self.pages
        parts = (self.steering, self.queue, self.resume, pages)
        work = column(*parts, grows=pages, spacing=0)
        row(self.navigation, work, of=middle, grows=work, spacing=0)
        self.setCentralWidget(middle)
        self.setStatusBar(self.status)

    def _connect(self) -> None:
        self.tools.start.triggered.connect(self.start_run)
        self.tools.queue.triggered.connect(self.start_run)
        self.tools.repeat.triggered.connect(self.starter.repeat)
        self.tools.stop.triggered.connect(self.steering.ask_stop)
        self.steering.live_wanted.connect(lambda: self.navigation.choose("Live"))
        self.steering.needs_changed.connect(self._call)
        self.resume.wanted.connect(self.starter.go_on)
        self.resume.open_wanted.connect(self.session.open)
        self.tools.mark.triggered.connect(self.session.mark)
        self.tools.report.triggered.connect(self.session.report)
        self.navigation.chosen.connect(self.show_page)
        self.navigation.chosen.connect(self.steering.set_page)
        self.background.failed.connect(self.errors.show)
        self.work.said.connect(self.status.showMessage)
        self.pages.bench.bench_chosen.connect(self._show_bench)
        self.pages.home.chosen.connect(self._do)
        self.pages.home.session_chosen.connect(self.session.open)
        self.run.progressed.connect(self._show_title)
        self.pages.page_made.connect(self._connect_page)
        self.run.changed.connect(self._show_run)
        self.starter.begun.connect(self._show_begun)
        self.starter.refused.connect(self._show_refused)
        self.starter.failed.connect(self.errors.show)
        self.run.finished.connect(self._run_ended)

    @Slot(str)
    def _connect_page(self, name: str) -> None:
        """Connect what a page wants that is made only now."""
        pages, session, values = self.pages, self.session, self.status.values
        if name == "Campaigns":
            pages.campaigns.start_wanted.connect(self.starter.ask_for_campaign)
        elif name == "Live":
            live = pages.live
            live.panel.pane.chart.cursor_text.connect(values.setText)
            live.start_wanted.connect(self.start_run)
            live.question.lost.connect(self.steering.say_late)
            live.verdict.report_wanted.connect(session.report)
            live.session_opened.connect(self._show_actions)
            live.session_opened.connect(self.resume.look_at)
        elif name == "Sessions":
            sessions = pages.sessions
            sessions.page.pane.chart.cursor_text.connect(values.setText)
            sessions.page.export_wanted.connect(session.export)
            sessions.page.samples_wanted.connect(session.export_samples)
            sessions.live_wanted.connect(session.watch)
            sessions.import_wanted.connect(session.import_results)
            sessions.compare_wanted.connect(session.compare)
            sessions.session_opened.connect(self._show_actions)
            sessions.session_opened.connect(self.resume.look_at)
            sessions.session_closed.connect(self._show_actions)
        elif name == "Compare":
            pages.compare.charts.pane.chart.cursor_text.connect(values.setText)

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
        self.status.values.setText("")
        self._show_actions()

    def sweep_up(self, *, offers: bool) -> None:
        """Put right what killed programs have left, and say so.

        Args:
            offers: Whether what was cut off is offered then.
        """

        def sweep() -> "Swept":
            # Only now, beside the window that is shown already.
            from app.operations.sweeping import sweep_up  # noqa: PLC0415

            return sweep_up()

        def look() -> None:
            if offers:  # not before: what was taken back is no longer left behind
                self.resume.look_in(self.pages.folder)
                self.starter.queue.look_back()

        def show(swept: "Swept") -> None:
            self.resume.show_swept(swept.told)
            look()

        def fail(error: Exception) -> None:
            look()
            self.background.failed.emit(error)

        self.background.run(sweep, show, fail, lasting=True)

    def warm_up(self) -> None:
        """Import the rest while the user is still looking at the first page.

        That is the page of campaigns where one was left unsaved by a crash.
        """
        if has_left_behind():
            self.navigation.choose("Campaigns")
        self.background.run(_import_rest, lambda _: self._make_live())

    def _make_live(self) -> None:
        # What was imported stays: looking through it takes a tenth of a second.
        gc.freeze()
        self.pages.live  # noqa: B018 - made here, for whoever comes to it

    def event(self, event: QEvent) -> bool:
        """Let what parts of the window say go again: Qt would keep it for ever."""
        if isinstance(event, QStatusTipEvent):
            self.status.showMessage(event.tip(), _TOLD_MS)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell of the first time that there is something to see."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()

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
    def _run_ended(self, result: "RunResult") -> None:
        if self._is_closing:
            return
        self.status.showMessage(f"{result.judged}: {result.session}", _TOLD_MS)
        self.pages.sessions.show_next(result.session)
        self.pages.refresh_lists()

    @Slot()
    def _show_bench(self) -> None:
        bench, changed = self.pages.bench.bench, self.pages.bench.file.has_changes
        plan = self.run.plan if self.run.is_running else None
        runs_on = "" if plan is None else plan.bench.name
        self.status.show_bench(bench, changed=changed, runs_on=runs_on)
        self.pages.home.set_bench(bench)
        self._show_title()

    @Slot(bool)
    def _call(self, needs: bool) -> None:
        """Show that the run waits for somebody, also to who looks elsewhere."""
        self.navigation.set_badge("Live", shown=needs)
        if needs:
            QApplication.alert(self)

    @Slot()
    def _show_title(self) -> None:
        """Tell how a run stands, also where only the taskbar is seen."""
        bench, changed = self.pages.bench.bench, self.pages.bench.file.has_changes
        parts = [f"{one_line(bench.name)} *"] if changed else []
        if self.run.is_running:
            parts.insert(0, self.steering.title)
        self.setWindowTitle(" - ".join([*parts, "Bayscope"]))

    @Slot(object)
    def _do(self, task: Task) -> None:
        """Do what was chosen on the first page."""
        match task:
            case home.DEMO:
                self.starter.begin_demo()
            case home.START:
                self.start_run()
            case home.READINGS:
                self.starter.begin_readings()
            case home.BENCH:
                self.navigation.choose("Bench")
            case home.OPEN:
                self.navigation.choose("Sessions")
                self.pages.sessions.open_file()
            case _:
                self.navigation.choose("Compare")

    @Slot()
    def _show_run(self) -> None:
        running = self.run.is_running
        self.tools.set_running(running=running, stopping=self.run.is_stopping)
        self.resume.set_quiet(quiet=running)
        self.pages.home.set_running(running=running)
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

    def _may_close(self) -> bool:
        """Ask what becomes of the run, of those that wait, and of changes."""
        queue = self.starter.queue
        if self.run.is_running:
            return self._leaving.may_stop(queue)
        return self._leaving.may_drop(queue) and self._leaving.may_leave()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop a run after asking, then join every thread."""
        if not self._is_closing:
            with self.starter.queue.paused():
                if not self._may_close():
                    event.ignore()
                    return
                self._end()
        if self.run.is_running:
            event.ignore()
            self.run.stop()  # what closes the window when it has ended
            return
        self.errors.shut()
        self._settings.put("window", bytes(self.saveGeometry().toHex().data()).decode())
        self.hide()  # joining may take a moment; the user need not watch it
        try:
            self.background.close()
        finally:
            self.starter.queue.shut()
            if not self.background.hangs:  # else a file would hang as it is closed
                self.pages.shut()
        super().closeEvent(event)
