"""The page of one step's form: its fields, limits, and the axes of its sweep."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from app.operations.editing.check import Mistake
from app.operations.editing.field import Field, Group
from app.operations.editing.fields import groups
from app.operations.editing.new_step import title_of
from app.plan.edit import Path
from app.ui.campaign.fio_advice import Advice, joined
from app.ui.campaign.form.chosen import Chosen
from app.ui.campaign.form.parts import Fold, OptionAsker, TableCheckbox
from app.ui.campaign.form.rows import EditRow, RowsEditor
from app.ui.campaign.form.sweep import SweepEditor
from app.ui.kit.focus import lead_focus
from app.ui.kit.icons import Icons
from app.ui.kit.labels import WrappedLabel, tone
from app.ui.kit.option_field import CalmCombo, OptionField
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.widgets import column, make_form, make_heading, make_note, named
from instruments.metric import BY_NAME, RESULT_NAMES
from instruments.settings import Kind, Option
from workloads.engines import LOADS

_LABEL_WIDTH = 92


_LIMITS: Path = ("limits",)
_MIXED = "They have different engines; options are shown where all have the same one."
_NOTHING = "Select a step to see what it does, or add one."

_TIP = int(Qt.ItemDataRole.ToolTipRole)
_SIGNS = ("<=", ">=", "<", ">")
_LIMIT = re.compile(r"^\s*(\S+?)\s*(<=|>=|<|>)\s*(.*?)\s*$")


class _Limit(EditRow):
    def __init__(self, icons: Icons) -> None:
        self.result = CalmCombo()
        self.result.setEditable(True)
        for number, name in enumerate(RESULT_NAMES):
            self.result.addItem(name)
            self.result.setItemData(number, BY_NAME[name].about, _TIP)
        tip = "Result that the limit applies to"
        named(self.result, "Result that is limited", tip)
        self.sign = named(CalmCombo(), "Comparison", "<= is at most, >= is at least")
        self.sign.setFixedWidth(62)
        self.sign.addItems(list(_SIGNS))
        self.value = named(QLineEdit(), "Limit")
        self.value.setFixedWidth(72)
        self.unit = named(QLabel(), "", look="muted")
        self.unit.setMinimumWidth(32)
        editors = [(self.result, 1), (self.sign, 0), (self.value, 0), (self.unit, 0)]
        super().__init__(icons, editors, "Remove this limit")
        lead_focus(self, self.result)
        self.result.currentTextChanged.connect(self.show_unit)
        self.result.currentTextChanged.connect(self.edited)
        self.sign.currentTextChanged.connect(self.edited)
        self.value.textEdited.connect(self.edited)
        self.value.editingFinished.connect(self.left)
        self.show_unit()

    @property
    def text(self) -> str:
        name, value = self.result.currentText().strip(), self.value.text().strip()
        return f"{name} {self.sign.currentText()} {value}".strip()

    def show_text(self, text: str) -> None:
        if text == self.text:
            return
        found = _LIMIT.match(text)
        name, sign, value = found.groups() if found else (text, "<=", "")
        with QSignalBlocker(self.result), QSignalBlocker(self.sign):
            self.result.setCurrentText(name)
            self.sign.setCurrentText(sign)
        line = self.result.lineEdit()
        if line is not None:
            line.setCursorPosition(0)
        self.value.setText(value)
        self.value.setCursorPosition(0)
        self.show_unit()

    def show_unit(self) -> None:
        metric = BY_NAME.get(self.result.currentText().strip())
        unit, tip = (metric.unit, metric.about) if metric else ("", "")
        self.unit.setText(unit)
        self.value.setToolTip(f"{tip}{f', in {unit}' if unit else ''}" or "A number")
        if metric and not self.value.text():
            self.sign.setCurrentText(">=" if metric.more_is_better else "<=")


class LimitsEditor(RowsEditor[_Limit]):
    """Edits the list `limits` of a step."""

    def __init__(self, icons: Icons) -> None:
        super().__init__(
            icons,
            partial(_Limit, icons),
            add="&Limit",
            tip="A limit on a result: a step that breaks it has failed (Alt+L)",
        )

    def limits(self) -> list[str] | None:
        """Get the limits as they stand in the file, None without any.

        A row without a number does not count yet.
        """
        return [row.text for row in self.rows if row.value.text().strip()] or None

    def show_limits(self, limits: object) -> None:
        """Show the limits of a step; a row that was just begun stays."""
        self.note.setText("")
        wanted = [str(limit) for limit in limits] if isinstance(limits, list) else []
        if wanted == (self.limits() or []):
            return
        self.keep_rows(len(wanted))
        for row, text in zip(self.rows, wanted, strict=True):
            row.show_text(text)

    def show_several(self, count: int) -> None:
        """Say that these steps have several limits; those entered replace them."""
        self.show_limits(None)
        self.note.setText(
            f"Several values. A limit entered here applies to all {count}."
        )


class FormPage(QWidget):
    """Fields for one step, or for what several have in common.

    Args:
        asked: Keys that are shown beside the usual ones.

    Attributes:
        fields: Its fields by the path of their key.
        limits: The grid of limits, None where no step is shown.
        advice: What fio would do, where no field has it.
        sweep: The grid of axes, None for an engine that has none.
        asker: The box for further options, None for an engine that has no more.
        checkboxes: Those of tables that a step can go without, by their name.

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
        self.checkboxes: dict[str, TableCheckbox] = {}
        self._engine = chosen.engine
        self.fields: dict[Path, OptionField] = {}
        self._folds: dict[Path, Fold] = {}
        self.limits: LimitsEditor | None = None
        self.sweep: SweepEditor | None = None
        self.asker: OptionAsker | None = None
        self.general = SentenceLabel("mistake")
        self.advice = SentenceLabel()
        self.advice.setAccessibleDescription("What fio would do with the step")
        said = ReservedLine(self.general, self.advice)
        self._layout = column(said, of=self, margins=(14, 10, 14, 14), spacing=8)
        self.setObjectName("surface")
        count = len(chosen.steps)
        if not count:
            self._layout.addWidget(make_note(_NOTHING))
        elif chosen.is_several:
            sentence = f"{count} steps are selected: what you change here changes all."
            self._layout.addWidget(make_note(sentence, "chip"))
            if not chosen.engine:
                self._layout.addWidget(make_note(_MIXED))
        if count:
            self._build(groups(self._engine))
        self._layout.addStretch(1)

    def _build(self, found: Sequence[Group]) -> None:
        unknown = self._unknown_paths(found)
        self._add_usual(found, unknown)
        tables = {group.table for group in found if group.table}
        self._add_others([path for path in unknown if path[0] not in tables])
        if self._engine in LOADS and not self._chosen.is_several:
            self._add_sweep(found)
        for group in found:
            if group.is_optional:
                self._add_optional(group)
        self._add_limits()

    def _add_usual(self, found: Sequence[Group], unknown: Sequence[Path]) -> None:
        """Add what always shows, and unknown keys in the last group of their table."""
        last = {group.table: group for group in found if group.table}
        for group in (one for one in found if not one.is_optional):
            is_last = last.get(group.table) is group
            paths = [path for path in unknown if path[0] == group.table]
            self._add_group(group, [_unknown(path) for path in paths if is_last])

    def _unknown_paths(self, found: Sequence[Group]) -> list[Path]:
        """Get the keys asked for that no group has."""
        known = {field.path for group in found for field in group.fields}
        return [path for path in self._asked if path not in known]

    def _add_others(self, paths: Sequence[Path]) -> None:
        """Add keys that belong to no group, as they stand in the text."""
        if paths:
            self._add_heading("More keys")
            self._add_fields(
                _unknown(path, f"The key {'.'.join(path)} as it stands in the text")
                for path in paths
            )

    def _add_heading(self, title: str) -> None:
        label = make_heading(title)
        label.setContentsMargins(0, 8, 0, 0)
        self._layout.addWidget(label)

    def _add_group(self, group: Group, unknown: Sequence[Field]) -> None:
        """Add the usual fields of a group, and those that somebody asked for."""
        shown = [field for field in group.fields if self._is_shown(field)]
        if group.is_folded:
            self._add_fold(group.title, shown)
            return
        hidden = [f for f in group.fields if f not in shown and not f.shown]
        if group.table and not hidden:
            self._add_heading(title_of(group.title))
        self._add_fields([*shown, *unknown])
        if hidden:
            self._add_asker(hidden)

    def _is_shown(self, field: Field) -> bool:
        if self._chosen.is_several and field.path == ("label",):
            return False  # several steps do not take the same label
        return field.shown or field.path in self._asked

    def _add_asker(self, hidden: Sequence[Field]) -> None:
        """Add the box that offers the fields that are not shown."""
        asker = self.asker = OptionAsker(hidden)
        # Queued: the page is made again then, and the box with it.
        asker.asked.connect(self.asked, Qt.ConnectionType.QueuedConnection)
        self._layout.addWidget(asker)

    def _add_fold(self, title: str, fields: Sequence[Field]) -> None:
        """Add fields that are folded until one of them is used."""
        content = QWidget()
        inner = column(of=content, margins=(0, 0, 0, 4))
        is_used = any(self._chosen.has(field.path) for field in fields)
        fold = Fold(title, content, is_open=is_used)
        self._add_fields(fields, inner)
        self._folds.update(dict.fromkeys((field.path for field in fields), fold))
        self._layout.addWidget(fold)

    def _add_fields(
        self, fields: Iterable[Field], to: QVBoxLayout | None = None
    ) -> None:
        grid = make_form(10, 1)
        for field in fields:
            editor = OptionField(field.option, field.name, field.title, lines=2)
            editor.edited.connect(partial(self.entered.emit, field.path))
            editor.left.connect(self.left)
            wraps = field.option.kind is not Kind.FLAG or "_" in field.title
            label = WrappedLabel(field.title) if wraps else QLabel(field.title)
            named(label, field.title, field.option.explained)
            label.setBuddy(editor.editor)
            label.setFixedWidth(_LABEL_WIDTH)
            grid.addRow(label, editor)
            grid.addRow(editor.said)  # below the label, too: most take one line then
            self.fields[field.path] = editor
        (to or self._layout).addLayout(grid)

    def _add_optional(self, group: Group) -> None:
        """Add the checkbox of a table, and its fields while it is checked."""
        share = self._chosen.share(group.table)
        checkbox = self.checkboxes[group.table] = TableCheckbox(group, share)
        checkbox.entered.connect(self.entered)
        self._layout.addSpacing(6)
        self._layout.addWidget(checkbox)
        if share:
            self._add_fields(group.fields)

    def _add_sweep(self, found: Sequence[Group]) -> None:
        options = [
            field.path[-1]
            for group in found
            for field in group.fields
            if group.table == self._engine and field.shown
        ]
        sweep = self.sweep = SweepEditor(self._icons, options)
        sweep.edited.connect(lambda: self.entered.emit(("sweep",), sweep.sweep()))
        self._add_rows("Sweep", sweep)

    def _add_limits(self) -> None:
        limits = self.limits = LimitsEditor(self._icons)
        limits.edited.connect(self._enter_limits)
        self._add_rows("Limits", limits)

    def _add_rows(self, title: str, editor: LimitsEditor | SweepEditor) -> None:
        self._add_heading(title)
        editor.left.connect(self.left)
        self._layout.addWidget(editor)

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
        general = ""
        for mistake in mistakes:
            first = mistake.path[0] if mistake.path else ""
            place = self.fields.get(mistake.path) or places.get(first)
            if place is None:
                general = mistake.sentence
            else:
                place.complain(mistake.sentence)
                self._unfold(mistake.path)
        self.general.say(general)

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
