"""What is worked out of the campaign in hand off the GUI thread."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot

from app.bench.model import Bench
from app.operations.editing.commands import CommandPreview, preview
from app.operations.run.foresee import Forecast, foresee
from app.plan.campaign import Campaign
from app.ui.campaign.commands import CampaignCommands
from app.ui.campaign.file import CampaignFile
from app.ui.campaign.fio_advice import FioAdvice
from app.ui.campaign.forecast import ForecastStrip
from app.ui.kit.background import Background

_LATER_MS = 250
_NO_COMMANDS = "There are no commands while the campaign has a mistake."


class CampaignWork(QObject):
    """Keeps the estimate and the commands up with the campaign in hand.

    Args:
        file: The campaign in hand.
        background: Where it is worked out.
        bench: What it is worked out for.
        folder: Where earlier sessions are.

    Attributes:
        forecast: Where the estimate is shown.
        commands: Where the commands are shown.
        advice: What fio would do with the steps.
        rows: The steps whose commands are wanted; all where there is none.
    """

    def __init__(
        self, file: CampaignFile, background: Background, bench: Bench, folder: Path
    ) -> None:
        super().__init__(file)
        self._file = file
        self._background = background
        self._bench = bench
        self._folder = folder
        self.forecast = ForecastStrip()
        self.commands = CampaignCommands()
        self.advice = FioAdvice(file, background, bench)
        self.rows: Sequence[int] = ()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_LATER_MS)
        self._timer.timeout.connect(self._work_out)

    def set_bench(self, bench: Bench) -> None:
        """Take another bench."""
        self._bench = bench
        self.advice.set_bench(bench)
        self.begin()

    def set_folder(self, folder: Path) -> None:
        """Take another folder of earlier sessions."""
        self._folder = folder
        self.begin()

    @Slot()
    def begin(self) -> None:
        """Work it out in a moment, when nothing more has changed."""
        self._timer.start()

    @Slot()
    def _work_out(self) -> None:
        campaign, bench, folder = self._file.look().campaign, self._bench, self._folder
        if campaign is None:
            self.forecast.forget()
            self.commands.show_trouble(_NO_COMMANDS)
            return
        self._background.run(
            lambda: (campaign, foresee(campaign, bench, folder)), self._show_forecast
        )
        if not self.commands.isVisible():
            return
        steps = campaign.steps
        labels = [steps[row].label for row in self.rows if row < len(steps)]
        self._background.run(
            lambda: (campaign, preview(campaign, bench, labels or None)),
            self._show_commands,
        )

    def _show_forecast(self, found: tuple[Campaign, list[Forecast]]) -> None:
        if found[0] is self._file.look().campaign:
            self.forecast.show_forecasts(found[1])

    def _show_commands(self, found: tuple[Campaign, list[CommandPreview]]) -> None:
        if found[0] is self._file.look().campaign:
            self.commands.show_previews(found[1], self._bench.name)
