"""What makes one of two compared sessions doubtful, in a few words."""

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel

from app.analysis.compare import About
from app.ui.compare.pair import NAMES

_ONE_LINE = 110
"""So many letters stand in one line."""


class CompareDoubts(QLabel):
    """Verdicts that are no pass, warnings, and how many notes there are."""

    def __init__(self) -> None:
        super().__init__("")
        self.setObjectName("muted")
        self.setWordWrap(True)
        self.setContentsMargins(12, 4, 12, 4)

    def tell(self, sessions: Sequence[About], setups: str = "") -> None:
        """Say what is doubtful of each; every note is in the tool tip.

        Args:
            sessions: What has to be known of each.
            setups: How their devices and benches differ; "" where they do not.
        """
        told, notes = [], []
        for name, one in zip(NAMES, sessions, strict=True):
            doubts = [] if one.verdict == "PASS" else [one.verdict]
            doubts += one.warnings
            if one.notes:
                doubts.append(f"{len(one.notes)} notes")
            told += [f"{name}: {', '.join(doubts)}"] if doubts else []
            notes += [f"{name}: {note}" for note in one.notes]
        is_short = sum(map(len, told)) < _ONE_LINE
        doubts_told = ("     " if is_short else "\n").join(told)
        self.setText("\n".join(filter(None, (setups, doubts_told))))
        self.setToolTip("\n".join(notes))
        self.setVisible(bool(self.text()))
