"""The pages of the window; those with charts are made when first wanted."""

from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.bench.model import Bench
from app.ui.bench.view import BenchView
from app.ui.kit.context import Context
from app.ui.kit.settings import Settings
from app.ui.run.control import RunControl
from app.ui.window.home import HomeView
from app.ui.window.navigation import Page

if TYPE_CHECKING:  # they import the charts, which takes longer than the window
    from app.ui.calc.view import CalculatorsView
    from app.ui.campaign.view import CampaignView
    from app.ui.chart.layout.layouts import Layouts
    from app.ui.compare.view import CompareView
    from app.ui.run.live_view import LiveView
    from app.ui.session.record import Record
    from app.ui.session.view import SessionsView

PAGES = (
    Page("Home", "house", "What can be done here, and the newest sessions", "Alt+Home"),
    Page("Bench", "plug", "What is connected, and whether it answers", "Ctrl+1"),
    Page("Campaigns", "list-checks", "Templates, and campaigns' steps", "Ctrl+2"),
    Page("Live", "gauge", "The run as it happens", "Ctrl+3"),
    Page("Sessions", "history", "Recorded sessions: charts, report", "Ctrl+4"),
    Page("Compare", "columns-2", "Sessions side by side", "Ctrl+5"),
    Page("Calculators", "calculator", "Capacity, reliability, links, cost", "Ctrl+6"),
)


class Pages(QStackedWidget):
    """Holds the pages.

    Attributes:
        home: The first page.
        bench: The page of the bench.
        made: The pages that exist, by name.

    Signals:
        page_made: The page of this name exists from now on, and can be connected.
    """

    page_made = Signal(str)

    def __init__(
        self,
        context: Context,
        run: RunControl,
        settings: Settings,
        *,
        bench: Bench,
        folder: Path,
    ) -> None:
        super().__init__()
        self._context = context
        self._run = run
        self._settings = settings
        self._folder = folder
        self.made: dict[str, QWidget] = {}
        self.home = HomeView(context, folder)
        self._add("Home", self.home)
        self.bench = BenchView(context, settings, bench)
        self.bench.switches.work.recording = self._recording
        self._add("Bench", self.bench)

    @cached_property
    def _layouts(self) -> "Layouts":
        """What arranges the charts of all pages."""
        from app.ui.chart.layout.layouts import Layouts  # noqa: PLC0415

        return Layouts(self._settings, parent=self)

    def _add(self, name: str, page: QWidget) -> None:
        self.made[name] = page
        self.addWidget(page)
        self.page_made.emit(name)

    @property
    def campaigns(self) -> "CampaignView":
        """The page of the campaign in hand."""
        from app.ui.campaign.view import CampaignView  # noqa: PLC0415

        page = self.made.get("Campaigns")
        if not isinstance(page, CampaignView):
            page = CampaignView(
                self._context,
                self._settings,
                bench=self.bench.bench,
                folder=self._folder,
            )
            self.bench.bench_chosen.connect(
                lambda: self.campaigns.controller.set_bench(self.bench.bench)
            )
            self._add("Campaigns", page)
        return page

    @property
    def live(self) -> "LiveView":
        """The page of the run."""
        from app.ui.run.live_view import LiveView  # noqa: PLC0415

        page = self.made.get("Live")
        if not isinstance(page, LiveView):
            page = LiveView(self._context, self._run, self._layouts)
            self._add("Live", page)
        return page

    @property
    def sessions(self) -> "SessionsView":
        """The page of recorded sessions."""
        from app.ui.session.view import SessionsView  # noqa: PLC0415

        page = self.made.get("Sessions")
        if not isinstance(page, SessionsView):
            page = SessionsView(self._context, self._folder, self._layouts)
            page.page.report.keep_in(self._settings)
            page.folder_chosen.connect(self._take_folder)
            self._add("Sessions", page)
        return page

    @property
    def compare(self) -> "CompareView":
        """The page of sessions side by side."""
        from app.ui.compare.view import CompareView  # noqa: PLC0415

        page = self.made.get("Compare")
        if not isinstance(page, CompareView):
            page = CompareView(self._context, self._folder, self._layouts)
            page.keep_in(self._settings)
            self._add("Compare", page)
        return page

    @property
    def calculators(self) -> "CalculatorsView":
        """The page of the calculators."""
        from app.ui.calc.view import CalculatorsView  # noqa: PLC0415

        page = self.made.get("Calculators")
        if not isinstance(page, CalculatorsView):
            page = CalculatorsView(self._context, self._folder)
            self._add("Calculators", page)
        return page

    @property
    def folder(self) -> Path:
        """Where the sessions are."""
        return self._folder

    def show_page(self, name: str) -> None:
        """Show a page, and make it when it is wanted for the first time."""
        page: QWidget = getattr(self, name.lower())
        self.setCurrentWidget(page)
        page.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def shown_record(self) -> "tuple[Record, int] | None":
        """Get the session the user looks at, and the moment in it.

        That is where the mouse is in its charts, else where its playhead stands.
        """
        if self.currentWidget() is self.made.get("Sessions"):
            record, page = self.sessions.record, self.sessions.page
            head, chart = page.playhead, page.pane.chart
        elif "Live" in self.made:
            record, head = self.live.record, self.live.playhead
            chart = self.live.panel.pane.chart
        else:
            return None
        if record is None:
            return None
        cursor = chart.cursor_ns
        return record, head.position if cursor is None else cursor

    def _recording(self) -> Path | None:
        """Get the session that is being recorded and followed here, if any."""
        record = self.live.record if "Live" in self.made else None
        if record is None or not self.live.is_following:
            return None
        return record.path

    @property
    def can_mark(self) -> bool:
        """Whether a note makes sense where the user looks: not after a run's end."""
        if self.shown_record() is None:
            return False
        on_sessions = self.currentWidget() is self.made.get("Sessions")
        return on_sessions or self.live.is_following

    def refresh_lists(self) -> None:
        """List the sessions again, where they are listed or estimates rest on them."""
        if "Sessions" in self.made:
            self.sessions.refresh()
        if "Compare" in self.made:
            self.compare.refresh()
        if "Campaigns" in self.made:
            self.campaigns.controller.begin()

    def _take_folder(self, folder: Path) -> None:
        self._folder = self.home.folder = folder
        if "Compare" in self.made:
            self.compare.set_folder(folder)
        if "Calculators" in self.made:
            self.calculators.folder = folder
        if "Campaigns" in self.made:
            self.campaigns.controller.set_folder(folder)

    def shut(self) -> None:
        """Let go of charts and sessions; called once, when no work is going on.

        A page that fails keeps none of the others open.
        """
        with ExitStack() as stack:
            if "Campaigns" in self.made:
                stack.callback(self.campaigns.shut)
            if "Live" in self.made:
                stack.callback(self.live.shut)
            if "Sessions" in self.made:
                stack.callback(self.sessions.shut)
            if "Compare" in self.made:
                stack.callback(self.compare.shut)
