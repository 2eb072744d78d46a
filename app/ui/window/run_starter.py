"""The way from the wish to run something to a run that has begun."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.ui.kit.background import Background
from app.ui.run.control import RunControl, RunPlan
from app.ui.run.queue import RunQueue
from app.ui.run.start_asking import RunAsking
from app.ui.window.pages import Pages
from instruments.errors import Aborted, BadInput, BenchError

if TYPE_CHECKING:
    from app.operations.editing.templates import Template
    from app.operations.preflight.finding import Finding
    from app.operations.run.resume import Unfinished
    from app.ui.campaign.chooser import Choice


class RunStarter(QObject):
    """Asks for a run until one begins, or the user thinks better of it.

    Args:
        run: What runs it.
        pages: Where bench, campaign in hand and folder are.
        asking: The dialog that asks.
        parent: The window.
        show_page: Shows the page with a name, where the user mends what is wrong.
        background: Where templates are read.

    Attributes:
        queue: What waits.

    Signals:
        begun: This one (RunPlan) is being started.
        refused: The run that was being started did not begin; it is asked for again.
        failed: A run did not begin, or broke, with this exception.
    """

    begun = Signal(object)
    refused = Signal()
    failed = Signal(object)

    def __init__(
        self,
        run: RunControl,
        pages: Pages,
        asking: RunAsking,
        parent: QObject,
        *,
        show_page: Callable[[str], None],
        background: Background,
    ) -> None:
        super().__init__(parent)
        self._run = run
        self._pages = pages
        self._asking = asking
        self._show_page = show_page
        self._background = background
        self._is_over = False
        self.queue = RunQueue(run, background, self)
        self.queue.due.connect(self._begin)
        self.queue.failed.connect(self.failed)
        run.failed.connect(self._fail)

    @Slot()
    def ask(self) -> None:
        """Ask what to run."""
        self.ask_again(None)

    @Slot()
    def ask_for_campaign(self) -> None:
        """Ask for a run of the campaign in hand."""
        page, bench = self._pages.campaigns, self._pages.bench.bench
        if page.campaign is not None:
            folder: Path = self._pages.folder
            self.ask_again(RunPlan(page.campaign, bench, folder, (), page.source))

    @Slot()
    def ask_left(self) -> None:
        """Ask for each run that waited before again, until one is not wanted."""
        for plan in tuple(self.queue.left):
            if not self.ask_again(plan):
                return
            self.queue.forget_left(plan)

    def ask_again(self, again: RunPlan | None, error: BenchError | None = None) -> bool:
        """Ask, with the choices of a run that was wanted before and why it is not.

        Returns:
            Whether it starts now, or waits.
        """
        if self._is_over:
            return False
        bench = self._pages.bench.bench if again is None else again.bench
        try:
            plan = self._asking.ask(
                bench,
                self._pages.folder,
                again=again,
                error=error,
                run=self._run,
            )
        except BenchError as refused:
            self.failed.emit(refused)
            return False
        if plan is not None:
            self.begin(plan)
        elif self._asking.mends is not None:
            self._mend(self._asking.mends, self._asking.chosen)
        return plan is not None

    def _mend(self, finding: "Finding", chosen: "Choice | None") -> None:
        """Show where a line of the pre-flight is mended: at a source, or the campaign.

        Args:
            finding: The line.
            chosen: The campaign that was to be run.
        """
        # Only now: they take every engine.
        from app.operations.editing.templates import shipped  # noqa: PLC0415
        from app.operations.preflight.finding import Help  # noqa: PLC0415

        if finding.help is Help.BENCH:
            self._show_page("Bench")
            self._pages.bench.choose(finding.detail)
            return
        self._show_page("Campaigns")
        page = self._pages.campaigns
        campaign = None if chosen is None else chosen.campaign
        if chosen is None or campaign is None or campaign == page.campaign:
            return
        if chosen.file is None:
            name = campaign.name
            self._background.run(
                lambda: [one for one in shipped() if one.name == name],
                self._take,
            )
        elif page.files.saving.may_leave():
            page.files.open(chosen.file)

    def _take(self, templates: "list[Template]") -> None:
        for template in templates:
            self._pages.campaigns.files.take(template)

    @Slot()
    def begin_demo(self) -> None:
        """Run the demo on the simulated bench, at once."""

        def plan() -> RunPlan:
            from app.bench.file import default_bench  # noqa: PLC0415
            from app.operations.run.demo import demo_campaign  # noqa: PLC0415

            return RunPlan(demo_campaign(), default_bench(), self._pages.folder)

        self._background.run(plan, self._begin_if_free)

    @Slot()
    def begin_readings(self) -> None:
        """Record what the bench in hand measures, with whatever answers."""
        bench = self._pages.bench.bench

        def plan() -> RunPlan:
            from app.plan.campaign import parse_campaign  # noqa: PLC0415
            from resources import read_text  # noqa: PLC0415

            name = "readings.toml"
            campaign = parse_campaign(read_text("campaigns", name), name)
            without = [source.name for source in bench.sources]
            return RunPlan(campaign, bench, self._pages.folder, without)

        self._background.run(plan, self._begin_if_free)

    @Slot(object)
    def _begin_if_free(self, plan: RunPlan) -> None:
        if not (self._run.is_running or self._is_over):
            self.begin(plan)

    def begin(self, plan: RunPlan) -> None:
        """Run a plan, or let it wait for its time, or for the run that goes on.

        That one may have begun while this one was asked for.
        """
        if self._run.is_running or plan.at is not None:
            self.queue.add(plan)
        else:
            self._begin(plan)

    @Slot(object)
    def _begin(self, plan: RunPlan) -> None:
        self.begun.emit(plan)
        self._run.start(plan)

    @Slot()
    def repeat(self) -> None:
        """Ask for the last run again; what was typed for a disk is typed again."""
        plan = self._run.plan
        if plan is None:
            self.ask()
        else:
            again = replace(plan, resume=None, left=(), confirmed="", at=None)
            self.ask_again(again)

    @Slot(object)
    def go_on(self, left: "Unfinished") -> None:
        """Go on with a run that was cut off; what has to be typed is typed again.

        One from elsewhere goes on only where a person has seen what it would do.
        """
        from app.ui.run.resume_plan import needs_words, plan_of  # noqa: PLC0415

        if self._run.is_running or self._is_over:
            return
        try:
            is_meant = self._asking.confirm(left, self._pages.bench.bench)
        except BadInput as error:
            self.failed.emit(error)
            return
        if not is_meant:
            return
        plan = plan_of(left)
        if needs_words(plan):
            self.ask_again(plan)
        else:
            self.begin(plan)

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        """Ask again where nothing was begun; the choices stay as they were."""
        plan = self._run.plan
        if (
            plan is None
            or not isinstance(error, BenchError)
            or isinstance(error, Aborted)
            or self._run.has_begun
            or plan.unattended
        ):
            self.failed.emit(error)
        elif not self._is_over:
            self.refused.emit()
            # Not from within the signal: others want to hear of it as well.
            QTimer.singleShot(0, self, lambda: self.ask_again(plan, error))

    def end(self) -> None:
        """Ask nothing and start nothing any more: the window is being closed."""
        self._is_over = True
        self.queue.end()
