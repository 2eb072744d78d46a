"""The page of one step's form: its fields, limits, and the axes of its sweep."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.operations.editing.check import Mistake
from app.operations.editing.field import Field, Group
from app.operations.editing.fields import groups
from app.plan.edit import Path
from app.ui.campaign.fio_advice import Advice, joined
from app.ui.campaign.form.asker import OptionAsker
from app.ui.campaign.form.chosen import Chosen
from app.ui.campaign.form.field import CampaignField
from app.ui.campaign.form.field_grid import FieldGrid
from app.ui.campaign.form.fio_advice_label import AdviceLabel
from app.ui.campaign.form.fold import Fold
from app.ui.campaign.form.group import GroupFields, heading
from app.ui.campaign.form.limits import LimitsEditor
from app.ui.campaign.form.sweep import SweepEditor
from app.ui.campaign.form.tick import TableTick
from app.ui.kit.icons import Icons
from app.ui.kit.sentence_label import SentenceLabel
from workloads.engines import LOADS
from workloads.fio.options.catalogue import Catalogue

_LIMITS: Path = ("limits",)
_MIXED = "They have several engines; options are shown where all have the same one."
_NOTHING = "Choose a step to see what it does, or add one."


class FormPage(QWidget):
    """Fields for one step, or for what several have in common.

    Args:
        icons: Icons of the theme.
        chosen: The chosen steps.
        asked: Keys that are shown beside the usual ones.
        catalogue: What the fio here says of its options, None where it was not asked.

    Attributes:
        fields: Its fields by the path of their key.
        limits: The grid of limits, None where no step is shown.
        advice: What fio would do, where no field has it.
        sweep: The grid of axes, None for an engine that has none.
        asker: The box for further options, None for an engine that has no more.
        switches: The ticks of tables that can be left out, by their name.

    Signals:
        entered: A key (Path) is to have another value (None for none).
        left: What is entered next is another change.
        asked: A field for this key (Path) is wanted.
        catalogue_wanted: Somebody is looking for an option of fio.
    """

    entered = Signal(object, object)
    left = Signal()
    asked = Signal(object)
    catalogue_wanted = Signal()

    def __init__(
        self,
        icons: Icons,
        chosen: Chosen,
        asked: Sequence[Path],
        catalogue: Catalogue | None,
    ) -> None:
        super().__init__()
        self._icons = icons
        self._chosen = chosen
        self._asked = asked
        self.switches: dict[str, TableTick] = {}
        self._engine = chosen.engine
        self.fields: dict[Path, CampaignField] = {}
        self._folds: dict[Path, Fold] = {}
        self.limits: LimitsEditor | None = None
        self.sweep: SweepEditor | None = None
        self.asker: OptionAsker | None = None
        self.general = SentenceLabel("mistake")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(14, 10, 14, 14)
        self._layout.setSpacing(8)
        self._layout.addWidget(self.general)
        self.advice = AdviceLabel("the step")
        self._layout.addWidget(self.advice)
        self.setObjectName("surface")
        if not chosen.steps:
            self._say(_NOTHING, "muted")
        elif chosen.is_several:
            count = len(chosen.steps)
            self._say(f"{count} steps are chosen: what you change here changes all.")
            if not chosen.engine:
                self._say(_MIXED, "muted")
        if chosen.steps:
            self._build(groups(self._engine, catalogue))
        self._layout.addStretch(1)

    def _say(self, text: str, look: str = "chip") -> None:
        label = QLabel(text)
        label.setObjectName(look)
        label.setWordWrap(True)
        self._layout.addWidget(label)

    def _build(self, found: Sequence[Group]) -> None:
        known = {field.path for group in found for field in group.fields}
        tables = {group.table: group for group in found if group.table}
        for group in found:
            if not group.is_optional:
                is_last = tables.get(group.table) is group
                own = {field.path for field in group.fields}
                asked = [
                    path
                    for path in self._asked
                    if path in own
                    or (is_last and path[0] == group.table and path not in known)
                ]
                self._add_group(group, asked)
        others = [p for p in self._asked if p not in known and p[0] not in tables]
        if others:
            self._layout.addWidget(heading("More keys"))
            self._add_fields([Field(path, help=_as_it_stands(path)) for path in others])
        if self._engine in LOADS and not self._chosen.is_several:
            self._add_sweep(found)
        for group in found:
            if group.is_optional:
                self._add_optional(group)
        self._add_limits()

    def _add_group(self, group: Group, asked: Sequence[Path]) -> None:
        part = GroupFields(group, self._chosen, asked)
        part.entered.connect(self.entered)
        part.left.connect(self.left)
        part.asked.connect(self.asked)
        part.catalogue_wanted.connect(self.catalogue_wanted)
        self._layout.addWidget(part)
        self.fields.update(part.fields)
        self.asker = part.asker or self.asker
        if part.fold is not None:
            self._folds.update(dict.fromkeys(part.fields, part.fold))

    def _add_optional(self, group: Group) -> None:
        """Add a table that is switched on by a tick, with its fields while it is."""
        share = self._chosen.share(group.table)
        tick = self.switches[group.table] = TableTick(group, share)
        tick.entered.connect(self.entered)
        self._layout.addSpacing(6)
        self._layout.addWidget(tick)
        if share:
            self._add_fields(group.fields)

    def _add_fields(self, fields: Sequence[Field]) -> None:
        grid = FieldGrid(fields)
        grid.entered.connect(self.entered)
        grid.left.connect(self.left)
        self.fields.update(grid.fields)
        self._layout.addLayout(grid)

    def _add_sweep(self, found: Sequence[Group]) -> None:
        options = [
            field.path[-1]
            for group in found
            for field in group.fields
            if group.table == self._engine and field.shown
        ]
        self._layout.addWidget(heading("Sweep"))
        sweep = self.sweep = SweepEditor(self._icons, options)
        sweep.edited.connect(lambda: self.entered.emit(("sweep",), sweep.sweep()))
        sweep.left.connect(self.left)
        self._layout.addWidget(sweep)

    def _add_limits(self) -> None:
        self._layout.addWidget(heading("Limits"))
        limits = self.limits = LimitsEditor(self._icons)
        limits.edited.connect(self._enter_limits)
        limits.left.connect(self.left)
        self._layout.addWidget(limits)

    @Slot()
    def _enter_limits(self) -> None:
        """Tell the limits; several ones are not lost for a row without a number."""
        found = self.limits.limits() if self.limits is not None else None
        if found is not None or not self._chosen.differs(_LIMITS):
            self.entered.emit(_LIMITS, found)

    def show_values(self, chosen: Chosen) -> None:
        """Show what stands in the file; typing is not disturbed."""
        self._chosen = chosen
        axes = chosen.axes
        for path, field in self.fields.items():
            value = chosen.value(path)
            swept = path[0] == self._engine and path[-1] in axes
            field.show_value(value)
            field.show_swept(swept=swept)
            if chosen.differs(path, field.field.default):
                field.show_several()
            field.setEnabled(not swept or value is not None)
        if self.limits is not None and chosen.differs(_LIMITS):
            self.limits.show_several(len(chosen.steps))
        elif self.limits is not None:
            self.limits.show_limits(chosen.value(_LIMITS))
        if self.sweep is not None:
            self.sweep.show_sweep(chosen.value(("sweep",)))

    def show_mistakes(self, mistakes: Sequence[Mistake]) -> None:
        """Say beside the fields what is wrong with the step."""
        places: dict[str, LimitsEditor | SweepEditor] = {}
        if self.limits is not None:
            places["limits"] = self.limits
        if self.sweep is not None:
            places["sweep"] = self.sweep
        for editor in (*self.fields.values(), *places.values()):
            editor.complain("")
        told = ""
        for mistake in mistakes:
            first = mistake.path[0] if mistake.path else ""
            place = self.fields.get(mistake.path) or places.get(first)
            if place is None:
                told = mistake.sentence
            else:
                place.complain(mistake.sentence)
                self._unfold(mistake.path)
        self.general.say(told)

    def show_advice(self, advice: Mapping[Path, Advice]) -> None:
        """Say beside the fields what fio would do with the step as it is."""
        for path, field in self.fields.items():
            field.advice.advise(advice.get(path))
        for path in advice:
            self._unfold(path)
        others = [one for path, one in advice.items() if path not in self.fields]
        self.advice.advise(joined(others) if others else None)

    def _unfold(self, path: Path) -> None:
        if path in self._folds:
            self._folds[path].open()


def _as_it_stands(path: Path) -> str:
    return f"The key {'.'.join(path)} as it stands in the text"
