"""The run as it happens: charts, read-outs, steps and events, all from the store."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.campaign.progress import Progress
from app.operations.run import RunResult
from app.record.store import EventRow, StepRow
from app.ui.background import Background
from app.ui.chart_pane import ChartPane
from app.ui.empty import EmptyState
from app.ui.event_log import EventLog
from app.ui.icons import Icons
from app.ui.playhead import Playhead
from app.ui.progress_words import beginning_of, share_of, state_of
from app.ui.question_panel import QuestionPanel
from app.ui.readouts import ReadoutPanel
from app.ui.record import Record, open_record
from app.ui.run_control import RunControl
from app.ui.slot_page import SlotPage
from app.ui.step_list import StepList, step_lines
from app.ui.theme import Theme
from app.ui.verdict_banner import VerdictBanner

_BEAT_MS = 400
_IDLE = "Nothing is being recorded"


@dataclass(frozen=True, slots=True)
class _News:
    record: Record
    steps: list[StepRow]
    events: list[EventRow]
    log: list[EventRow]


class LiveView(QWidget):
    """Follows the session of the run that goes on, or one that another process records.

    Signals:
        cursor_text: What all curves have at the crosshair.
        session_opened: The session file that is shown from now on (Path).
        start_wanted: The user wants to start a run.
        report_wanted: The report of the session shown is wanted.
    """

    cursor_text = Signal(str)
    session_opened = Signal(object)
    start_wanted = Signal()
    report_wanted = Signal()

    def __init__(
        self, theme: Theme, icons: Icons, background: Background, run: RunControl
    ) -> None:
        super().__init__()
        self._background = background
        self._run = run
        self._record: Record | None = None
        self._path: Path | None = None
        self._progress: Progress | None = None
        self._result: RunResult | None = None
        self._events: list[EventRow] = []
        self._busy = False
        self._again = False
        self._watching = False
        self._seen = -1
        self.playhead = Playhead(self)
        self.question = QuestionPanel(background)
        self.verdict = VerdictBanner(theme, icons)
        self.steps = StepList(theme, icons)
        self.pane = ChartPane(theme, icons, background)
        self.slots = SlotPage(theme, icons, background)
        self.tabs = QTabWidget()
        self.log = EventLog(theme, icons)
        self.readouts = ReadoutPanel(theme, background, "Live readings")
        self.readouts.values_shown.connect(self.pane.chart.set_current)
        self._empty = EmptyState(
            icons,
            "gauge",
            _IDLE,
            "Start a run to see storage, power, temperatures and noise on one time "
            "axis. The simulated bench needs no hardware.",
            button="Start run",
            tip="Run a campaign on this bench (Ctrl+R)",
        )
        self._build()
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self.pane.chart.set_interval(_BEAT_MS // 2)
        self.pane.cursor_text.connect(self.cursor_text)
        self._empty.wanted.connect(self.start_wanted)
        self.verdict.report_wanted.connect(self.report_wanted)
        self.question.answered.connect(run.answer)
        theme.changed.connect(self._empty.recolour)
        run.progressed.connect(self._take_progress)
        run.moved.connect(self.playhead.follow)
        run.finished.connect(self._end)
        run.failed.connect(self._fail)
        run.changed.connect(self._show_progress)

    def _build(self) -> None:
        middle = QSplitter(Qt.Orientation.Vertical)
        self.tabs.addTab(self.pane, "&Charts")
        self.tabs.addTab(self.slots, "S&lots")
        self.tabs.setTabToolTip(0, "Traces over time (Alt+C)")
        self.tabs.setTabToolTip(1, "Temperatures at their places (Alt+L)")
        self._bar = self.pane.lend_bar()
        self.tabs.setCornerWidget(self._bar)
        self.tabs.currentChanged.connect(self._show_bar)
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("Charts or slots")
        middle.addWidget(self.tabs)
        middle.addWidget(self.log)
        middle.setStretchFactor(0, 5)
        middle.setStretchFactor(1, 1)
        middle.setSizes([560, 150])
        middle.setChildrenCollapsible(False)
        across = QSplitter(Qt.Orientation.Horizontal)
        across.addWidget(self.steps)
        across.addWidget(middle)
        across.addWidget(self.readouts)
        across.setStretchFactor(1, 1)
        across.setSizes([320, 776, 212])
        across.setHandleWidth(1)
        middle.setHandleWidth(1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(across)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.question)
        layout.addWidget(self.verdict)
        layout.addWidget(self._stack, 1)
        self.setFocusProxy(self.pane.chart)

    @Slot()
    def _show_bar(self) -> None:
        """Offer span and zoom where there are charts."""
        self._bar.setVisible(self.tabs.currentWidget() is self.pane)

    @property
    def record(self) -> Record | None:
        """The session shown, or None."""
        return self._record

    @property
    def is_following(self) -> bool:
        """Whether what it shows is still growing."""
        return self._watching or self._run.is_running

    def watch(self, path: Path) -> None:
        """Follow a session that another process records."""
        self._watching = True
        self._progress = self._result = None
        self.verdict.clear()
        self._open(path)

    def _open(self, path: Path) -> None:
        if path == self._path:
            if self._record is not None and not self._timer.isActive():
                self._timer.start()  # it goes on after it was cut off
            return
        self._path = path
        self._let_go()
        self._background.run(
            lambda: open_record(path), self._take_record, drop=Record.close
        )

    def _let_go(self) -> None:
        """Close the session that is shown no longer."""
        if self._record is not None:
            self._background.release(self._record.session.close)
        self._record = None

    @Slot(object)
    def _take_record(self, record: Record) -> None:
        if record.path != self._path:
            self._background.release(record.session.close)
            return
        self._record = record
        self._events = []
        self._seen = -1
        info = record.session.info
        self.pane.set_title(info.dut, simulated=info.simulated)
        self.steps.set_title(info.name)
        layer = record.layer
        self.playhead.set_extent(layer.start, layer.end)
        self.playhead.seek(layer.end)
        self.pane.chart.set_layers([layer])
        self.readouts.set_record(record)
        self.slots.set_record(record)
        self._stack.setCurrentIndex(1)
        self.session_opened.emit(record.path)
        if self.is_following:
            self._timer.start()
        self._name_readings()
        self._look_again()

    @Slot(object)
    def _take_progress(self, progress: Progress) -> None:
        self._progress = progress
        plan = self._run.plan
        file = None if plan is None else plan.file
        folder = None if file is None else file.parent
        self.question.ask(progress.question, folder)
        if progress.session is not None:
            self._watching = False
            self._open(progress.session)
        self._show_progress()

    @Slot()
    def _show_progress(self) -> None:
        progress = self._progress
        if self._run.is_stopping:
            fraction = progress.fraction if progress else 0.0
            self.steps.set_progress(fraction, "Stopping: the load ends, data are kept")
        elif self._run.is_running and progress is not None:
            self.steps.set_progress(progress.fraction, state_of(progress))
            if progress.session is None:
                self._show_beginning(progress.state)
        elif self._run.is_running:
            self._show_beginning("starting")

    def _show_beginning(self, state: str) -> None:
        """Say what goes on before there is anything to chart."""
        self._result = None
        self.verdict.clear()
        self._stack.setCurrentIndex(0)
        self._empty.set_title(state.capitalize())
        plan = self._run.plan
        campaign = None if plan is None else plan.campaign
        self._empty.say(beginning_of(self._progress, campaign))

    def _name_readings(self) -> None:
        """Say whether the readings go on or are the last ones."""
        live = self.is_following
        self.readouts.set_title("Live readings" if live else "Last readings")

    @Slot()
    def _beat(self) -> None:
        """Look for news in the store; never more than one request at a time."""
        record = self._record
        if record is None or self._busy or not self.isVisible():
            return
        position = self.playhead.position
        if position == self._seen and not self._watching:
            return
        self._busy, self._seen = True, position
        known = self._events
        last = known[-1].id if known else 0

        def do() -> _News:
            fresh = record.refreshed()
            events = [*known, *fresh.session.events(last)]
            return _News(fresh, fresh.session.steps(), events, fresh.log(events))

        self._background.run(do, self._take_news, partial(self._give_up, record))

    def _look_again(self) -> None:
        """Look once more for certain, after the look that is under way if any."""
        self._seen = -1
        self._again = self._busy
        self._beat()

    def _is_due(self) -> bool:
        """Take note that a look has ended; tell whether another one was wanted."""
        again, self._busy, self._again = self._again, False, False
        return again

    @Slot(object)
    def _take_news(self, news: _News) -> None:
        again = self._is_due()
        if self._record is not None and news.record.session is self._record.session:
            self._show_news(news)
        if again:
            self._look_again()

    def _show_news(self, news: _News) -> None:
        self._record = news.record
        layer = news.record.layer
        if layer.end > self.playhead.position:
            self.playhead.set_extent(layer.start, layer.end)
            self.playhead.seek(layer.end)
        now = self.playhead.position
        layer = replace(layer, end=max(layer.end, now))
        self.readouts.set_record(news.record)
        self.readouts.show_at(now)
        self.slots.set_record(news.record)
        self.slots.show_at(now)
        self.pane.chart.advance([layer], now)
        share = share_of(self._progress) if self._run.is_running else ""
        self.steps.set_lines(step_lines(news.steps, now, share))
        self._show_verdict(news.steps)
        self._events = news.events
        self.log.set_events(news.log, news.record.wall_time)
        if self._watching and news.record.session.state != "recording":
            self._watching = False
            self._timer.stop()
            self._name_readings()
            self.session_opened.emit(news.record.path)
            self._look_again()

    def _show_verdict(self, steps: list[StepRow]) -> None:
        """Show how the last step did, or at its end the run."""
        if self._result is not None:
            verdict, reason = str(self._result.verdict), self._result.reason
            self.verdict.show_end(verdict, steps, reason)
        elif self.is_following:
            self.verdict.show_steps(steps)

    def _give_up(self, record: Record, error: Exception) -> None:
        if self._is_due():
            self._look_again()
        elif self._record is not None and self._record.session is record.session:
            self._timer.stop()
            self._background.failed.emit(error)

    @Slot(object)
    def _end(self, result: RunResult) -> None:
        self._timer.stop()
        self._progress = None
        self._result = result
        self.question.ask(None, None)
        self._name_readings()
        self._look_again()
        text = f"Ended: {result.verdict}"
        self.steps.set_progress(1.0, f"{text}. {result.reason}".strip(". ") + ".")

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        self._timer.stop()
        self._progress = None
        self.question.ask(None, None)
        self._name_readings()
        self._look_again()
        if self._record is not None:
            self._stack.setCurrentIndex(1)
        self._empty.set_title(_IDLE)
        self.steps.set_progress(None, f"Not run: {error}")
        self._empty.say("")

    def shut(self) -> None:
        """Let go of charts and session; called once, when no work is going on."""
        self._timer.stop()
        self.pane.chart.close_plots()
        self.slots.shut()
        if self._record is not None:
            self._record.session.close()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while it was hidden."""
        super().showEvent(event)
        self._look_again()
