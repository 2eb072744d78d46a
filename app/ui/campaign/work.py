"""What is worked out of the campaign in hand off the GUI thread."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.bench.model import Bench
from app.operations.editing.commands import CommandPreview, preview
from app.operations.run.foresee import Forecast, foresee
from app.plan.campaign import Campaign
from app.ui.campaign.file import CampaignFile
from app.ui.campaign.fio_advice import FioAdvice
from app.ui.kit.background import Background
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.theme import tabular

_NAMES = ("Duration", "Written", "Energy", "Cost")
_UNKNOWN = "\N{EN DASH}"


class ForecastStrip(QWidget):
    """Four figures in a row, each with what it rests on as its tool tip."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 7, 14, 8)
        row.setSpacing(18)
        self.values: dict[str, QLabel] = {}
        for name in _NAMES:
            title = QLabel(name)
            title.setObjectName("small")
            value = ElidedLabel(_UNKNOWN)
            value.setFont(tabular())
            value.setAccessibleName(f"Estimated {name.lower()}")
            column = QVBoxLayout()
            column.setSpacing(1)
            column.addWidget(title)
            column.addWidget(value)
            row.addLayout(column, 1)
            self.values[name] = value
        self.setAccessibleName("Estimate")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a line above, where a page ends that can be scrolled."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.drawLine(0, 0, self.width(), 0)

    def show_forecasts(self, found: Sequence[Forecast]) -> None:
        """Show what was estimated."""
        for one in found:
            if one.name in self.values:
                self.values[one.name].setText(one.value)
                self.values[one.name].setToolTip(f"{one.value}\n{one.basis}")

    def forget(self) -> None:
        """Show that nothing can be estimated of a campaign with a mistake."""
        for value in self.values.values():
            value.setText(_UNKNOWN)
            value.setToolTip("Nothing can be estimated while there is a mistake")


_MOST = 60


class CampaignCommands(QWidget):
    """Shows commands and the files they are given; text that can be copied.

    Attributes:
        text: Where they are shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.text = QPlainTextEdit()
        self.text.setObjectName("raw")
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName("Commands of the chosen steps")
        self.about = QLabel("")
        self.about.setObjectName("muted")
        self.about.setWordWrap(True)
        self.about.setContentsMargins(14, 8, 14, 4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.about)
        layout.addWidget(self.text, 1)
        self.setFocusProxy(self.text)

    def show_previews(self, previews: Sequence[CommandPreview], bench: str) -> None:
        """Show what would be run; of very many rows the first."""
        shown = previews[:_MOST]
        parts = [f"## {one.label}\n{one.text}\n" for one in shown]
        if len(previews) > len(shown):
            parts.append(f"... and {len(previews) - len(shown)} rows more")
        text = "\n".join(parts)
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        self.about.setText(
            f"What the chosen steps run on {bench}. Bayscope starts the same commands, "
            "in a folder of its own; O_DIRECT is left out where the target has none."
        )

    def show_trouble(self, sentence: str) -> None:
        """Say why there is nothing to show."""
        self.text.clear()
        self.about.setText(sentence)


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
