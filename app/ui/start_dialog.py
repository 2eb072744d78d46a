"""What to run, on which bench, and where the session goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.bench import Bench
from app.plan.campaign import Campaign, load_campaign, parse_campaign
from app.ui.icons import Icons
from app.ui.run_control import RunPlan
from app.ui.settings import Settings
from app.ui.units import clock
from instruments.errors import BadInput, BenchError
from resources import read_text
from workloads.sizes import format_size, parse_size

_WIDTH = 600
_LEAST_SIZE = 16 * 1024**2
_BLOCK = 4096
_LAST = "campaign"


def shipped_campaigns() -> list[Campaign]:
    """Read the campaigns that ship with Bayscope, the demo first.

    Raises:
        BadInput: One of them has a mistake; the installation is damaged.
    """
    folder = files("resources") / "campaigns"
    names = sorted(one.name for one in folder.iterdir() if one.name.endswith(".toml"))
    names.sort(key=lambda name: name != "demo.toml")
    return [parse_campaign(read_text("campaigns", name), name) for name in names]


@dataclass(frozen=True, slots=True)
class _Choice:
    """A campaign on offer, or a file that is none and why."""

    campaign: Campaign | None
    file: Path | None = None
    error: str = ""


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
        self._choices = [_Choice(one) for one in campaigns]
        self._icons = icons
        self._plan: RunPlan | None = None
        self.campaign = QComboBox()
        self.campaign.addItems([one.name for one in campaigns])
        self.campaign.setAccessibleName("Campaign")
        self.campaign.currentIndexChanged.connect(self._describe)
        self.target = QLineEdit(str(bench.dut.target))
        self.target.setAccessibleName("Scratch file")
        self.amount = QLineEdit(format_size(bench.dut.size))
        self.amount.setAccessibleName("Size of the scratch file")
        self.amount.setFixedWidth(84)
        self.amount.setToolTip("Bytes the load uses, such as 512m or 4g; at least 16m")
        self.out = QLineEdit(str(out))
        self.out.setAccessibleName("Folder of the session")
        self.sources = [QCheckBox(one.name) for one in bench.sources]
        self._about = QLabel("")
        self._about.setObjectName("muted")
        self._about.setWordWrap(True)
        self._error = _make_mistake("Mistake")
        self._mistakes = {
            self.target: _make_mistake("Mistake in the scratch file"),
            self.amount: _make_mistake("Mistake in the size"),
            self.out: _make_mistake("Mistake in the folder"),
        }
        self.buttons = QDialogButtonBox()
        self._form = QFormLayout()
        self._build()
        self._describe()
        if last is not None and last.is_file():
            self.add_campaign(last)

    def _build(self) -> None:
        form = self._form
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(9)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        choose = self._button("Choose campaign", self._choose)
        form.addRow(_label("&Campaign", self.campaign), _beside(self.campaign, choose))
        form.addRow("", self._about)
        label = " (simulated)" if self._bench.is_simulated else ""
        name = QLabel(f"{self._bench.name}{label}, {self._bench.dut.name}")
        form.addRow("Bench", name)
        aim = self._button("Choose target", self._aim)
        form.addRow(
            _label("&Scratch file", self.target), _beside(self.target, self.amount, aim)
        )
        form.addRow("", self._mistakes[self.target])
        form.addRow("", self._mistakes[self.amount])
        place = self._button("Choose folder", self._place)
        form.addRow(_label("&Folder", self.out), _beside(self.out, place))
        form.addRow("", self._mistakes[self.out])
        row = QHBoxLayout()
        row.setSpacing(14)
        for box in self.sources:
            box.setChecked(True)
            box.setToolTip(
                "Unticked: the run may start without it, and the table shows the gap"
            )
            row.addWidget(box)
        row.addStretch(1)
        form.addRow("Must answer", row)
        start = self._start = self.buttons.addButton(
            "Start", QDialogButtonBox.ButtonRole.AcceptRole
        )
        start.setIcon(self._icons.get("play", "accent_text"))
        start.setToolTip("Start recording (Enter)")
        cancel = self.buttons.addButton(
            "Cancel", QDialogButtonBox.ButtonRole.RejectRole
        )
        cancel.setAutoDefault(False)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(12)
        layout.addLayout(form)
        layout.addWidget(self._error)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(_WIDTH)
        self._forget_mistakes()
        # Only now, in its dialog: before, the box would give Cancel the Enter key.
        start.setDefault(True)
        start.setFocus()

    def _button(self, name: str, action: object) -> QPushButton:
        button = QPushButton("...")
        button.setFixedWidth(40)
        button.setAutoDefault(False)
        button.setAccessibleName(name)
        button.setToolTip(f"{name}...")
        button.clicked.connect(action)
        return button

    @property
    def plan(self) -> RunPlan | None:
        """What was asked for, once the dialog was accepted."""
        return self._plan

    @property
    def error(self) -> str:
        """The sentence about what cannot be started, "" without one."""
        said = [self._error.text(), *(one.text() for one in self._mistakes.values())]
        return " ".join(text for text in said if text)

    @Slot()
    def _describe(self) -> None:
        choice = self._choices[self.campaign.currentIndex()]
        self._forget_mistakes()
        self._start.setEnabled(choice.campaign is not None)
        if choice.campaign is None:
            self._about.setText("Choose another campaign, or mend the file.")
            self._complain(choice.error)
            return
        chosen = choice.campaign
        labels = [label for label, _ in chosen.runs]
        shown = ", ".join(labels[:8]) + (" ..." if len(labels) > 8 else "")
        writes = "It overwrites the scratch file." if chosen.writes else ""
        parts = (
            f"{len(labels)} steps, {clock(chosen.duration_s)}: {shown}.",
            chosen.description,
            writes,
        )
        self._about.setText(" ".join(part for part in parts if part))

    def add_campaign(self, path: Path) -> None:
        """Offer a campaign file and choose it; one with a mistake cannot start."""
        try:
            campaign = load_campaign(path)
        except BenchError as error:
            self._offer(_Choice(None, path, str(error)), f"{path.name}  (not valid)")
        else:
            self._offer(_Choice(campaign, path), f"{campaign.name}  ({path.name})")

    def _offer(self, choice: "_Choice", name: str) -> None:
        """Choose this; a file that was offered before stands in its old place."""
        files_offered = [one.file for one in self._choices]
        if choice.file is not None and choice.file in files_offered:
            index = files_offered.index(choice.file)
            self._choices[index] = choice
            self.campaign.setItemText(index, name)
        else:
            self._choices.append(choice)
            self.campaign.addItem(name)
            index = self.campaign.count() - 1
        self.campaign.setCurrentIndex(index)
        self._describe()

    def set_plan(self, plan: RunPlan, problem: str) -> None:
        """Show the choices of a run that did not begin, and why it did not."""
        known = [one.campaign for one in self._choices]
        if plan.file is not None:
            self.add_campaign(plan.file)
        elif plan.campaign in known:
            self.campaign.setCurrentIndex(known.index(plan.campaign))
        else:
            self._offer(_Choice(plan.campaign), plan.campaign.name)
        self.target.setText(str(plan.bench.dut.target))
        self.amount.setText(format_size(plan.bench.dut.size))
        self.out.setText(str(plan.out))
        for box in self.sources:
            box.setChecked(box.text() not in plan.without)
        if self._start.isEnabled():
            self._complain(problem)

    @Slot()
    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Choose a campaign", str(Path.home()), "Campaigns (*.toml)"
        )
        if name:
            self.add_campaign(Path(name))

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

    def _complain(self, sentence: str, field: QLineEdit | None = None) -> None:
        """Say a mistake: beside the field it is in, or above the buttons."""
        self._forget_mistakes()
        if field is None:
            self._error.setText(sentence)
            self._error.show()
        else:
            label = self._mistakes[field]
            label.setText(sentence)
            self._form.setRowVisible(label, True)
            field.setFocus()
            field.selectAll()
        self.adjustSize()

    def _forget_mistakes(self) -> None:
        self._error.clear()
        self._error.hide()
        for label in self._mistakes.values():
            label.clear()
            self._form.setRowVisible(label, False)

    def accept(self) -> None:
        """Take what was entered; a mistake is said and nothing is started."""
        choice = self._choices[self.campaign.currentIndex()]
        if choice.campaign is None:
            self._complain(choice.error)
            return
        field = self.target
        try:
            target = read_path(field.text(), "the scratch file")
            field = self.amount
            size = read_size(field.text())
            field = self.out
            out = read_path(field.text(), "the folder")
        except BadInput as error:
            self._complain(str(error), field)
            return
        bench = self._bench.with_target(target, size)
        without = [box.text() for box in self.sources if not box.isChecked()]
        self._plan = RunPlan(choice.campaign, bench, out, without, choice.file)
        super().accept()


def read_size(text: str) -> int:
    """Read the size of the scratch file in bytes, by the rule of bench.toml.

    Raises:
        BadInput: It is no size as fio writes them, or less than 16m.
    """
    shown = text.strip()
    try:
        size = parse_size(shown)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f'"{shown}" is no size', way_out='Enter one such as "512m".'
        ) from error
    if size < _LEAST_SIZE:
        raise BadInput(f'the size is "{shown}"', way_out="Expected at least 16m.")
    return size // _BLOCK * _BLOCK


def read_path(text: str, what: str) -> Path:
    """Read a path; "~" is the home folder.

    Raises:
        BadInput: It is missing, or begins with "~" and a user nobody knows.
    """
    shown = text.strip()
    if not shown:
        raise BadInput(f"{what} is missing", way_out="Enter or choose a path.")
    try:
        return Path(shown).expanduser()
    except RuntimeError as error:
        raise BadInput(
            f'"{shown}" is in no home folder that is known',
            way_out="Enter or choose a path.",
        ) from error


def _label(text: str, field: QWidget) -> QLabel:
    label = QLabel(text)
    label.setBuddy(field)
    return label


def _make_mistake(name: str) -> QLabel:
    label = QLabel("")
    label.setWordWrap(True)
    label.setAccessibleName(name)
    return label


def _beside(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(6)
    for widget in widgets:
        row.addWidget(widget, 1 if not row.count() else 0)
    return row


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
