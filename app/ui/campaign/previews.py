"""What is worked out of the campaign in hand: its estimate, and its commands."""

from collections.abc import Sequence

from PySide6.QtCore import Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from app.operations.editing.commands import CommandPreview
from app.operations.run.foresee import Forecast
from app.ui.kit.focus import lead_focus
from app.ui.kit.labels import WrappedLabel
from app.ui.kit.theme import tabular
from app.ui.kit.widgets import column, make_note, named, row
from instruments.errors import printable
from instruments.sizes import counted

_NAMES = ("Duration", "Written", "Energy", "Cost")
_UNKNOWN = "\N{EN DASH}"


class ForecastStrip(QWidget):
    """Four figures in a row, each with what it rests on as its tool tip."""

    def __init__(self) -> None:
        super().__init__()
        strip = row(of=self, margins=(14, 7, 14, 8), spacing=8)
        self.values: dict[str, QLabel] = {}
        for name in _NAMES:
            title = named(QLabel(name), "", look="small")
            value = named(WrappedLabel(_UNKNOWN), f"Estimated {name.lower()}")
            value.setFont(tabular())
            strip.addLayout(column(title, value, None, spacing=1), 1)
            self.values[name] = value
        self.setAccessibleName("Estimate")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a line above, where a page ends that can be scrolled."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.drawLine(0, 0, self.width(), 0)

    @Slot(object)
    def show_forecasts(self, found: Sequence[Forecast] | None) -> None:
        """Show what was estimated; None says that nothing can be while it is wrong."""
        forecasts = {one.name: one for one in found or ()}
        for name, label in self.values.items():
            if (one := forecasts.get(name)) is not None:
                label.setText(one.value)
                label.setToolTip(f"{one.value}\n{one.basis}")
            elif found is None:
                label.setText(_UNKNOWN)
                label.setToolTip("Nothing can be estimated while there is a mistake")


_MOST = 60
_NO_COMMANDS = "There are no commands while the campaign has a mistake."


class CampaignCommands(QWidget):
    """Shows commands and the files they are given; text that can be copied.

    Attributes:
        text: Where they are shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        named(self.text, "Commands of the selected steps", look="raw")
        self.about = make_note()
        self.about.setContentsMargins(14, 8, 14, 4)
        column(self.about, self.text, of=self, grows=self.text, spacing=0)
        lead_focus(self, self.text)

    def show_previews(
        self, previews: Sequence[CommandPreview] | None, bench: str
    ) -> None:
        """Show what would be run; of very many rows the first; None for a mistake."""
        if previews is None:
            self.text.clear()
            self.about.setText(_NO_COMMANDS)
            return
        shown = previews[:_MOST]
        parts = [f"## {one.label}\n{one.text}\n" for one in shown]
        if len(previews) > len(shown):
            parts.append(f"... and {counted(len(previews) - len(shown), 'more row')}")
        text = printable("\n".join(parts), "\n\t")
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        self.about.setText(
            f"What the selected steps run on {bench}. Bayscope starts the same "
            "commands, in their own folder, without O_DIRECT where the target has none."
        )
