"""What is found out about a run while its choices are made, off the GUI thread."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.bench.model import Bench
from app.campaign.checks.preflight import has_load
from app.operations.bench.aim import Aim
from app.operations.run.arming_disks import DiskLooks, look_at_disks
from app.operations.run.erase import look_at_buckets, uses_buckets
from app.operations.run.foresee import foresee
from app.plan.campaign import Campaign
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.question import Question
from app.ui.run.arming_panel import ArmingPanel
from app.ui.run.erase_panel import ErasePanel
from app.ui.run.start_estimate import EstimatePanel


@dataclass(frozen=True, slots=True)
class Wish:
    """What is chosen at the moment.

    Attributes:
        campaign: The plan.
        bench: The bench, with its own target.
        aim: What loads would run on, None where that is no path.
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

    Signals:
        changed: What keeps the run from starting may be something else now.
    """

    changed = Signal()

    def __init__(self, icons: Icons, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._wish: Wish | None = None
        self._disk: DiskLooks | None = None
        self.arming = ArmingPanel(icons)
        self.erase = ErasePanel(icons)
        self.estimate = EstimatePanel()
        self._of_disk = Question(background, self)
        self._of_buckets = Question(background, self)
        self._of_past = Question(background, self)
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
        key = (campaign, bench.dut.name, bench.is_simulated, bench.cost, out)
        if self._of_past.ask(key, lambda: foresee(campaign, bench, out)):
            self.estimate.show_nothing()

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
        """Look at the disk anew; what was typed is to be typed again."""
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
        self.arming.show_disk(found, guard, size=size, writes=writes)

    @Slot(object)
    def _fail_disk(self, error: Exception) -> None:
        self.arming.show_trouble(str(error))

    @Slot(object)
    def _fail_past(self, error: Exception) -> None:
        self.estimate.show_nothing(str(error))
