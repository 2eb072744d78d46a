"""What is seen of a run: steps, charts or slots over the events, read-outs."""

from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QSplitter, QTabWidget

from app.ui.chart.pane import ChartPane
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.theme import Theme
from app.ui.run.live_news import BEAT_MS, News
from app.ui.run.step_list import StepList, step_lines
from app.ui.session.event_log import EventLog
from app.ui.session.readouts import ReadoutPanel
from app.ui.session.record import Record
from app.ui.session.slots.page import SlotPage


class LiveBoard(QSplitter):
    """Shows a session at its end.

    Attributes:
        steps: Its steps.
        pane: Its charts.
        slots: Its slots.
        tabs: What holds both.
        log: Its events.
        readouts: Its values.
    """

    def __init__(self, theme: Theme, icons: Icons, background: Background) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.steps = StepList(theme, icons)
        self.pane = ChartPane(theme, icons, background)
        self.pane.chart.set_interval(BEAT_MS // 2)
        self.slots = SlotPage(theme, icons, background)
        self.tabs = QTabWidget()
        self.log = EventLog(theme, icons)
        self.readouts = ReadoutPanel(theme, background, "Live readings")
        self.readouts.values_shown.connect(self.pane.chart.set_current)
        self._bar = self.pane.lend_bar()
        self._build()

    def _build(self) -> None:
        self.tabs.addTab(self.pane, "&Charts")
        self.tabs.addTab(self.slots, "S&lots")
        self.tabs.setTabToolTip(0, "Traces over time (Alt+C)")
        self.tabs.setTabToolTip(1, "Temperatures at their places (Alt+L)")
        self.tabs.setCornerWidget(self._bar)
        self.tabs.currentChanged.connect(self._show_bar)
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("Charts or slots")
        middle = QSplitter(Qt.Orientation.Vertical)
        middle.addWidget(self.tabs)
        middle.addWidget(self.log)
        middle.setStretchFactor(0, 5)
        middle.setStretchFactor(1, 1)
        middle.setSizes([560, 150])
        middle.setHandleWidth(1)
        middle.setChildrenCollapsible(False)
        self.addWidget(self.steps)
        self.addWidget(middle)
        self.addWidget(self.readouts)
        self.setStretchFactor(1, 1)
        self.setSizes([320, 776, 212])
        self.setHandleWidth(1)

    @Slot()
    def _show_bar(self) -> None:
        """Offer span and zoom where there are charts."""
        self._bar.setVisible(self.tabs.currentWidget() is self.pane)

    def set_record(self, record: Record) -> None:
        """Show another session."""
        info = record.session.info
        self.pane.set_title(info.dut, simulated=info.simulated)
        self.steps.set_title(info.name)
        self.pane.chart.set_layers([record.layer])
        self.readouts.set_record(record)
        self.slots.set_record(record)

    def show_news(self, news: News, now: int, share: str) -> None:
        """Show what has come since.

        Args:
            news: What the store knows.
            now: Moment at the end, in nanoseconds.
            share: How much of the running step is done, "" where none is.
        """
        record = news.record
        layer = replace(record.layer, end=max(record.layer.end, now))
        self.readouts.set_record(record)
        self.readouts.show_at(now)
        self.slots.set_record(record)
        self.slots.show_at(now)
        self.pane.chart.advance([layer], now)
        self.steps.set_lines(step_lines(news.steps, now, share))
        self.log.set_events(news.log, record.wall_time)

    def name_readings(self, *, live: bool) -> None:
        """Say whether the readings go on or are the last ones."""
        self.readouts.set_title("Live readings" if live else "Last readings")

    def shut(self) -> None:
        """Let go of the charts."""
        self.pane.chart.close_plots()
        self.slots.shut()
