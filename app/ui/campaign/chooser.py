"""The campaigns on offer: those that ship, and files of the user."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.operations.editing.templates import shipped
from app.plan.campaign import Campaign, load_campaign
from app.ui.kit.clock import clock
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.widgets import make_choose_button, named, row
from instruments.errors import BenchError, one_line
from instruments.sizes import counted

_MOST_LABELS = 8


@dataclass(frozen=True, slots=True)
class Choice:
    """A campaign on offer, or a file that is not one, and why.

    Attributes:
        campaign: The campaign, None where the file has a mistake.
        file: Where it is from, None for one that ships.
        error: The mistake as a sentence.
    """

    campaign: Campaign | None
    file: Path | None = None
    error: str = ""

    @property
    def description(self) -> str:
        """What it does, and how long that takes."""
        chosen = self.campaign
        if chosen is None:
            return "Choose another campaign, or correct the file."
        labels = [label for label, _ in chosen.runs]
        shown = ", ".join(labels[:_MOST_LABELS])
        shown += " ..." if len(labels) > _MOST_LABELS else ""
        is_mentioned = "overwritten" in chosen.description
        parts = (
            f"{counted(len(labels), 'step')}, {clock(chosen.duration_s)}: {shown}.",
            chosen.description,
            "" if is_mentioned or not chosen.writes else "It overwrites its target.",
        )
        return " ".join(part for part in parts if part)


class CampaignChooser(QWidget):
    """A box with the campaigns, and a button for a file.

    Attributes:
        box: The box.

    Signals:
        changed: Another one is chosen, or the chosen one was read again.
    """

    changed = Signal()

    def __init__(self, campaigns: Sequence[Campaign]) -> None:
        super().__init__()
        self._choices = [Choice(campaign) for campaign in campaigns]
        self.box = ComboBox()
        self.box.addItems([campaign.name for campaign in campaigns])
        named(self.box, "Campaign", "What is run (Alt+C)")
        self.box.currentIndexChanged.connect(self.changed)
        choose = make_choose_button("Choose campaign", self._choose)
        row(self.box, choose, of=self, grows=self.box, spacing=6)

    @property
    def choice(self) -> Choice:
        """What is chosen."""
        return self._choices[self.box.currentIndex()]

    def add(self, path: Path) -> None:
        """Offer a campaign file and choose it; one with a mistake cannot start."""
        try:
            campaign = load_campaign(path)
        except BenchError as error:
            self._offer(Choice(None, path, str(error)), f"{path.name}  (not valid)")
        else:
            self._offer(Choice(campaign, path), f"{campaign.name}  ({path.name})")

    def choose(self, campaign: Campaign, file: Path | None) -> None:
        """Choose a campaign, offered before or not.

        A file is read again; one that is gone is run as it was.
        """
        offered = [choice.campaign for choice in self._choices]
        if file is not None and file.exists():
            self.add(file)
        elif campaign in offered:
            self.box.setCurrentIndex(offered.index(campaign))
        else:
            how = "as edited" if file is None else f"{file.name} as it was"
            self._offer(Choice(campaign), f"{campaign.name}  ({how})")

    def _offer(self, choice: Choice, name: str) -> None:
        """Choose this; a file that was offered before stands in its old place."""
        name = one_line(name)
        files_offered = [one.file for one in self._choices]
        if choice.file is not None and choice.file in files_offered:
            index = files_offered.index(choice.file)
            self._choices[index] = choice
            self.box.setItemText(index, name)
        else:
            self._choices.append(choice)
            self.box.addItem(name)
            index = self.box.count() - 1
        self.box.setCurrentIndex(index)
        self.changed.emit()

    @Slot()
    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Choose a campaign", str(Path.home()), "Campaigns (*.toml)"
        )
        if name:
            self.add(Path(name))


def shipped_campaigns() -> list[Campaign]:
    """Get the campaigns that ship with Bayscope, the demo first."""
    return [one.campaign for one in shipped() if one.campaign is not None]
