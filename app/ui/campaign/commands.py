"""The very commands of the chosen steps, as they would be run."""

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.operations.editing.commands import CommandPreview

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
