"""The form of a step: drawn from the groups of fields that its engine has."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea

from app.operations.campaign_check import Mistake
from app.operations.campaign_fields import groups, other_keys
from app.plan.edit import Path
from app.ui.campaign_asker import OptionAsker
from app.ui.campaign_field import CampaignField
from app.ui.campaign_form_page import FormPage
from app.ui.campaign_limits import LimitsEditor
from app.ui.campaign_sweep import SweepEditor
from app.ui.fio_advice import Advice
from app.ui.icons import Icons
from workloads.fio_catalogue import Catalogue

_LEAST_WIDTH = 366
"""Pixels: a limit in one line, with its unit."""


class CampaignForm(QScrollArea):
    """Shows one step and tells every change at once.

    Its page is made anew for another step or engine, and never for another value: a
    field that is being typed in stays.

    Signals:
        catalogue_wanted: Somebody is looking for an option of fio.
        edited: A key (Path) is to have another value (None for none); the last part
            tells changes of one field apart from the next (str).
    """

    catalogue_wanted = Signal()
    edited = Signal(object, object, str)

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._step: Mapping[str, object] = {}
        self._key: object = None
        self._count = 1
        self._shape: tuple[object, ...] = ()
        self._asked: list[Path] = []
        self._turn = 0
        self._catalogue: Catalogue | None = None
        self._mistakes: Sequence[Mistake] = ()
        self._advice: Mapping[Path, Advice] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("What the chosen step does")
        self.setMinimumWidth(_LEAST_WIDTH)
        self.page = self._make_page()

    @property
    def fields(self) -> dict[Path, CampaignField]:
        """Its fields by the path of their key."""
        return self.page.fields

    @property
    def limits(self) -> LimitsEditor | None:
        """The grid of limits, None where no step is shown."""
        return self.page.limits

    @property
    def sweep(self) -> SweepEditor | None:
        """The grid of axes, None for an engine that has none."""
        return self.page.sweep

    @property
    def asker(self) -> OptionAsker | None:
        """The box for further options, None for an engine that has no more."""
        return self.page.asker

    @Slot(object)
    def set_catalogue(self, catalogue: Catalogue | None) -> None:
        """Take what the fio of this machine says of its options.

        Fields that are shown stay as they are while somebody may be typing there.
        """
        if catalogue is None:
            return
        self._catalogue = catalogue
        focus = QApplication.focusWidget()
        if focus is None or not self.page.isAncestorOf(focus):
            self._shape = ()
            self.show_step(self._step, self._key, self._count)
        elif self.asker is not None:
            offered = {field.path for field in self.asker.fields}
            found = [one for group in groups("fio", catalogue) for one in group.fields]
            self.asker.set_fields([one for one in found if one.path in offered])

    def show_step(
        self, step: Mapping[str, object], key: object, count: int = 1
    ) -> None:
        """Show a step.

        Args:
            step: What stands in the file of it; nothing where no step is chosen.
            key: Tells steps apart: fields that were asked for stay while it does.
            count: How many steps are chosen; all of them take what is entered.
        """
        if key != self._key:
            self._asked = []
        self._step, self._key, self._count = step, key, count
        engine = str(step.get("engine", ""))
        found = groups(engine, self._catalogue)
        usual = {field.path for group in found for field in group.fields if field.shown}
        given = step.get(engine)
        own = [(engine, name) for name in given] if isinstance(given, Mapping) else []
        others = other_keys(step, engine) if step else []
        for path in (*own, *others):
            if path not in self._asked and path not in usual:
                self._asked.append(path)
        tables = tuple(g.table for g in found if g.is_optional and g.table in step)
        shape = (key, bool(step), engine, count, tuple(self._asked), tables)
        if shape != self._shape:
            self._shape = shape
            scroll = self.verticalScrollBar().value()
            self.page = self._make_page()
            self.verticalScrollBar().setValue(scroll)
        self.page.show_values(step)
        self.page.show_mistakes(self._mistakes)
        self.page.show_advice(self._advice)

    def _make_page(self) -> FormPage:
        before = self.takeWidget()
        if before is not None:
            before.hide()
            before.deleteLater()  # it may be one of its editors that has us here
        page = FormPage(
            self._icons, self._step, tuple(self._asked), self._count, self._catalogue
        )
        page.entered.connect(self._tell)
        page.left.connect(self._next_turn)
        page.asked.connect(self.ask)
        page.catalogue_wanted.connect(self.catalogue_wanted)
        self.setWidget(page)
        return page

    def show_mistakes(self, mistakes: Sequence[Mistake]) -> None:
        """Say beside the fields what is wrong with this step."""
        self._mistakes = mistakes
        self.page.show_mistakes(mistakes)

    def show_runs(self, count: int, duration: str) -> None:
        """Say how many rows the step makes."""
        if self.sweep is not None:
            runs = f"{count} runs, {duration}" if count > 1 else ""
            self.sweep.note.setText(runs)

    def show_advice(self, advice: Mapping[Path, Advice]) -> None:
        """Say beside the fields what fio would do with this step."""
        self._advice = advice
        self.page.show_advice(advice)

    @Slot(object)
    def ask(self, path: Path) -> None:
        """Show a field for a key that has none yet."""
        if not path[-1].strip() or path in self.fields:
            return
        self._asked.append(path)
        self.show_step(self._step, self._key, self._count)
        self.fields[path].editor.setFocus()
        self.ensureWidgetVisible(self.fields[path])

    @Slot()
    def _next_turn(self) -> None:
        self._turn += 1

    @Slot(object, object)
    def _tell(self, path: Path, value: object) -> None:
        self.edited.emit(path, value, f"{path} {self._turn}")
