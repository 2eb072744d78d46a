"""What to run, on which bench, and where the session goes."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.bench import Bench
from app.plan.campaign import Campaign
from app.ui.campaign_chooser import CampaignChooser, shipped_campaigns
from app.ui.entries import read_path, read_size
from app.ui.entry_form import EntryForm, make_choose_button
from app.ui.icons import Icons
from app.ui.run_control import RunPlan
from app.ui.settings import Settings
from instruments.errors import BadInput
from workloads.sizes import format_size

_WIDTH = 600
_LAST = "campaign"


class StartDialog(QDialog):
    """Asks for campaign, scratch file, folder and sources; all have a default.

    Args:
        bench: The bench to run on.
        out: Folder of the session file.
        icons: Icons of the theme.
        campaigns: What is offered; the first is chosen.
        last: The campaign file to choose instead, where there is one.
    """

    def __init__(
        self,
        bench: Bench,
        out: Path,
        icons: Icons,
        campaigns: Sequence[Campaign],
        parent: QWidget | None = None,
        *,
        last: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Start run")
        self._bench = bench
        self._icons = icons
        self._plan: RunPlan | None = None
        self.campaigns = CampaignChooser(campaigns)
        self.campaigns.changed.connect(self._describe)
        self.target = QLineEdit(str(bench.dut.target))
        self.target.setAccessibleName("Scratch file")
        self.target.setToolTip("The file that the load reads and writes (Alt+S)")
        self.amount = QLineEdit(format_size(bench.dut.size))
        self.amount.setAccessibleName("Size of the scratch file")
        self.amount.setFixedWidth(84)
        self.amount.setToolTip("Bytes the load uses, such as 512m or 4g; at least 16m")
        self.out = QLineEdit(str(out))
        self.out.setAccessibleName("Folder of the session")
        self.out.setToolTip("Where the session file is written (Alt+F)")
        self.sources = [QCheckBox(one.name) for one in bench.sources]
        self._about = QLabel("")
        self._about.setObjectName("muted")
        self._about.setWordWrap(True)
        self.form = EntryForm()
        self.buttons = QDialogButtonBox()
        self._build()
        self._describe()
        if last is not None and last.is_file():
            self.campaigns.add(last)

    def _build(self) -> None:
        form, bench = self.form, self._bench
        form.add_row("&Campaign", self.campaigns, buddy=self.campaigns.box)
        form.add_row("", self._about)
        label = " (simulated)" if bench.is_simulated else ""
        form.add_row("Bench", QLabel(f"{bench.name}{label}, {bench.dut.name}"))
        form.add_fields(
            "&Scratch file",
            {self.target: "the scratch file", self.amount: "the size"},
            make_choose_button("Choose target", self._aim),
        )
        form.add_fields(
            "&Folder",
            {self.out: "the folder"},
            make_choose_button("Choose folder", self._place),
        )
        form.add_row("Must answer", self._make_sources())
        self._build_buttons()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(12)
        layout.addWidget(form)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(_WIDTH)
        # Only now, in its dialog: before, the box would give Cancel the Enter key.
        self._start.setDefault(True)
        self._start.setFocus()

    def _make_sources(self) -> QWidget:
        found = QWidget()
        row = QHBoxLayout(found)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(14)
        for box in self.sources:
            box.setChecked(True)
            box.setToolTip(
                "Unticked: the run may start without it, and the table shows the gap"
            )
            row.addWidget(box)
        row.addStretch(1)
        return found

    def _build_buttons(self) -> None:
        roles = QDialogButtonBox.ButtonRole
        self._start = self.buttons.addButton("Start", roles.AcceptRole)
        self._start.setIcon(self._icons.get("play", "accent_text"))
        self._start.setToolTip("Start recording (Enter)")
        cancel = self.buttons.addButton("Cancel", roles.RejectRole)
        cancel.setToolTip("Start nothing (Escape)")
        cancel.setAutoDefault(False)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    @property
    def plan(self) -> RunPlan | None:
        """What was asked for, once the dialog was accepted."""
        return self._plan

    @property
    def error(self) -> str:
        """The sentence about what cannot be started, "" without one."""
        return self.form.complaint

    @Slot()
    def _describe(self) -> None:
        choice = self.campaigns.choice
        self.form.forget()
        self._start.setEnabled(choice.campaign is not None)
        self._about.setText(choice.description)
        if choice.campaign is None:
            self.form.complain(choice.error)
        elif self.isVisible():
            # Not before the layouts know of the other text.
            QTimer.singleShot(0, self, self.adjustSize)

    def set_plan(self, plan: RunPlan, problem: str) -> None:
        """Show the choices of a run that did not begin, and why it did not."""
        self.campaigns.choose(plan.campaign, plan.file)
        self.target.setText(str(plan.bench.dut.target))
        self.amount.setText(format_size(plan.bench.dut.size))
        self.out.setText(str(plan.out))
        for box in self.sources:
            box.setChecked(box.text() not in plan.without)
        if self._start.isEnabled():
            self.form.complain(problem, self._field_of(problem))

    def _field_of(self, problem: str) -> QLineEdit | None:
        """Get the field that a sentence is about; None for no one field."""
        if problem.startswith("target "):
            return self.target
        return self.out if problem.startswith(self.out.text()) else None

    @Slot()
    def _aim(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self,
            "Scratch file",
            self.target.text(),
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if name:
            self.target.setText(name)

    @Slot()
    def _place(self) -> None:
        name = QFileDialog.getExistingDirectory(
            self, "Folder of the session", self.out.text()
        )
        if name:
            self.out.setText(name)

    def accept(self) -> None:
        """Take what was entered; a mistake is said and nothing is started."""
        choice = self.campaigns.choice
        if choice.campaign is None:
            self.form.complain(choice.error)
            return
        field = self.target
        try:
            target = read_path(field.text(), "the scratch file")
            field = self.amount
            size = read_size(field.text())
            field = self.out
            out = read_path(field.text(), "the folder")
        except BadInput as error:
            self.form.complain(str(error), field)
            return
        bench = self._bench.with_target(target, size)
        without = [box.text() for box in self.sources if not box.isChecked()]
        self._plan = RunPlan(choice.campaign, bench, out, without, choice.file)
        super().accept()


def ask_for_run(
    bench: Bench,
    out: Path,
    icons: Icons,
    settings: Settings,
    parent: QWidget,
    *,
    again: RunPlan | None = None,
    problem: str = "",
) -> RunPlan | None:
    """Show the dialog; None when the user thinks better of it.

    Args:
        bench: The bench to run on.
        out: Folder of the session file.
        icons: Icons of the theme.
        settings: Where the last campaign file is kept.
        parent: The window that waits.
        again: A run that did not begin, whose choices are shown again.
        problem: Why it did not.
    """
    kept = settings.get(_LAST)
    last = Path(kept) if kept and again is None else None
    dialog = StartDialog(bench, out, icons, shipped_campaigns(), parent, last=last)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    if again is not None:
        dialog.set_plan(again, problem)
    try:
        plan = dialog.plan if dialog.exec() else None
    finally:
        dialog.deleteLater()
    if plan is not None:
        settings.put(_LAST, str(plan.file.absolute()) if plan.file else "")
    return plan
