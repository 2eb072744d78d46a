"""The page of one step's form: its fields, limits, and the axes of its sweep."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QCheckBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from app.operations.campaign_check import Mistake
from app.operations.campaign_field import Field, FieldKind, Group
from app.operations.campaign_fields import groups, title_of
from app.plan.edit import Path, value_at
from app.ui.campaign_asker import OptionAsker
from app.ui.campaign_field import CampaignField
from app.ui.campaign_limits import LimitsEditor
from app.ui.campaign_sweep import SweepEditor
from app.ui.fio_advice import Advice, joined
from app.ui.fio_advice_label import AdviceLabel
from app.ui.fio_fold import Fold
from app.ui.icons import Icons
from app.ui.sentence_label import SentenceLabel
from workloads.engines import LOADS
from workloads.fio_catalogue import Catalogue

_LABEL_WIDTH = 92
_BREAK = "\N{ZERO WIDTH SPACE}"
"""Where a long name of an option may go on in the next line."""

_NOTHING = "Choose a step to see what it does, or add one."


class FormPage(QWidget):
    """Fields for one step, or for what several have in common.

    Args:
        icons: Icons of the theme.
        step: What stands in the file; nothing where no step is chosen.
        asked: Keys that are shown beside the usual ones.
        count: How many steps are chosen.
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
        step: Mapping[str, object],
        asked: Sequence[Path],
        count: int,
        catalogue: Catalogue | None,
    ) -> None:
        super().__init__()
        self._icons = icons
        self._step = step
        self._asked = asked
        self.switches: dict[str, QCheckBox] = {}
        self._engine = str(step.get("engine", ""))
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
        if not step:
            self._say(_NOTHING, "muted")
        elif count > 1:
            self._say(f"{count} steps are chosen: what you change here changes all.")
        if step:
            self._build(groups(self._engine, catalogue), many=count > 1)
        self._layout.addStretch(1)

    def _say(self, text: str, look: str = "chip") -> None:
        label = QLabel(text)
        label.setObjectName(look)
        label.setWordWrap(True)
        self._layout.addWidget(label)

    def _build(self, found: Sequence[Group], *, many: bool) -> None:
        known = {field.path for group in found for field in group.fields}
        tables = {group.table: group for group in found if group.table}
        for group in found:
            if not group.is_optional:
                is_last = tables.get(group.table) is group
                unknown = [
                    path
                    for path in self._asked
                    if is_last and path[0] == group.table and path not in known
                ]
                self._add_group(group, unknown, many=many)
        others = [p for p in self._asked if p not in known and p[0] not in tables]
        if others:
            self._begin("More keys")
            self._add_fields([Field(path, help=_as_it_stands(path)) for path in others])
        if self._engine in LOADS and not many:
            self._add_sweep(found)
        for group in found:
            if group.is_optional:
                self._add_optional(group)
        self._add_limits()

    def _add_optional(self, group: Group) -> None:
        """Add a table that is switched on by a tick, with its fields while it is."""
        box = self.switches[group.table] = QCheckBox(group.title)
        font = box.font()
        font.setWeight(QFont.Weight.DemiBold)
        box.setFont(font)
        box.setToolTip(f"{group.help} (Space)")
        box.setChecked(group.table in self._step)
        # Queued: the page is made anew then, and the box with it.
        box.toggled.connect(
            lambda on: self._enter((group.table,), dict(group.first) if on else None),
            Qt.ConnectionType.QueuedConnection,
        )
        self._layout.addSpacing(6)
        self._layout.addWidget(box)
        if group.table in self._step:
            self._add_fields(group.fields)

    def _begin(self, title: str) -> None:
        label = QLabel(title)
        label.setObjectName("heading")
        label.setContentsMargins(0, 8, 0, 0)
        self._layout.addWidget(label)

    def _add_group(self, group: Group, unknown: Sequence[Path], *, many: bool) -> None:
        shown = [
            field
            for field in group.fields
            if (field.shown or field.path in self._asked)
            and not (many and field.path == ("label",))
        ]
        if group.is_folded:
            self._add_folded(group, shown)
            return
        hidden = [f for f in group.fields if f not in shown and not f.shown]
        if group.table and not hidden:
            self._begin(title_of(group.title))
        self._add_fields([*shown, *(Field(path) for path in unknown)])
        if hidden:
            self._add_asker(hidden)

    def _add_folded(self, group: Group, fields: Sequence[Field]) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 4)
        used = any(value_at(self._step, field.path) is not None for field in fields)
        fold = Fold(group.title, content, is_open=used)
        fold.opened.connect(self.catalogue_wanted)
        self._layout.addWidget(fold)
        self._add_fields(fields, column)
        self._folds.update({field.path: fold for field in fields})

    def _add_asker(self, hidden: Sequence[Field]) -> None:
        asker = self.asker = OptionAsker(hidden)
        # Queued: the page is made anew then, and the box with it.
        asker.asked.connect(self.asked, Qt.ConnectionType.QueuedConnection)
        asker.opened.connect(self.catalogue_wanted)
        self._layout.addWidget(asker)

    def _add_fields(
        self, fields: Sequence[Field], place: QVBoxLayout | None = None
    ) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(10)
        form.setVerticalSpacing(6)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in fields:
            editor = CampaignField(field)
            editor.edited.connect(lambda value, p=field.path: self._enter(p, value))
            editor.left.connect(self.left)
            label = QLabel(field.title.replace("_", f"_{_BREAK}"))
            label.setAccessibleName(field.title)
            label.setBuddy(editor.editor)
            label.setToolTip(field.explained)
            label.setFixedWidth(_LABEL_WIDTH)
            label.setWordWrap(field.kind is not FieldKind.FLAG or "_" in field.title)
            form.addRow(label, editor)
            self.fields[field.path] = editor
        (place or self._layout).addLayout(form)

    def _enter(self, path: Path, value: object) -> None:
        self.entered.emit(path, value)

    def _add_sweep(self, found: Sequence[Group]) -> None:
        options = [
            field.path[-1]
            for group in found
            for field in group.fields
            if group.table == self._engine and field.shown
        ]
        self._begin("Sweep")
        sweep = self.sweep = SweepEditor(self._icons, options)
        sweep.edited.connect(lambda: self._enter(("sweep",), sweep.sweep()))
        sweep.left.connect(self.left)
        self._layout.addWidget(sweep)

    def _add_limits(self) -> None:
        self._begin("Limits")
        limits = self.limits = LimitsEditor(self._icons)
        limits.edited.connect(lambda: self._enter(("limits",), limits.limits()))
        limits.left.connect(self.left)
        self._layout.addWidget(limits)

    def show_values(self, step: Mapping[str, object]) -> None:
        """Show what stands in the file; typing is not disturbed."""
        sweep = step.get("sweep")
        axes = set(sweep) if isinstance(sweep, Mapping) else set()
        for path, field in self.fields.items():
            value = value_at(step, path)
            field.show_value(value)
            swept = path[0] == self._engine and path[-1] in axes
            field.show_swept(swept=swept)
            field.setEnabled(not swept or value is not None)
        if self.limits is not None:
            self.limits.show_limits(step.get("limits"))
        if self.sweep is not None:
            self.sweep.show_sweep(sweep)

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
