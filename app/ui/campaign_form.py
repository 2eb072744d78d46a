"""The form of a step: drawn from the groups of fields that its engine has."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.operations.campaign_check import Mistake
from app.operations.campaign_fields import (
    Field,
    Group,
    groups,
    other_keys,
    title_of,
)
from app.plan.edit import Path, value_at
from app.ui.campaign_asker import OptionAsker
from app.ui.campaign_field import CampaignField
from app.ui.campaign_limits import LimitsEditor
from app.ui.campaign_sweep import SweepEditor
from app.ui.icons import Icons
from workloads.engines import LOADS
from workloads.fio_catalogue import Catalogue

_LABEL_WIDTH = 92
_NOTHING = "Choose a step to see what it does, or add one."


class CampaignForm(QScrollArea):
    """Shows one step and tells every change at once.

    Attributes:
        fields: Its fields by the path of their key.
        limits: The grid of limits, None where no step is shown.
        sweep: The grid of axes, None for an engine that has none.
        asker: The box for further options, None for an engine that has no more.

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
        self._shape: tuple[object, ...] = ()
        self._asked: list[Path] = []
        self._turn = 0
        self._catalogue: Catalogue | None = None
        self._mistakes: Sequence[Mistake] = ()
        self.fields: dict[Path, CampaignField] = {}
        self.limits: LimitsEditor | None = None
        self.sweep: SweepEditor | None = None
        self.asker: OptionAsker | None = None
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("What the chosen step does")
        self.setMinimumWidth(300)
        self._rebuild(0)

    def set_catalogue(self, catalogue: Catalogue) -> None:
        """Take what the fio of this machine says of its options.

        Fields that are shown stay as they are, because somebody may be typing there.
        """
        self._catalogue = catalogue
        if self.asker is not None:
            offered = {field.path for field in self.asker.fields}
            found = groups("fio", catalogue)[1].fields
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
        if not self._shape or self._shape[0] != key:
            self._asked = []
        self._step = step
        engine = str(step.get("engine", ""))
        others = tuple(other_keys(step, engine)) if step else ()
        given = step.get(engine)
        own = tuple(given) if isinstance(given, Mapping) else ()
        self._asked += [(engine, k) for k in own if (engine, k) not in self._asked]
        self._asked += [path for path in others if path not in self._asked]
        shape = (key, bool(step), engine, count, tuple(self._asked))
        if shape != self._shape:
            scroll = self.verticalScrollBar().value()
            self._shape = shape
            self._rebuild(count)
            self.verticalScrollBar().setValue(scroll)
        for path, field in self.fields.items():
            field.show_value(value_at(step, path))
        if self.limits is not None:
            self.limits.show_limits(step.get("limits"))
        if self.sweep is not None:
            self.sweep.show_sweep(step.get("sweep"))
        self._show_swept()
        self.show_mistakes(self._mistakes)

    def show_mistakes(self, mistakes: Sequence[Mistake]) -> None:
        """Say beside the fields what is wrong with this step."""
        self._mistakes = mistakes
        for field in self.fields.values():
            field.complain("")
        for editor in (self.limits, self.sweep):
            if editor is not None:
                editor.complain("")
        self._general.setText("")
        for mistake in mistakes:
            if mistake.path in self.fields:
                self.fields[mistake.path].complain(mistake.sentence)
            elif mistake.path[:1] == ("limits",) and self.limits is not None:
                self.limits.complain(mistake.sentence)
            elif mistake.path[:1] == ("sweep",) and self.sweep is not None:
                self.sweep.complain(mistake.sentence)
            else:
                self._general.setText(mistake.sentence)
        self._general.setVisible(bool(self._general.text()))

    def show_runs(self, count: int, duration: str) -> None:
        """Say how many rows the step makes."""
        if self.sweep is not None:
            runs = f"{count} runs, {duration}" if count > 1 else ""
            self.sweep.note.setText(runs)

    def _rebuild(self, count: int) -> None:
        self.fields, self.limits, self.sweep, self.asker = {}, None, None, None
        before = self.takeWidget()
        if before is not None:
            before.hide()
            before.deleteLater()  # it may be one of its editors that has us here
        page = QWidget()
        page.setObjectName("surface")
        layout = QVBoxLayout(page)
        layout.setContentsMargins(14, 10, 14, 14)
        layout.setSpacing(8)
        self._general = QLabel("")
        self._general.setObjectName("mistake")
        self._general.setWordWrap(True)
        self._general.hide()
        layout.addWidget(self._general)
        if not self._step:
            empty = QLabel(_NOTHING)
            empty.setObjectName("muted")
            empty.setWordWrap(True)
            layout.addWidget(empty)
            layout.addStretch(1)
            self.setWidget(page)
            return
        if count > 1:
            many = QLabel(
                f"{count} steps are chosen: what you change here changes all."
            )
            many.setObjectName("chip")
            many.setWordWrap(True)
            layout.addWidget(many)
        engine = str(self._step.get("engine", ""))
        found = groups(engine, self._catalogue)
        for group in found:
            self._add_group(layout, group, many=count > 1)
        self._add_others(layout, {f.path for g in found for f in g.fields})
        if engine in LOADS and count == 1:
            self._add_sweep(layout, found)
        self._add_limits(layout)
        layout.addStretch(1)
        self.setWidget(page)

    def _add_group(self, layout: QVBoxLayout, group: Group, *, many: bool) -> None:
        shown = [
            field
            for field in group.fields
            if (field.shown or field.path in self._asked)
            and not (many and field.path == ("label",))
        ]
        known = {field.path for field in group.fields}
        shown += [
            Field(path)
            for path in self._asked
            if group.table and path[0] == group.table and path not in known
        ]
        if group.table:
            layout.addWidget(_heading(title_of(group.title)))
        form = _form()
        for field in shown:
            self._add_field(form, field)
        layout.addLayout(form)
        hidden = [f for f in group.fields if f not in shown and not f.shown]
        if hidden:
            asker = OptionAsker(hidden)
            # Queued: the form is made anew, and the box with it.
            asker.asked.connect(self.ask, Qt.ConnectionType.QueuedConnection)
            asker.opened.connect(self.catalogue_wanted)
            layout.addWidget(asker)
            self.asker = asker

    def _add_field(self, form: QFormLayout, field: Field) -> None:
        editor = CampaignField(field)
        editor.edited.connect(lambda value, path=field.path: self._tell(path, value))
        editor.left.connect(self._next_turn)
        is_flag = editor.editor.metaObject().className() == "QCheckBox"
        label = QLabel(field.title)
        label.setBuddy(editor.editor)
        label.setToolTip(field.help)
        label.setFixedWidth(_LABEL_WIDTH)
        label.setWordWrap(not is_flag)
        form.addRow(label, editor)
        self.fields[field.path] = editor

    @Slot(object)
    def ask(self, path: Path) -> None:
        """Show a field for a key that has none yet."""
        if not path[-1].strip() or path in self.fields:
            return
        self._asked.append(path)
        key, count = self._shape[0], self._shape[3]
        mistakes = self._mistakes
        self.show_step(self._step, key, count if isinstance(count, int) else 1)
        self.show_mistakes(mistakes)
        self.fields[path].editor.setFocus()
        self.ensureWidgetVisible(self.fields[path])

    def _add_others(self, layout: QVBoxLayout, known: set[Path]) -> None:
        """Show keys that no group knows, so that none is hidden."""
        engine = str(self._step.get("engine", ""))
        tables = {group.table for group in groups(engine) if group.table}
        paths = [p for p in self._asked if p not in known and p[0] not in tables]
        if not paths:
            return
        layout.addWidget(_heading("More keys"))
        form = _form()
        for path in paths:
            field = Field(
                path, help=f"The key {'.'.join(path)} as it stands in the text"
            )
            self._add_field(form, field)
        layout.addLayout(form)

    def _add_sweep(self, layout: QVBoxLayout, found: Sequence[Group]) -> None:
        engine = str(self._step.get("engine", ""))
        options = [
            field.path[-1]
            for group in found
            for field in group.fields
            if group.table == engine and field.shown
        ]
        layout.addWidget(_heading("Sweep"))
        self.sweep = SweepEditor(self._icons, options)
        self.sweep.begin(self._step.get("sweep"))
        self.sweep.edited.connect(self._tell_sweep)
        self.sweep.left.connect(self._next_turn)
        layout.addWidget(self.sweep)

    def _add_limits(self, layout: QVBoxLayout) -> None:
        layout.addWidget(_heading("Limits"))
        self.limits = LimitsEditor(self._icons)
        self.limits.begin(self._step.get("limits"))
        self.limits.edited.connect(self._tell_limits)
        self.limits.left.connect(self._next_turn)
        layout.addWidget(self.limits)

    def _show_swept(self) -> None:
        """Say of a field that its option is an axis: it has no value of its own."""
        sweep = self._step.get("sweep")
        axes = set(sweep) if isinstance(sweep, Mapping) else set()
        engine = str(self._step.get("engine", ""))
        for path, field in self.fields.items():
            swept = path[0] == engine and path[-1] in axes
            has_value = value_at(self._step, path) is not None
            field.setEnabled(not swept or has_value)
            field.show_swept(swept=swept)

    @Slot()
    def _next_turn(self) -> None:
        self._turn += 1

    def _tell(self, path: Path, value: object) -> None:
        self.edited.emit(path, value, f"{path} {self._turn}")

    @Slot()
    def _tell_sweep(self) -> None:
        if self.sweep is not None:
            self._tell(("sweep",), self.sweep.sweep())

    @Slot()
    def _tell_limits(self) -> None:
        if self.limits is not None:
            self._tell(("limits",), self.limits.limits())


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("heading")
    label.setContentsMargins(0, 8, 0, 0)
    return label


def _form() -> QFormLayout:
    form = QFormLayout()
    form.setHorizontalSpacing(10)
    form.setVerticalSpacing(6)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return form
