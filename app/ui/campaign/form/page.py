"""The page of one step's form: its fields, limits, and the axes of its sweep."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFormLayout, QLabel, QVBoxLayout, QWidget

from app.operations.editing.check import Mistake
from app.operations.editing.field import Field, Group
from app.operations.editing.fields import groups
from app.operations.editing.new_step import title_of
from app.plan.edit import Path
from app.ui.campaign.fio_advice import Advice, joined
from app.ui.campaign.form.asker import OptionAsker
from app.ui.campaign.form.chosen import Chosen
from app.ui.campaign.form.fold import Fold
from app.ui.campaign.form.limits import LimitsEditor
from app.ui.campaign.form.sweep import SweepEditor
from app.ui.campaign.form.tick import TableTick
from app.ui.kit.icons import Icons
from app.ui.kit.labels import tone
from app.ui.kit.option_field import OptionField
from app.ui.kit.sentences import SentenceLabel
from instruments.settings import Kind, Option
from workloads.engines import LOADS

_LABEL_WIDTH = 92
_BREAK = "\N{ZERO WIDTH SPACE}"
"""Where a long name of an option may go on in the next line."""


class FieldGrid(QFormLayout):
    """Lays out fields and tells what is entered.

    Attributes:
        fields: Its fields by the path of their key.

    Signals:
        entered: A key (Path) is to have another value (None for none).
        left: What is entered next is another change.
    """

    entered = Signal(object, object)
    left = Signal()

    def __init__(self, fields: Sequence[Field]) -> None:
        super().__init__()
        self.fields: dict[Path, OptionField] = {}
        self.setHorizontalSpacing(10)
        self.setVerticalSpacing(6)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in fields:
            self._add(field)

    def _add(self, field: Field) -> None:
        editor = OptionField(field.option, field.name, field.title)
        editor.edited.connect(lambda value: self.entered.emit(field.path, value))
        editor.left.connect(self.left)
        label = QLabel(field.title.replace("_", f"_{_BREAK}"))
        label.setAccessibleName(field.title)
        label.setBuddy(editor.editor)
        label.setToolTip(field.option.explained)
        label.setFixedWidth(_LABEL_WIDTH)
        label.setWordWrap(field.option.kind is not Kind.FLAG or "_" in field.title)
        self.addRow(label, editor)
        self.fields[field.path] = editor


class GroupFields(QWidget):
    """Shows the usual fields of a group, and those that somebody asked for.

    Args:
        group: The group.
        chosen: The chosen steps; a folded group is open where they use it.
        asked: Keys that are shown beside the usual ones.

    Attributes:
        fields: Its fields by the path of their key.
        asker: The box for further options, None for a group that has no more.
        fold: What hides its fields, None for a group that is not folded.

    Signals:
        entered: A key (Path) is to have another value (None for none).
        left: What is entered next is another change.
        asked: A field for this key (Path) is wanted.
    """

    entered = Signal(object, object)
    left = Signal()
    asked = Signal(object)

    def __init__(self, group: Group, chosen: Chosen, asked: Sequence[Path]) -> None:
        super().__init__()
        self.fields: dict[Path, OptionField] = {}
        self.asker: OptionAsker | None = None
        self.fold: Fold | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(8)
        known = {field.path for field in group.fields}
        shown = [
            field
            for field in group.fields
            if (field.shown or field.path in asked)
            and not (chosen.is_several and field.path == ("label",))
        ]
        if group.is_folded:
            self._fold(group, shown, chosen)
            return
        hidden = [f for f in group.fields if f not in shown and not f.shown]
        if group.table and not hidden:
            self._layout.addWidget(heading(title_of(group.title)))
        unknown = [_unknown(path) for path in asked if path not in known]
        self._layout.addLayout(self._grid([*shown, *unknown]))
        if hidden:
            self._ask_for(hidden)

    def _grid(self, fields: Sequence[Field]) -> FieldGrid:
        grid = FieldGrid(fields)
        grid.entered.connect(self.entered)
        grid.left.connect(self.left)
        self.fields.update(grid.fields)
        return grid

    def _fold(self, group: Group, fields: Sequence[Field], chosen: Chosen) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 4)
        column.addLayout(self._grid(fields))
        used = any(chosen.has(field.path) for field in fields)
        self.fold = Fold(group.title, content, is_open=used)
        self._layout.addWidget(self.fold)

    def _ask_for(self, hidden: Sequence[Field]) -> None:
        asker = self.asker = OptionAsker(hidden)
        # Queued: the page is made anew then, and the box with it.
        asker.asked.connect(self.asked, Qt.ConnectionType.QueuedConnection)
        self._layout.addWidget(asker)


def heading(title: str) -> QLabel:
    """Make the heading of a part of the form."""
    label = QLabel(title)
    label.setObjectName("heading")
    label.setContentsMargins(0, 8, 0, 0)
    return label


_LIMITS: Path = ("limits",)
_MIXED = "They have several engines; options are shown where all have the same one."
_NOTHING = "Choose a step to see what it does, or add one."


class FormPage(QWidget):
    """Fields for one step, or for what several have in common.

    Args:
        icons: Icons of the theme.
        chosen: The chosen steps.
        asked: Keys that are shown beside the usual ones.

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
    """

    entered = Signal(object, object)
    left = Signal()
    asked = Signal(object)

    def __init__(self, icons: Icons, chosen: Chosen, asked: Sequence[Path]) -> None:
        super().__init__()
        self._icons = icons
        self._chosen = chosen
        self._asked = asked
        self.switches: dict[str, TableTick] = {}
        self._engine = chosen.engine
        self.fields: dict[Path, OptionField] = {}
        self._folds: dict[Path, Fold] = {}
        self.limits: LimitsEditor | None = None
        self.sweep: SweepEditor | None = None
        self.asker: OptionAsker | None = None
        self.general = SentenceLabel("mistake")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(14, 10, 14, 14)
        self._layout.setSpacing(8)
        self._layout.addWidget(self.general)
        self.advice = SentenceLabel()
        self.advice.setAccessibleName("What fio would do with the step")
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
            self._build(groups(self._engine))
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
            self._add_fields([_unknown(path, _as_it_stands(path)) for path in others])
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
            if chosen.differs(path, field.default):
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
            _advise(field.advice, advice.get(path))
        for path in advice:
            self._unfold(path)
        others = [one for path, one in advice.items() if path not in self.fields]
        _advise(self.advice, joined(others) if others else None)

    def _unfold(self, path: Path) -> None:
        if path in self._folds:
            self._folds[path].open()


def _advise(label: SentenceLabel, advice: Advice | None) -> None:
    """Say what fio would do, in the colour of how bad that is; None takes it back."""
    if advice is not None:
        tone(label, "error" if advice.is_bad else "warn")
    label.say("" if advice is None else advice.text)


def _unknown(path: Path, text: str = "") -> Field:
    return Field(path[:-1], Option(path[-1], text))


def _as_it_stands(path: Path) -> str:
    return f"The key {'.'.join(path)} as it stands in the text"
