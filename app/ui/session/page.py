"""One recorded session: charts with replay, the report, events and gaps."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import (
    QTabWidget,
    QWidget,
)

from app.record.store import Window
from app.report.explanation import Explanation
from app.report.provenance import change_of
from app.ui.chart.flags import Flag
from app.ui.chart.layers import Phase
from app.ui.chart.layout.layouts import Layouts
from app.ui.chart.pane import ChartPane
from app.ui.kit.clock import seconds_between
from app.ui.kit.context import Context
from app.ui.kit.tables import Looked
from app.ui.kit.widgets import column, named, row
from app.ui.session.figures import FigurePage
from app.ui.session.happenings import SessionHappenings
from app.ui.session.head import SessionHead
from app.ui.session.playhead import Playhead
from app.ui.session.proof import SessionProof
from app.ui.session.readouts import ReadoutPanel
from app.ui.session.record import Record
from app.ui.session.replay_bar import ReplayBar
from app.ui.session.report_panel import ReportPanel
from app.ui.session.slots.page import SlotPage
from instruments.errors import BenchError
from instruments.reading import SECOND

_REDRAW_MS = 120


class SessionPage(QWidget):
    """Shows a record; a playhead replays it.

    Signals:
        export_wanted: The user wants this session (Path) exported.
        samples_wanted: The user wants samples of this session in files.
    """

    export_wanted = Signal(object)
    samples_wanted = Signal()

    def __init__(self, context: Context, layouts: Layouts) -> None:
        super().__init__()
        self._context = context
        self._background = context.background
        self._record: Record | None = None
        self._is_whole = True
        self.playhead = Playhead(self)
        self.head = SessionHead(context)
        self.head.export_wanted.connect(self._want_export)
        self.head.samples_wanted.connect(self.samples_wanted)
        self.head.verify_wanted.connect(self._verify)
        self.head.recompute_wanted.connect(self._recompute)
        self.proof = SessionProof(context, self)
        self.proof.verified.connect(self._take_verified)
        self.pane = ChartPane(context, layouts=layouts)
        self.pane.chart.set_interval(_REDRAW_MS)
        self.pane.chart.clicked.connect(self._seek)
        # Queued: it is told in the midst of painting.
        queued = Qt.ConnectionType.QueuedConnection
        self.pane.chart.painted.connect(self._show_rest, queued)
        self.readouts = ReadoutPanel(context, "At the playhead")
        self.readouts.values_shown.connect(self.pane.chart.set_current)
        self.replay = ReplayBar(context, self.playhead)
        self.replay.clicked.connect(self._take_keys)
        self.slots = SlotPage(context)
        self.report = ReportPanel(context)
        self.report.step_chosen.connect(self.show_step)
        self.report.cell_chosen.connect(self._explain)
        self.report.inspector.told.connect(self._mark)
        self.figures = FigurePage(context)
        self.happenings = SessionHappenings(context)
        self.happenings.moment_chosen.connect(self.show_moment)
        self.happenings.log.event_chosen.connect(self.pane.chart.flags.mark)
        self.pane.chart.flags.chosen.connect(self._show_event)
        self.tabs = named(QTabWidget(), "Parts of the session")
        self.tabs.setUsesScrollButtons(False)
        self._build()
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_REDRAW_MS)
        self._slow.timeout.connect(self._follow)
        self.playhead.moved.connect(self._moved)
        self.pane.chart.part.changed.connect(self._slow.start)

    def _build(self) -> None:
        charts = QWidget()
        row(self.pane, self.readouts, of=charts, grows=self.pane, spacing=0)
        self._moving = (charts, self.slots)
        for page, text, tip in (
            (charts, "&Charts", "Traces over time, with replay (Alt+C)"),
            (self.slots, "S&lots", "Temperatures at their places, with replay (Alt+L)"),
            (self.report, "&Report", "The table (Alt+R)"),
            (
                self.figures,
                "&Figures",
                "Rounds, saturation and histograms of latency (Alt+F)",
            ),
            (
                self.happenings,
                "Events and &gaps",
                "What happened, and what is missing (Alt+G)",
            ),
        ):
            self.tabs.setTabToolTip(self.tabs.addTab(page, text), tip)
        self._bar = self.pane.lend_bar(self.tabs)
        self.tabs.tabBar().setAccessibleName("Parts of the session")
        parts = (self.head, self.tabs, self.replay)
        column(*parts, of=self, grows=self.tabs, spacing=0)
        self.tabs.currentChanged.connect(self._show_replay)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    @property
    def record(self) -> Record | None:
        """The session shown, or None."""
        return self._record

    def set_record(self, record: Record) -> None:
        """Show another session, all of it, with the playhead at its end.

        Its curves first: what else there is comes when they are on the screen.
        """
        self.playhead.pause()
        if self._record is not None:
            self._background.release(self._record.session.close)
        self._record, self._is_whole = record, False
        info, layer = record.session.info, record.layer
        self.head.show_record(record)
        self.pane.set_title("", simulated=info.simulated)
        self.pane.offer_spans(seconds_between(layer.start, layer.end))
        self.pane.chart.set_limit(None)
        self.pane.set_layers([layer])
        self.playhead.set_extent(layer.start, layer.end)
        starts = (step.start_ns for step in record.session.steps())
        self.playhead.set_stops(start for start in starts if start is not None)
        self.playhead.seek(layer.end)
        self._moved()
        self.readouts.set_record(record)
        # None of them may ask the session that has just been let go of.
        self.slots.set_record(record)
        self.report.set_record(None)
        self.figures.set_record(None)
        self.happenings.forget()
        if info.is_published:
            # It quotes figures, and has no curves.
            self.tabs.setCurrentWidget(self.report)
        if not self.pane.isVisible():
            self._show_rest()

    @Slot()
    def _show_rest(self) -> None:
        """Show what is not on the first picture, and check the hash aside; once."""
        record = self._record
        if record is None or self._is_whole:
            return
        self._is_whole = True
        self.report.set_record(record)
        self.figures.set_record(record)
        self.happenings.set_record(record)
        self._follow()
        self._background.run(
            lambda: (record, change_of(record.session)),
            self._take_check,
            partial(self._fail_check, record),
            lasting=True,  # it ends with the session, and takes no worker from traces
            reads=True,
        )

    @Slot(object)
    def _take_check(self, answer: tuple[Record, str]) -> None:
        record, change = answer
        if record is self._record and record.session.state == "complete":
            self.head.show_check(f"{change[:1].upper()}{change[1:]}." if change else "")

    def _fail_check(self, record: Record, error: Exception) -> None:
        """Say that it cannot even be read, where it is still shown."""
        if record is not self._record:
            return
        if isinstance(error, BenchError):
            self.head.show_check(str(error))
        else:
            self._background.failed.emit(error)

    @Slot(str)
    def show_step(self, label: str) -> None:
        """Zoom to a step, with the playhead at its end."""
        record = self._record
        if record is None:
            return
        for step in record.session.steps():
            known = step.start_ns is not None and step.end_ns is not None
            if step.label == label and known:
                self.tabs.setCurrentIndex(0)
                self._zoom_to((step.start_ns or 0, step.end_ns or 0))

    @Slot(object)
    def _mark(self, told: Sequence[Explanation]) -> None:
        """Let the charts show what is told of, and nothing else marked."""
        self.pane.chart.mark(told)
        for found in told:
            self._show_window(found)

    def _show_window(self, found: Explanation) -> None:
        """Zoom to the window of a cell, with the channels that it was made of."""
        record = self._record
        if record is None or record.path != found.path:
            return
        counted = {part.channel.name for part in found.samples}
        for one in record.layer.rows:
            for panel in one.panels:
                if counted & {channel.name for channel in panel.channels}:
                    self.pane.chart.show_panel(panel.title)
                    break
        left, right = self._zoom_to(found.window)
        is_measured = found.window == found.step.window
        what = "measured window" if is_measured else found.title
        phase = Phase(left, right, f"{found.step.label}, {what}", "")
        self.pane.chart.part.choose_step(phase)

    @Slot(object)
    def show_moment(self, t_ns: int) -> None:
        """Take the playhead to a moment, and the charts where it is out of sight."""
        record = self._record
        if record is not None:
            self.tabs.setCurrentIndex(0)
            self.playhead.pause()
            self.playhead.seek(t_ns)
            moment = seconds_between(record.layer.origin, t_ns)
            self.pane.chart.zoom.bring_into_view(moment)

    @Slot(object)
    def _show_event(self, flag: Flag) -> None:
        """Show the row of an event whose flag was chosen."""
        self.tabs.setCurrentWidget(self.happenings)
        self.happenings.log.choose(flag.id)

    def _zoom_to(self, window: Window) -> tuple[float, float]:
        """Show this part of the charts, with the playhead at its end; get it in s."""
        self.playhead.pause()
        self.playhead.seek(window[1])
        origin = self._record.layer.origin if self._record is not None else 0
        left, right = (seconds_between(origin, moment) for moment in window)
        self.pane.chart.zoom.zoom_to(left, right)
        return left, right

    @Slot(str, str, object)
    def _explain(self, label: str, name: str, how: Looked) -> None:
        if self._record is not None:
            self.report.inspector.explain({"": self._record}, label, name, how)

    @Slot()
    def _verify(self) -> None:
        if self._record is not None:
            self.head.verify.setEnabled(False)
            self.proof.verify(self._record.path)

    @Slot()
    def _recompute(self) -> None:
        if self._record is None:
            return
        # Only now: nothing else of the window needs it.
        from app.ui.session.recompute import RecomputeDialog  # noqa: PLC0415

        session = self._record.session
        labels = [step.label for step in session.steps() if not step.attempt]
        sources = [source.name for source in session.sources()]
        path, page = self._record.path, self.window()
        RecomputeDialog(path, labels, sources, self._context, page).open()

    @Slot()
    def _take_verified(self) -> None:
        self.head.verify.setEnabled(True)

    @Slot()
    def _moved(self) -> None:
        """Show the charts up to the playhead; what reads takes its time."""
        position = self.playhead.position
        at_end = position >= self.playhead.end
        self.pane.chart.set_limit(position)
        self.pane.chart.set_playhead(None if at_end else position)
        if not self._slow.isActive():
            self._slow.start()

    @Slot()
    def _follow(self) -> None:
        """Read the values at the playhead, at the pace of redraws."""
        if not self._is_whole:
            return
        position = self.playhead.position
        whole = position >= self.playhead.end
        self.readouts.show_at(
            position, whole=whole, part=self._part() if whole else None
        )
        self.slots.show_at(position)
        if position < self.playhead.end:
            self.happenings.log.show_at(position)

    def _part(self) -> tuple[Window, str] | None:
        """Get the part of the charts that the user looks at, None for all of it."""
        record, part = self._record, self.pane.chart.part.now
        if record is None or part.is_whole:
            return None
        origin = record.layer.origin
        start, end = (origin + round(x * SECOND) for x in (part.start, part.end))
        return (start, end), f"{part.label}, {part.span_text}"

    @Slot(float)
    def _seek(self, x: float) -> None:
        """Take the playhead to where the user clicked."""
        if self._record is not None:
            self.playhead.seek(self._record.layer.origin + int(x * SECOND))

    @Slot()
    def show_notes(self) -> None:
        """Show what has been noted since."""
        self.pane.chart.refresh()
        if self._record is not None:
            self.happenings.set_record(self._record)

    @Slot()
    def _want_export(self) -> None:
        if self._record is not None:
            self.export_wanted.emit(self._record.path)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Replay by keys, wherever in the charts the focus is."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if not self.press(event.key(), shift=shift):
            super().keyPressEvent(event)

    @Slot()
    def _take_keys(self) -> None:
        """Let Up and Down choose the speed after a click on Play."""
        (self.pane.chart if self.pane.isVisible() else self.slots).setFocus()

    def press(self, key: int, *, shift: bool) -> bool:
        """Act on a key of the replay; tell whether it meant anything."""
        moves = self.tabs.currentWidget() in self._moving and self._record is not None
        return moves and self.replay.press(key, shift=shift)

    @Slot()
    def _show_replay(self) -> None:
        """Offer the replay where something moves with it."""
        if not self.pane.isVisible():
            self._show_rest()
        self.replay.setVisible(self.tabs.currentWidget() in self._moving)
        self._bar.setVisible(self.tabs.currentWidget() is self._moving[0])

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the replay of a page that nobody sees."""
        super().hideEvent(event)
        self.playhead.pause()

    def shut(self) -> None:
        """Let go of charts and session; called once, when no work is going on."""
        self.playhead.pause()
        self._slow.stop()
        self.pane.chart.close_plots()
        self.report.inspector.shut()
        self.slots.shut()
        if self._record is not None:
            self._background.release(self._record.session.close)
