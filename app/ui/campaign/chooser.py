"""The campaigns on offer: those that ship, and files of the user."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.operations.editing.templates import shipped
from app.plan.campaign import Campaign, load_campaign
from app.ui.kit.background import Background
from app.ui.kit.clock import clock
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.widgets import make_choose_button, named, row
from instruments.errors import BenchError, one_line
from instruments.sizes import counted

_MOST_LABELS = 8


@dataclass(frozen=True, slots=True)
class Choice:
    """A campaign on offer, or a file that is none (yet), and why.

    Attributes:
        campaign: The campaign, None where the file has a mistake or is being read.
        file: Where it is from, None for one that ships.
        error: The mistake as a sentence, "" as long as the file is being read.
    """

    campaign: Campaign | None
    file: Path | None = None
    error: str = ""

    @property
    def is_being_read(self) -> bool:
        """Whether nobody knows yet what the file has."""
        return self.campaign is None and not self.error

    @property
    def name(self) -> str:
        """What it is called in the box."""
        file = "" if self.file is None else self.file.name
        if self.campaign is not None:
            return f"{self.campaign.name}  ({file})" if file else self.campaign.name
        return f"{file}  ({'being read' if self.is_being_read else 'not valid'})"

    @property
    def description(self) -> str:
        """What it does, and how long that takes."""
        chosen = self.campaign
        if self.is_being_read:
            return f"Reading {self.file} ... Wait, or choose another campaign."
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

    Files are read in the background: their folder may be on a server that is gone.

    Attributes:
        box: The box.

    Signals:
        changed: Another one is chosen, or the chosen one was read again.
    """

    changed = Signal()

    def __init__(self, campaigns: Sequence[Campaign], background: Background) -> None:
        super().__init__()
        self._background = background
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
        self._read(path, None)

    def choose(self, campaign: Campaign, file: Path | None) -> None:
        """Choose a campaign, offered before or not.

        A file is read again; one that is gone is run as it was.
        """
        offered = [choice.campaign for choice in self._choices]
        if file is not None:
            self._read(file, campaign)
        elif campaign in offered:
            self.box.setCurrentIndex(offered.index(campaign))
        else:
            self._offer(Choice(campaign), f"{campaign.name}  (as edited)")

    def _read(self, path: Path, known: Campaign | None) -> None:
        """Choose a file, of which one knows perhaps what it had."""
        self._offer(Choice(None, path))
        self._background.run(partial(_load, path, known), partial(self._take, path))

    def _take(self, path: Path, found: Choice) -> None:
        """Put what was read where its file stands; something else may be chosen now."""
        name = found.name if found.file else f"{found.name}  ({path.name} as it was)"
        index = self._files.index(path) if path in self._files else -1
        if index < 0:  # read twice at once, and gone
            return
        self._choices[index] = found
        self.box.setItemText(index, one_line(name))
        if index == self.box.currentIndex():
            self.changed.emit()

    @property
    def _files(self) -> list[Path | None]:
        return [choice.file for choice in self._choices]

    def _offer(self, choice: Choice, name: str = "") -> None:
        """Choose this; a file that was offered before stands in its old place."""
        name = one_line(name or choice.name)
        if choice.file is not None and choice.file in self._files:
            index = self._files.index(choice.file)
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


def _load(path: Path, known: Campaign | None) -> Choice:
    """Read a campaign file; one that is gone is as it was, where that is known."""
    try:
        return Choice(load_campaign(path), path)
    except BenchError as error:
        if known is not None and isinstance(error.__cause__, FileNotFoundError):
            return Choice(known)
        return Choice(None, path, str(error))


def shipped_campaigns() -> list[Campaign]:
    """Get the campaigns that ship with Bayscope, the demo first."""
    return [one.campaign for one in shipped() if one.campaign is not None]
