"""What is found out about a run while its choices are made, off the GUI thread."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from app.bench.model import Bench
from app.campaign.checks import has_load
from app.operations.bench.aim import Aim
from app.operations.bench.arming_disks import DiskLooks, look_at_disks
from app.operations.run.erase import (
    BucketLook,
    look_at_buckets,
    not_named,
    uses_buckets,
)
from app.operations.run.foresee import Forecast, foresee
from app.plan.campaign import Campaign
from app.ui.kit.context import Context
from app.ui.kit.icons import Icons
from app.ui.kit.labels import wrap_tip
from app.ui.kit.question import Question
from app.ui.kit.widgets import make_note
from app.ui.run.arming_panel import ArmingPanel

_LINES = {"Duration": 3, "Written": 2, "Energy": 3, "Cost": 1}
"""What is estimated, and how many lines tell what it rests on."""

_LETTERS = 50
"""Of such a line; the whole of a longer text is in the tool tip."""


class EstimatePanel(QWidget):
    """Four rows: name, figure, basis; as high before anything is known."""

    def __init__(self) -> None:
        super().__init__()
        self._values = {name: QLabel("...") for name in _LINES}
        self._bases = {name: QLabel("") for name in _LINES}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(2, 1)
        for row, (name, lines) in enumerate(_LINES.items()):
            heading = QLabel(name)
            heading.setObjectName("muted")
            basis = self._bases[name]
            basis.setObjectName("small")
            basis.ensurePolished()
            basis.setFixedHeight(lines * basis.fontMetrics().lineSpacing())
            self._values[name].setAccessibleDescription(name)
            grid.addWidget(heading, row, 0)
            grid.addWidget(self._values[name], row, 1)
            grid.addWidget(basis, row, 2)
        # A form with texts that wrap would squeeze the whole panel.
        self.setMinimumHeight(grid.minimumSize().height())

    def value(self, name: str) -> str:
        """Get the figure that is shown."""
        return self._values[name].text()

    def basis(self, name: str) -> str:
        """Get what it rests on."""
        return self._bases[name].text()

    def show_waiting(self) -> None:
        """Show that nothing is known yet."""
        for name in _LINES:
            self._show(name, "...", "")

    def show_nothing(self, why: str = "") -> None:
        """Show that nothing will be known, and why."""
        for name in _LINES:
            self._show(name, "-", why if name == "Duration" else "")

    def show_forecasts(self, forecasts: Sequence[Forecast]) -> None:
        """Show figures."""
        for forecast in forecasts:
            self._show(forecast.name, forecast.value, forecast.basis)

    def _show(self, name: str, value: str, basis: str) -> None:
        self._values[name].setText(value)
        # Broken by hand: the form would squeeze labels that wrap.
        lines = textwrap.fill(
            basis, _LETTERS, max_lines=_LINES[name], placeholder=" ..."
        )
        self._bases[name].setText(lines)
        self._bases[name].setToolTip(wrap_tip(basis))


_ASKING = "Asking what is in the bucket ..."


class ErasePanel(QFrame):
    """One line for each bucket, with a field where it holds data.

    Attributes:
        fields: The field of each bucket that holds data, by its name.

    Signals:
        changed: Something else is typed or shown.
    """

    changed = Signal()

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._buckets: tuple[BucketLook, ...] = ()
        self._waits = False
        self.fields: dict[str, QLineEdit] = {}
        self._lines = QGridLayout(self)
        self._lines.setContentsMargins(14, 10, 14, 12)
        self._lines.setHorizontalSpacing(14)
        self._lines.setVerticalSpacing(6)
        self._lines.setColumnStretch(1, 1)
        self.setObjectName("card")
        self.hide()

    @property
    def missing(self) -> str:
        """What keeps the run from starting, "" where nothing does."""
        return _ASKING if self._waits else not_named(self._buckets, self.erase)

    @property
    def erase(self) -> tuple[str, ...]:
        """The buckets that were named to be emptied."""
        typed = ((name, field.text().strip()) for name, field in self.fields.items())
        return tuple(name for name, text in typed if name == text)

    def show_asking(self, *, wanted: bool) -> None:
        """Show that the server is being asked, or that no bucket is in question."""
        self._waits = wanted
        self._clear()
        if wanted:
            self._lines.addWidget(QLabel(_ASKING), 0, 0, 1, 2)
        self.setVisible(wanted)
        self.changed.emit()

    def show_buckets(self, buckets: Sequence[BucketLook]) -> None:
        """Show what was found."""
        self._clear()
        self._waits = False
        self._buckets = tuple(buckets)
        row = 0
        for bucket in buckets:
            self._lines.addLayout(self._title(bucket), row, 0, 1, 2)
            row += 1
            if bucket.trouble:
                self._lines.addWidget(
                    make_note(bucket.trouble, "mistake"), row, 0, 1, 2
                )
                row += 1
            elif bucket.holds_data:
                self._add_field(bucket, row)
                row += 1
        self.setVisible(bool(buckets))
        self.changed.emit()

    def _title(self, bucket: BucketLook) -> QHBoxLayout:
        if bucket.trouble:
            icon, token, told = "octagon-x", "error", "cannot be looked at"
        elif bucket.holds_data:
            icon, token, told = (
                "triangle-alert",
                "warn",
                "holds data, all of which will be deleted",
            )
        else:
            icon, token, told = "circle-check", "ok", "is empty or does not exist yet"
        picture = QLabel()
        picture.setPixmap(self._icons.get(icon, token).pixmap(18, 18))
        text = bucket.text[0].upper() + bucket.text[1:]
        heading = make_note(f"{text} {told}", "heading")
        found = QHBoxLayout()
        found.setSpacing(8)
        found.addWidget(picture)
        found.addWidget(heading, 1)
        return found

    def _add_field(self, bucket: BucketLook, row: int) -> None:
        field = QLineEdit()
        field.setAccessibleName(f"Name of {bucket.text}")
        field.setPlaceholderText("Type the name of the bucket to have it emptied")
        field.setToolTip("WARP deletes every object and version in it (Alt+B)")
        field.textChanged.connect(self.changed)
        label = QLabel("Empty &bucket")
        label.setBuddy(field)
        self._lines.addWidget(label, row, 0)
        self._lines.addWidget(field, row, 1)
        self.fields[bucket.name] = field

    def _clear(self) -> None:
        self._buckets = ()
        self.fields = {}
        _empty(self._lines)


def _empty(layout: QGridLayout | QHBoxLayout) -> None:
    while item := layout.takeAt(0):
        inner, widget = item.layout(), item.widget()
        if isinstance(inner, QHBoxLayout):
            _empty(inner)
        if widget is not None:
            widget.hide()
            widget.deleteLater()


@dataclass(frozen=True, slots=True)
class Wish:
    """What is chosen at the moment.

    Attributes:
        campaign: The plan.
        bench: The bench, with its own target.
        aim: What loads would run on, None where that is not a path.
        out: Folder of earlier sessions.
        names_device: Whether the name of the target alone says that it is a disk.
    """

    campaign: Campaign
    bench: Bench
    aim: Aim | None
    out: Path
    names_device: bool


class StartChecks(QObject):
    """Looks at disk, buckets and earlier sessions, and shows them in three panels.

    Attributes:
        arming: The disk.
        erase: The buckets.
        estimate: What the run will take.
        left: Labels of the rows that it has left, () for all.

    Signals:
        changed: What keeps the run from starting may be something else now.
    """

    changed = Signal()

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self.left: Sequence[str] = ()
        self._later = False
        self._wish: Wish | None = None
        self._disk: DiskLooks | None = None
        self.arming = ArmingPanel(context.icons)
        self.erase = ErasePanel(context.icons)
        self.estimate = EstimatePanel()
        self._of_disk = Question(context.background, self)
        self._of_buckets = Question(context.background, self)
        self._of_past = Question(context.background, self)
        self._of_disk.answered.connect(self._take_disk)
        self._of_disk.failed.connect(self._fail_disk)
        self._of_buckets.answered.connect(self.erase.show_buckets)
        self._of_past.answered.connect(self.estimate.show_forecasts)
        self._of_past.answered.connect(self.changed)
        self._of_past.failed.connect(self._fail_past)
        self.arming.changed.connect(self.changed)
        self.arming.look_wanted.connect(self.look_again)
        self.erase.changed.connect(self.changed)

    @property
    def disk(self) -> DiskLooks | None:
        """The disks that were found, None where the target is none."""
        return self._disk

    @property
    def reason(self) -> str:
        """What keeps the run from starting, "" where nothing does."""
        return self.arming.missing or self.erase.missing

    def set_later(self, *, later: bool) -> None:
        """Ask for a free disk now, or leave that to when the turn of the run comes."""
        if later == self._later:
            return
        self._later = later
        if self._wish is not None and self._disk is not None:
            self._show_disk(self._wish, self._disk)

    def take_focus(self) -> None:
        """Let the person type what is missing."""
        fields = (self.arming.word, *self.erase.fields.values())
        for field in fields:
            if not field.isHidden():
                field.setFocus()
                return

    def check(self, wish: Wish) -> None:
        """Find out about other choices; what is known already is not asked again."""
        self._wish = wish
        campaign, bench, out = wish.campaign, wish.bench, wish.out
        self._check_disk(wish)
        if uses_buckets(campaign):
            asked = self._of_buckets.ask(campaign, lambda: look_at_buckets(campaign))
            if asked:
                self.erase.show_asking(wanted=True)
        else:
            self._of_buckets.forget()
            self.erase.show_asking(wanted=False)
        left = tuple(self.left)
        key = (campaign, bench.dut.name, bench.is_simulated, bench.cost, out, left)
        if self._of_past.ask(key, lambda: foresee(campaign, bench, out, left)):
            self.estimate.show_waiting()

    def _check_disk(self, wish: Wish) -> None:
        if wish.aim is None or not has_load(wish.campaign):
            self._forget_disk()
            return
        bench, paths = wish.bench, wish.aim.paths
        if self._of_disk.ask(paths, lambda: look_at_disks(bench, paths)):
            self._disk = None
            if wish.names_device or bench.load is not None:
                self.arming.show_looking()
            else:
                self.arming.show_nothing()
        elif self._disk is not None:
            self._show_disk(wish, self._disk)

    def forget(self) -> None:
        """Find out about nothing, and show nothing."""
        self._forget_disk()
        self._of_buckets.forget()
        self._of_past.forget()
        self.erase.show_asking(wanted=False)
        self.estimate.show_nothing()

    def _forget_disk(self) -> None:
        self._of_disk.forget()
        self._disk = None
        self.arming.show_nothing()

    @Slot()
    def look_again(self) -> None:
        """Look at the disk again; what was typed is to be typed again."""
        if self._wish is not None:
            self._of_disk.forget()
            self._check_disk(self._wish)

    @Slot(object)
    def _take_disk(self, found: DiskLooks | None) -> None:
        self._disk = found
        if found is None:
            self.arming.show_nothing()
        elif self._wish is not None:
            self._show_disk(self._wish, found)

    def _show_disk(self, wish: Wish, found: DiskLooks) -> None:
        writes, guard = wish.campaign.writes, wish.bench.guard
        size = wish.aim.size if wish.aim else 0
        shown = found.freed if self._later else found
        self.arming.show_disk(shown, guard, size=size, writes=writes)

    @Slot(object)
    def _fail_disk(self, error: Exception) -> None:
        self.arming.show_trouble(str(error))

    @Slot(object)
    def _fail_past(self, error: Exception) -> None:
        self.estimate.show_nothing(str(error))
