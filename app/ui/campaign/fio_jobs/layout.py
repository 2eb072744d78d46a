"""What the dialog for fio jobs is made of, and how that lies beside each other."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.ui.campaign.fio_jobs.busy import BusyLine
from app.ui.campaign.fio_jobs.tables import (
    FindingsTable,
    make_steps_table,
    make_targets_table,
)
from app.ui.campaign.fio_jobs.text import JobTextEdit
from app.ui.kit.icons import Icons
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.theme import Theme

_TEXT, _MADE = 520, 620
_UPPER, _LOWER = 270, 260
_STEPS, _TARGETS = 150, 100
_NOTHING = "What fio would really do with the text, and what is to be decided."
_NO_TARGETS = "Files and disks in the text"
_TARGETS_TIP = "What is tested says the bench: [dut] target and size"


class FioJobsLayout:
    """Widgets of the dialog: text and what is made of it above, findings below.

    Args:
        dialog: Where they go.
        theme: The look.
        icons: Icons of the theme.
    """

    def __init__(self, dialog: QDialog, theme: Theme, icons: Icons) -> None:
        self.text = JobTextEdit(theme)
        self.findings = FindingsTable(theme, icons)
        self.steps, self.steps_model = make_steps_table(theme, icons)
        self.targets, self.targets_model = make_targets_table(theme, icons)
        self.source = ElidedLabel("")
        self.source.setObjectName("muted")
        self.open_button = _button(
            icons, "folder-open", " &Open...", "Open a job file or a script (Alt+O)"
        )
        self.paste_button = _button(
            icons, "file-text", " &Paste", "Take what is on the clipboard (Alt+P)"
        )
        self.clear_button = _button(icons, "x", " C&lear", "Empty the text (Alt+L)")
        self.trouble = QLabel("")
        self.trouble.setObjectName("mistake")
        self.trouble.setWordWrap(True)
        self.trouble.setAccessibleName("Why no step can be made")
        self.busy = BusyLine(icons)
        self.steps_head = _heading("Steps")
        self.targets_head = _heading("")
        self.findings_head = _heading("Findings")
        self.counts = QLabel("")
        self.counts.setObjectName("muted")
        self.buttons = QDialogButtonBox()
        roles = QDialogButtonBox.ButtonRole
        self.new_button = self.buttons.addButton("&New campaign", roles.ActionRole)
        self.new_button.setToolTip("Begin a campaign with these steps (Alt+N)")
        self.add_button = self.buttons.addButton(
            "&Add steps to this campaign", roles.ActionRole
        )
        self.add_button.setToolTip("Put them behind the chosen step (Alt+A)")
        cancel = self.buttons.addButton("Cancel", roles.RejectRole)
        self.new_button.setDefault(True)
        for button in (self.add_button, cancel):
            button.setAutoDefault(False)
        self._lay_out(dialog)

    def _lay_out(self, dialog: QDialog) -> None:
        bar = QHBoxLayout()
        for button in (self.open_button, self.paste_button, self.clear_button):
            bar.addWidget(button)
        bar.addWidget(self.source, 1)
        made = QSplitter(Qt.Orientation.Vertical)
        made.addWidget(_below(self.steps_head, self.steps))
        self._targets_part = _below(self.targets_head, self.targets)
        made.addWidget(self._targets_part)
        made.setSizes([_STEPS, _TARGETS])
        upper = QSplitter(Qt.Orientation.Horizontal)
        upper.addWidget(self.text)
        upper.addWidget(made)
        upper.setSizes([_TEXT, _MADE])
        head = QHBoxLayout()
        head.addWidget(self.findings_head)
        head.addWidget(self.counts, 1)
        lower = QWidget()
        column = QVBoxLayout(lower)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.trouble)
        column.addLayout(head)
        column.addWidget(self.findings, 1)
        whole = QSplitter(Qt.Orientation.Vertical)
        whole.addWidget(upper)
        whole.addWidget(lower)
        whole.setSizes([_UPPER, _LOWER])
        for split in (made, upper, whole):
            split.setChildrenCollapsible(False)
            split.setHandleWidth(1)
        bottom = QHBoxLayout()
        bottom.setSpacing(10)
        bottom.addWidget(self.busy, 1)
        bottom.addWidget(self.buttons)
        layout = QVBoxLayout(dialog)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        layout.addLayout(bar)
        layout.addWidget(whole, 1)
        layout.addLayout(bottom)

    def show_heads(self, counts: str, trouble: str) -> None:
        """Say what the tables have, and why no step could be made."""
        steps, targets = self.steps_model.rowCount(), self.targets_model.rowCount()
        self.steps_head.setText(f"Steps ({steps})" if steps else "Steps")
        self.targets_head.setText(f"{_NO_TARGETS}, not taken ({targets})")
        self.targets_head.setToolTip(_TARGETS_TIP)
        self._targets_part.setVisible(bool(targets))
        self.counts.setText(counts or _NOTHING)
        self.trouble.setText(trouble)
        self.trouble.setVisible(bool(trouble))


def _button(icons: Icons, icon: str, text: str, tip: str) -> QPushButton:
    button = QPushButton(icons.get(icon), text)
    button.setToolTip(tip)
    button.setAutoDefault(False)
    return button


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("heading")
    return label


def _below(head: QLabel, part: QWidget) -> QWidget:
    found = QWidget()
    column = QVBoxLayout(found)
    column.setContentsMargins(10, 6, 0, 6)
    column.setSpacing(4)
    column.addWidget(head)
    column.addWidget(part, 1)
    return found
