"""The run as it happens: where it stands over its panel, all from the store."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

from app.campaign.run.progress import Progress
from app.operations.run.run import RunResult
from app.plan.verdict import Verdict
from app.record.store import Session
from app.ui.chart.layout.layouts import Layouts
from app.ui.chart.pane import ChartPane
from app.ui.kit.clock import seconds_between
from app.ui.kit.context import Context
from app.ui.kit.empty import EmptyState
from app.ui.kit.focus import lead_focus
from app.ui.kit.widgets import column, named, split
from app.ui.run.control import RunControl
from app.ui.run.live_watcher import BEAT_MS, LiveWatcher, Snapshot
from app.ui.run.question_panel import QuestionPanel
from app.ui.run.standing import beginning_of, share_of, state_of
from app.ui.run.step_list import StepList, step_lines
from app.ui.run.verdict_banner import VerdictBanner
from app.ui.session.event_log import EventLog
from app.ui.session.playhead import Playhead
from app.ui.session.readouts import ReadoutPanel
from app.ui.session.record import Record, open_record
from app.ui.session.slots.page import SlotPage


class LivePanel(QSplitter):
    """Shows a session at its end.

    Attributes:
        steps: Its steps.
        pane: Its charts.
        slots: Its slots.
        tabs: What holds both.
        log: Its events.
        readouts: Its values.
    """

    def __init__(self, context: Context, layouts: Layouts) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.steps = StepList(context)
        self.pane = ChartPane(context, layouts=layouts)
        self.pane.chart.set_interval(BEAT_MS)
        self.slots = SlotPage(context)
        self.tabs = named(QTabWidget(), "Parts of the run")
        self.log = EventLog(context, titled=False)
        self.readouts = ReadoutPanel(context, "Live readings")
        self.readouts.values_shown.connect(self.pane.chart.set_current)
        self.log.moment_chosen.connect(self._show_moment)
        self.log.event_chosen.connect(self.pane.chart.flags.mark)
        self.pane.chart.flags.chosen.connect(lambda flag: self.log.choose(flag.id))
        self._build()

    def _build(self) -> None:
        self.tabs.addTab(self.pane, "&Charts")
        self.tabs.addTab(self.slots, "S&lots")
        self.tabs.setTabToolTip(0, "Traces over time (Alt+C)")
        self.tabs.setTabToolTip(1, "Temperatures at their places (Alt+L)")
        self._bar = self.pane.lend_bar(self.tabs)
        self.tabs.currentChanged.connect(self._show_bar)
        self.tabs.tabBar().setAccessibleName("Charts or slots")
        middle = split(self.tabs, self.log, sizes=(600, 150), is_vertical=True)
        middle.setStretchFactor(0, 5)
        middle.setStretchFactor(1, 1)
        self.addWidget(self.steps)
        self.addWidget(middle)
        self.addWidget(self.readouts)
        self.setStretchFactor(1, 1)
        self.setSizes([360, 736, 212])
        self.setHandleWidth(1)

    @Slot()
    def _show_bar(self) -> None:
        """Offer span and zoom where there are charts."""
        self._bar.setVisible(self.tabs.currentWidget() is self.pane)

    @Slot(object)
    def _show_moment(self, t_ns: int) -> None:
        """Bring the moment of an event into the charts."""
        layers = self.pane.chart.layers
        if layers:
            self.tabs.setCurrentWidget(self.pane)
            x = seconds_between(layers[0].origin, t_ns)
            self.pane.chart.zoom.bring_into_view(x)

    def set_record(self, record: Record) -> None:
        """Show another session."""
        info = record.session.info
        self.pane.set_title(info.dut, simulated=info.simulated)
        self.steps.set_title(info.name)
        self.pane.set_layers([record.layer])
        self.readouts.set_record(record)
        self.slots.set_record(record)

    def show_snapshot(
        self, snapshot: Snapshot, now: int, progress: Progress | None
    ) -> None:
        """Show what has come since.

        Args:
            snapshot: What the store knows.
            now: Moment at the end, in nanoseconds.
            progress: What the run itself says; None where it is not this session's.
        """
        record = snapshot.record
        layer = replace(record.layer, end=max(record.layer.end, now))
        self.readouts.set_record(record)
        self.readouts.show_at(now)
        self.slots.set_record(record)
        self.slots.show_at(now)
        self.pane.advance([layer], now)
        self.show_steps(snapshot, now, progress)
        self.log.set_events(snapshot.log, record.wall_time)

    def show_steps(
        self, snapshot: Snapshot, now: int, progress: Progress | None
    ) -> None:
        """Show the steps; which one runs is what the bar over the pages says, too."""
        share = share_of(progress)
        at = 0 if progress is None else progress.step_id
        lines = step_lines(snapshot.steps, now, share, snapshot.marks, at)
        self.steps.set_lines(lines)

    def name_readings(self, *, live: bool) -> None:
        """Say whether the readings go on or are the last ones."""
        self.readouts.set_title("Live readings" if live else "Last readings")

    def shut(self) -> None:
        """Let go of the charts."""
        self.pane.chart.close_plots()
        self.slots.shut()


_IDLE = "Nothing is being recorded"


class LiveView(QWidget):
    """Follows the session of the run that goes on, or one that another process records.

    Attributes:
        panel: What is seen of the session.
        watcher: What watches it.

    Signals:
        session_opened: The session file that is shown from now on (Path).
        start_wanted: The user wants to start a run.
    """

    session_opened = Signal(object)
    start_wanted = Signal()

    def __init__(
        self, context: Context, run: RunControl, layouts: Layouts | None = None
    ) -> None:
        super().__init__()
        self._background = context.background
        self._run = run
        self._path: Path | None = None
        self._shown: Session | None = None  # what the panel asks
        self._progress: Progress | None = None
        self._reached = 0.0  # done part of the run
        self._result: RunResult | None = None
        self._snapshot: Snapshot | None = None  # what the store said last
        self.playhead = Playhead(self)
        self.watcher = LiveWatcher(context.background, self.playhead, self)
        self.question = QuestionPanel(context.background)
        self.verdict = VerdictBanner(context)
        self.panel = LivePanel(context, layouts or Layouts())
        self._empty = EmptyState(
            context.icons,
            "gauge",
            _IDLE,
            "Start a run to see storage, power, temperatures and noise on one time "
            "axis. The simulated bench needs no hardware.",
            button="Start run",
            tip="Run a campaign on this bench (Ctrl+R)",
        )
        self._stack = QStackedWidget()
        self._build()
        self._connect()

    def _build(self) -> None:
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.panel)
        parts = (self.question, self.verdict, self._stack)
        column(*parts, of=self, grows=self._stack, spacing=0)
        lead_focus(self, self.panel.pane.chart)

    def _connect(self) -> None:
        run = self._run
        self.watcher.read.connect(self._show_snapshot)
        self._empty.wanted.connect(self.start_wanted)
        self.question.answered.connect(run.answer)
        run.progressed.connect(self._take_progress)
        run.moved.connect(self.playhead.follow)
        run.finished.connect(self._end)
        run.failed.connect(self._fail)
        run.changed.connect(self._show_progress)

    @property
    def record(self) -> Record | None:
        """The session shown, or None."""
        return self.watcher.record

    @property
    def is_following(self) -> bool:
        """Whether what it shows is still growing."""
        return self.watcher.is_watching or self._run.is_running

    def watch(self, path: Path) -> None:
        """Follow a session that another process records."""
        self.watcher.is_watching = True
        self._progress = self._result = None
        self.verdict.clear()
        self._open(path)

    def _open(self, path: Path) -> None:
        if path == self._path:
            if self.record is not None and not self.watcher.is_beating:
                self.watcher.start()  # it goes on after it was cut off
            return
        self._path = path
        self.watcher.follow(None)
        self._background.run(
            lambda: open_record(path), self._take_record, drop=Record.close
        )

    @Slot(object)
    def _take_record(self, record: Record) -> None:
        if record.path != self._path:
            self._background.release(record.session.close)
            return
        self.watcher.follow(record)
        layer = record.layer
        self.playhead.set_extent(layer.start, layer.end)
        self.playhead.seek(layer.end)
        self.panel.set_record(record)
        if self._shown is not None:  # until now the panel may have asked it
            self._background.release(self._shown.close)
        self._shown = record.session
        if self.is_following:
            self.verdict.show_steps(())
        self._stack.setCurrentIndex(1)
        self.session_opened.emit(record.path)
        if self.is_following:
            self.watcher.start()
        self._look_again()

    @Slot(object)
    def _take_progress(self, progress: Progress) -> None:
        before = 0 if self._progress is None else self._progress.step_id
        self._progress = progress
        own = self._own_progress
        if own is not None and self._snapshot and own.step_id != before:
            # Not a beat later than the bar over the pages.
            self.panel.show_steps(self._snapshot, self.playhead.position, own)
        # What comes before the rows and after them is not part of the run.
        if progress.step or progress.session is None:
            self._reached = progress.fraction
        plan = self._run.plan
        file = None if plan is None else plan.file
        folder = None if file is None else file.parent
        self.question.ask(progress.question, folder)
        if progress.session is not None:
            self.watcher.is_watching = False
            self._open(progress.session)
        self._show_progress()

    @Slot()
    def _show_progress(self) -> None:
        progress, steps = self._progress, self.panel.steps
        if self._run.is_stopping:
            steps.set_progress(self._reached, "Stopping: the load ends, data are kept")
        elif self._run.is_running and progress is not None:
            steps.set_progress(self._reached, state_of(progress))
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

    def _look_again(self) -> None:
        """Say whether the readings go on, and look what there is."""
        self.panel.name_readings(live=self.is_following)
        self.watcher.look_again()

    @Slot(object)
    def _show_snapshot(self, snapshot: Snapshot) -> None:
        layer = snapshot.record.layer
        if layer.end > self.playhead.position:
            self.playhead.set_extent(layer.start, layer.end)
            self.playhead.seek(layer.end)
        self._snapshot = snapshot
        self.panel.show_snapshot(snapshot, self.playhead.position, self._own_progress)
        self._show_verdict(snapshot)
        if self.watcher.is_watching and snapshot.record.session.state != "recording":
            self.watcher.is_watching = False
            self.watcher.stop()
            self.session_opened.emit(snapshot.record.path)
            self._look_again()

    def _show_verdict(self, snapshot: Snapshot) -> None:
        """Show how the last step did, or at its end the run."""
        if self._result is not None:
            verdict, reason = str(self._result.verdict), self._result.reason
            self.verdict.show_end(verdict, snapshot.steps, reason, snapshot.unclean)
        elif self.is_following and not self._is_of_before(snapshot):
            self.verdict.show_steps(snapshot.steps, snapshot.marks)

    @property
    def _own_progress(self) -> Progress | None:
        """What the run says, where the session shown is its own."""
        snapshot, progress = self._snapshot, self._progress
        if snapshot is None or progress is None or not self._run.is_running:
            return None
        return progress if progress.session == snapshot.record.path else None

    def _is_of_before(self, snapshot: Snapshot) -> bool:
        """Tell whether it is of the run before the one that begins."""
        progress = self._progress
        is_ours = progress is None or progress.session == snapshot.record.path
        return self._run.is_running and not is_ours

    def _stop_following(self) -> None:
        self.watcher.stop()
        self._progress = None
        self.question.ask(None, None)
        self._look_again()

    @Slot(object)
    def _end(self, result: RunResult) -> None:
        self._result = result
        is_whole = result.verdict in (Verdict.PASS, Verdict.FAIL)
        self._stop_following()
        text = f"Ended: {result.judged}"
        words = f"{text}. {result.reason}".strip(". ") + "."
        self.panel.steps.set_progress(1.0 if is_whole else self._reached, words)

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        self._stop_following()
        if self.record is not None:
            self._stack.setCurrentIndex(1)
        self._empty.set_title(_IDLE)
        self.panel.steps.set_progress(None, f"Not run: {error}")
        self._empty.say("")

    def shut(self) -> None:
        """Let go of charts and session; called once, when no work is going on."""
        self.watcher.stop()
        self.panel.shut()
        if self._shown is not None:
            self._background.release(self._shown.close)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while it was hidden."""
        super().showEvent(event)
        self.watcher.look_again()
