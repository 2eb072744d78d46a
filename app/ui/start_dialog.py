"""What to run, on which bench, and where the session goes."""

from collections.abc import Sequence
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
from app.ui.units import clock
from instruments.errors import BadInput, BenchError
from resources import read_text
from workloads.sizes import format_size, parse_size

_WIDTH = 600
_LEAST_SIZE = 16 * 1024**2
_BLOCK = 4096


def shipped_campaigns() -> list[Campaign]:
    """Read the campaigns that ship with Bayscope, the demo first.

    Raises:
        BadInput: One of them has a mistake; the installation is damaged.
    """
    folder = files("resources") / "campaigns"
    names = sorted(one.name for one in folder.iterdir() if one.name.endswith(".toml"))
    names.sort(key=lambda name: name != "demo.toml")
    return [parse_campaign(read_text("campaigns", name), name) for name in names]


class StartDialog(QDialog):
    """Asks for campaign, scratch file, folder and sources; all have a default.

    Args:
        bench: The bench to run on.
        out: Folder of the session file.
        icons: Icons of the theme.
        campaigns: What is offered; the first is chosen.
    """

    def __init__(
        self,
        bench: Bench,
        out: Path,
        icons: Icons,
        campaigns: Sequence[Campaign],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Start run")
        self._bench = bench
        self._campaigns = list(campaigns)
        self._icons = icons
        self._plan: RunPlan | None = None
        self.campaign = QComboBox()
        self.campaign.addItems([one.name for one in self._campaigns])
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
        start = self.buttons.addButton("Start", QDialogButtonBox.ButtonRole.AcceptRole)
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
        chosen = self._campaigns[self.campaign.currentIndex()]
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
        """Offer a campaign file and choose it; a mistake in it is shown."""
        try:
            campaign = load_campaign(path)
        except BenchError as error:
            self._complain(str(error))
            return
        self._forget_mistakes()
        self._campaigns.append(campaign)
        self.campaign.addItem(f"{campaign.name}  ({path.name})")
        self.campaign.setCurrentIndex(self.campaign.count() - 1)

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
        campaign = self._campaigns[self.campaign.currentIndex()]
        self._plan = RunPlan(campaign, bench, out, without)
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
    bench: Bench, out: Path, icons: Icons, parent: QWidget
) -> RunPlan | None:
    """Show the dialog; None when the user thinks better of it."""
    dialog = StartDialog(bench, out, icons, shipped_campaigns(), parent)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    try:
        return dialog.plan if dialog.exec() else None
    finally:
        dialog.deleteLater()
