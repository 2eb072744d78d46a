"""The choices of a run: campaign, target, folder, and the sources that must answer."""

import contextlib
from collections.abc import Sequence
from glob import has_magic
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QGridLayout,
    QLineEdit,
    QWidget,
)

from app.bench.model import Bench
from app.operations.bench.aim import Aim, aimed
from app.operations.bench.arming_disks import read_paths
from app.operations.sessions.facts import user_name
from app.plan.campaign import Campaign
from app.plan.shorten import shortened
from app.ui.campaign.chooser import CampaignChooser
from app.ui.kit.context import Context
from app.ui.kit.entries import read_path, read_size
from app.ui.kit.entry_form import EntryForm
from app.ui.kit.icons import Icons
from app.ui.kit.labels import ElidedLabel, show_brief
from app.ui.kit.messages import in_window
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.widgets import make_button, make_choose_button, named
from app.ui.run.control import RunPlan
from app.ui.run.start_checks import Wish
from app.ui.run.start_when import WhenFields
from instruments.errors import BadInput, BenchError, one_line

_WHOLE = "all of it"


class TargetFields(QLineEdit):
    """The target's path; beside it the size, and the button that opens the picker.

    Attributes:
        amount: The field for the size; empty for all of a disk.
        button: Opens the picker.

    Signals:
        edited: Another target or size is entered.
    """

    edited = Signal()

    def __init__(self, aim: Aim, icons: Icons) -> None:
        super().__init__()
        self.setAccessibleName("Target")
        self.setToolTip(
            "The scratch file or disk that loads run on, or several separated "
            "by commas (Alt+T)"
        )
        self.amount = QLineEdit()
        self.amount.setAccessibleName("Size that loads use")
        self.amount.setFixedWidth(84)
        self.amount.setToolTip(
            "Bytes the load uses, such as 512m or 4g; at least 16m. Empty: all of a "
            "disk"
        )
        self.button = make_button(
            "Choose ta&rget...",
            "A scratch file, or a disk from the list (Alt+R)",
            icon=icons.get("hard-drive"),
        )
        self.set_aim(aim)
        self.textChanged.connect(self.edited)
        self.amount.textChanged.connect(self.edited)

    def add_to(self, form: EntryForm) -> None:
        """Add the row to a form."""
        fields: dict[QLineEdit, str] = {self: "the target", self.amount: "the size"}
        form.add_fields("&Target", fields, self.button)

    def set_aim(self, aim: Aim) -> None:
        """Show a target."""
        self.setText(aim.text)
        self.amount.setText(aim.size_text)
        self.amount.setPlaceholderText("" if aim.size else _WHOLE)

    @property
    def paths(self) -> tuple[Path, ...]:
        """What is entered, nothing where that is not a path."""
        try:
            return self.read_paths()
        except BadInput:
            return ()

    @property
    def names_device(self) -> bool:
        """Whether its name alone says that it is a disk."""
        if not self.paths:
            return False
        folders = self.paths[0].absolute().parents
        return Path("/dev") in folders and Path("/dev/shm") not in folders

    def show_as_disk(self, *, disk: bool) -> None:
        """Show what an empty size means."""
        self.amount.setPlaceholderText(_WHOLE if disk else "")

    def read_paths(self) -> tuple[Path, ...]:
        """Read the target, or several with commas between them; raises BadInput."""
        return read_paths(self.text())

    def read_size(self, *, disk: bool) -> int:
        """Read the size, 0 for all of a disk; raises BadInput."""
        if disk and not self.amount.text().strip():
            return 0
        return read_size(self.amount.text())


_NAME_WIDTH = 180
_ABOUT = 4
"""Lines of the longest description: another campaign moves no field."""

_A_ROW = 6
"""Sources side by side."""


class StartForm(EntryForm):
    """Fields that all have a default; a mistake stands below its field.

    Attributes:
        campaigns: The campaigns on offer.
        target: What loads run on.
        out: The folder of the session.
        operator: Who runs it, empty for the user's name.
        note: A remark that the session keeps.
        sources: A tick for each source.
        when: When it starts, how long it is, and what is run then.

    Signals:
        changed: Something else is chosen.
    """

    changed = Signal()

    def __init__(
        self,
        bench: Bench,
        out: Path,
        context: Context,
        campaigns: Sequence[Campaign],
    ) -> None:
        super().__init__()
        self._bench = bench
        self._refusal: BenchError | None = None
        self.campaigns = CampaignChooser(campaigns, context.background)
        self.target = TargetFields(
            Aim(bench.dut.targets, bench.dut.size), context.icons
        )
        self.out = QLineEdit(str(out))
        self.out.setAccessibleName("Folder of the session")
        self.out.setToolTip("Where the session file is written (Alt+F)")
        self.operator = QLineEdit()
        self.operator.setPlaceholderText(user_name())
        self.operator.setAccessibleName("Operator")
        self.operator.setToolTip("Who runs it; the session keeps it (Alt+O)")
        self.operator.setMaximumWidth(_NAME_WIDTH)
        self.note = QLineEdit()
        self.note.setPlaceholderText("Note: a remark that the session keeps")
        self.note.setAccessibleName("Note")
        self.note.setToolTip("Such as what was changed on the bench")
        self.sources = [QCheckBox(source.name) for source in bench.sources]
        self.when = WhenFields()
        self.when.setParent(self)
        self.about = SentenceLabel("muted")
        self._build()
        self.campaigns.changed.connect(self.describe)
        self.target.edited.connect(self.changed)
        self.out.textChanged.connect(self.changed)
        self.when.changed.connect(self.changed)

    def _build(self) -> None:
        bench = self._bench
        self.add_row("&Campaign", self.campaigns, buddy=self.campaigns.box)
        self.add_row("", ReservedLine(self.about, lines=_ABOUT))
        label = " (simulated)" if bench.is_simulated else ""
        text = f"{bench.name}{label}, {bench.dut.name}"
        self.add_row("Bench", named(ElidedLabel(text), "", text))
        self.target.add_to(self)
        choose = make_choose_button("Choose folder", self.choose_folder)
        self.add_fields("&Folder", {self.out: "the folder"}, choose)
        self.add_row("&Operator", self.operator, self.note, buddy=self.operator)
        if self.sources:
            self.add_row("Required sources", self._make_sources())
        self.when.add_to(self)

    def _make_sources(self) -> QWidget:
        found = QWidget()
        row = QGridLayout(found)
        row.setContentsMargins(0, 0, 0, 0)
        row.setHorizontalSpacing(14)
        row.setVerticalSpacing(4)
        for number, box in enumerate(self.sources):
            box.setChecked(True)
            box.setToolTip(
                "Unticked: the run may start without it, and the table shows the gap"
            )
            row.addWidget(box, *divmod(number, _A_ROW))
        row.setColumnStretch(_A_ROW, 1)
        return found

    @Slot()
    def describe(self) -> None:
        """Say what the chosen campaign does, or what is wrong with it."""
        choice = self.campaigns.choice
        self.forget()
        show_brief(self.about, choice.description)
        self.about.say(self.about.text())
        if choice.error:
            self.complain(choice.error)
        if not choice.is_being_read:
            self._tell_refusal()
        self.changed.emit()

    def _tell_refusal(self) -> None:
        """Say once why the run did not begin, if its campaign can run at all."""
        refusal, self._refusal = self._refusal, None
        if refusal is not None and self.campaigns.choice.campaign is not None:
            self.complain(in_window(refusal), self._field_of(Path(refusal.where)))

    @property
    def aim(self) -> Aim | None:
        """What loads would run on, None as long as that is not a path."""
        paths, size = self.target.paths, 0
        with contextlib.suppress(BadInput):
            size = self.target.read_size(disk=True)
        return Aim(paths, size) if paths else None

    @property
    def wish(self) -> Wish | None:
        """What is chosen at the moment, None without a campaign that can run."""
        campaign = self.campaigns.choice.campaign
        if campaign is None:
            return None
        campaign = shortened(campaign, self.when.shorten.value())
        try:
            out = read_path(self.out.text(), "the folder")
        except BadInput:
            out = Path()
        return Wish(campaign, self._bench, self.aim, out, self.target.names_device)

    def read(self, *, disk: bool) -> RunPlan | None:
        """Read what is entered; None where there is a mistake, which is said then.

        Args:
            disk: Whether the target is known to be a disk.
        """
        choice = self.campaigns.choice
        if choice.campaign is None:
            self.complain(choice.error)
            return None
        field: QLineEdit = self.target
        try:
            targets = self.target.read_paths()
            field = self.target.amount
            size = self.target.read_size(disk=disk)
            field = self.out
            out = read_path(field.text(), "the folder")
            field = self.target
            bench = aimed(self._bench, Aim(targets, size))
            field = self.when.then
            at, then = self.when.read()
        except BadInput as error:
            self.complain(str(error), field)
            return None
        without = [box.text() for box in self.sources if not box.isChecked()]
        return RunPlan(
            choice.campaign,
            bench,
            out,
            without,
            choice.file,
            operator=self.operator.text().strip(),
            note=self.note.text().strip(),
            shorten=self.when.shorten.value(),
            at=at,
            go_on=self.when.go_on.isChecked(),
            then=then,
        )

    def set_plan(self, plan: RunPlan, error: BenchError | None) -> None:
        """Show the choices of a run that did not begin, and why it did not."""
        self.campaigns.choose(plan.campaign, plan.file)
        self.target.set_aim(Aim(plan.bench.dut.targets, plan.bench.dut.size))
        self.out.setText(str(plan.out))
        self.operator.setText(plan.operator)
        self.note.setText(plan.note)
        self.when.show_choices(plan.at, plan.shorten, plan.then, go_on=plan.go_on)
        for box in self.sources:
            box.setChecked(box.text() not in plan.without)
        self._refusal = error
        if not self.campaigns.choice.is_being_read:
            self._tell_refusal()

    def pin(self, name: str) -> None:
        """Leave no choice but the sources: the rest is as the session has it."""
        box = self.campaigns.box
        box.setItemText(box.currentIndex(), one_line(name))
        parts = (self.campaigns, self.target, self.target.amount, self.target.button)
        for part in (*parts, self.out):
            part.setEnabled(False)

    def _field_of(self, place: Path) -> QLineEdit | None:
        """Get the field of a file, disk or folder; None for what is none of them."""
        for name in self.target.paths:
            if place == name or (has_magic(str(name)) and place.match(str(name))):
                return self.target
        return self.out if place == Path(self.out.text()) else None

    @Slot()
    def choose_folder(self) -> None:
        """Ask for the folder of the session."""
        name = QFileDialog.getExistingDirectory(
            self, "Folder of the session", self.out.text()
        )
        if name:
            self.out.setText(name)
