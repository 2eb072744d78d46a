"""The text with fio jobs: pasted, typed or read from a file, with numbered lines."""

from app.ui.campaign.text import CampaignText
from app.ui.kit.theme import Theme

_HINT = (
    "Paste command lines of fio, a shell script, a batch file\n"
    "or a job file here, or open a file.\n\n"
    "Nothing of it is run, and no disk that it names is taken."
)


class JobTextEdit(CampaignText):
    """A text with its own undo; the lines of a finding are marked in it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.colours.setDocument(None)  # those are of a campaign.toml
        self.setUndoRedoEnabled(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName("Text with fio jobs")
        self.setPlaceholderText(_HINT)
        self.undo_wanted.connect(self.undo)
        self.redo_wanted.connect(self.redo)

    def show_lines(self, lines: tuple[int, ...]) -> None:
        """Mark lines, counted from 1, and go to the first one."""
        self.mark_lines(lines)
        if lines:
            self.go_to(lines[0])
