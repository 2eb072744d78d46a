"""The settings of a campaign: name, description, ranging, configurations."""

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

from app.operations.editing.check import Mistake
from app.operations.editing.field import Field, fields_of
from app.plan.blocks import items
from app.plan.edit import Path, value_at
from app.plan.gates import gates
from app.plan.interlocks import ACTIONS
from app.plan.limits import Rule
from app.plan.order import ORDERS
from app.ui.campaign.form.tables import Cell, TablesEditor
from app.ui.kit.icons import Icons
from app.ui.kit.option_field import OptionField
from app.ui.kit.widgets import column, make_form, make_heading, make_note
from instruments.settings import Kind, Option

CONFIGURATION = (
    (
        Cell(
            Option("name", "The name of the setting: letters, digits, - and _"),
            "layout",
            110,
        ),
        Cell(Option("values", "Its values, separated by commas", Kind.TEXTS)),
    ),
    (
        Cell(
            Option(
                "prompt",
                "What the operator is asked to do, such as: Set the layout to "
                "{layout}. The name in braces stands for the value",
            ),
            "What the operator is asked to do",
        ),
        Cell(
            Option(
                "command",
                "The program and arguments that set it, such as: zfs set "
                "sync={sync} tank. No shell reads them",
                Kind.COMMAND,
            ),
            "or a command that sets it",
        ),
    ),
)

INTERLOCK = (
    (
        Cell(Option("name", "What the operator reads when it trips"), "", 190),
        Cell(
            Option(
                "channels",
                "Patterns of channels: any one that matches trips it",
                Kind.TEXTS,
            ),
            "*.temperature.slot*",
        ),
        Cell(
            Option("lost", "Or sources: one that is lost trips it", Kind.TEXTS),
            "mains",
        ),
        Cell(
            Option(
                "disk_free",
                "Or bytes that must be free on the session's disk",
                Kind.SIZE,
            ),
            "5g",
            64,
        ),
    ),
    (
        Cell(Option("above", "It trips above this value", Kind.NUMBER), "", 64),
        Cell(Option("below", "It trips below this value", Kind.NUMBER), "", 64),
        Cell(
            Option("until", "All have to come back to this value", Kind.NUMBER),
            "",
            64,
        ),
        Cell(
            Option("for", "It has to last this long", Kind.DURATION),
            "0s",
            64,
        ),
        Cell(
            Option(
                "action",
                "hold: the run pauses, and the step is repeated once the condition "
                "clears; stop: the run ends",
                Kind.CHOICE,
                default=ACTIONS[0],
                choices=ACTIONS,
            ),
            "",
            84,
        ),
        Cell(
            Option("give_up", "A run that is paused for this long ends", Kind.DURATION),
            "1h",
            64,
        ),
    ),
)


_TOO_HOT = {
    "name": "Drive too hot",
    "channels": ["*.temperature.slot*"],
    "above": 60,
    "until": 55,
}
"""The interlock that a new row begins with."""

FIELDS = (
    *fields_of(
        (),
        Option("name", "The name of its sessions"),
        Option("description", "What the campaign is for", Kind.LINES),
        Option("loop", "Repeated until it is stopped", Kind.FLAG, default=False),
        Option(
            "rule",
            "How limits are compared with values that have an uncertainty",
            Kind.CHOICE,
            default=Rule.SIMPLE,
            choices=tuple(Rule),
        ),
        Option(
            "gates",
            f"Gates that each row has to pass: {', '.join(g.name for g in gates())}",
            Kind.TEXTS,
        ),
    ),
    *fields_of(
        ("ranging",),
        Option(
            "seconds",
            "Each load runs for this long beforehand, so that meters find their "
            "ranges; empty: no ranging pass",
            Kind.NUMBER,
            unit="s",
        ),
    ),
)
ORDER = fields_of(
    ("configurations",),
    Option(
        "order",
        "The order in which configurations are run",
        Kind.CHOICE,
        default="fixed",
        choices=ORDERS,
    ),
    Option("seed", "The seed of a shuffled order", Kind.INTEGER, default=1),
)
_TITLES: Mapping[Path, str] = {
    ("ranging", "seconds"): "Ranging pass before the first step"
}
_ABOUT = (
    "All steps run once per combination of settings. The last setting changes "
    "fastest, so put the slowest one first."
)
_HOLDING = (
    "An interlock that trips pauses the run: the load is stopped, its step is void and "
    "is repeated once the condition clears. A bench can have its own interlocks, too."
)


class CampaignSettings(QScrollArea):
    """Edits the top of a campaign and its configurations.

    Attributes:
        fields: Its fields by the path of their key.
        grids: The grids of tables, by the name of their list.

    Signals:
        edited: A key (Path) is to have another value; the text tells changes apart.
        listed: A list (by name) has other tables; the text likewise.
    """

    edited = Signal(object, object, str)
    listed = Signal(str, object, str)

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._turn = 0
        self.fields: dict[Path, OptionField] = {}
        self.grids: dict[str, TablesEditor] = {
            "configuration": TablesEditor(
                icons,
                CONFIGURATION,
                add="Add s&etting",
                tip="All steps are run with each value of a setting, such as a pool's "
                "layout (Alt+E)",
            ),
            "interlock": TablesEditor(
                icons,
                INTERLOCK,
                add="Add i&nterlock",
                tip="What pauses the run until it is over, such as a drive above 60 "
                "degrees (Alt+N)",
                first=_TOO_HOT,
            ),
        }
        for name, grid in self.grids.items():
            grid.edited.connect(lambda name=name: self._list(name))
            grid.left.connect(self._next_turn)
        self.other = make_note()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Settings of the campaign")
        page = QWidget()
        page.setObjectName("surface")
        layout = column(of=page, margins=(16, 12, 16, 12), spacing=8)
        layout.addLayout(self._make_form(FIELDS))
        _begin_part(layout, "Configurations", _ABOUT)
        layout.addWidget(self.grids["configuration"])
        self._order = QWidget()
        order = self._make_form(ORDER)
        order.setContentsMargins(0, 0, 0, 0)
        self._order.setLayout(order)
        layout.addWidget(self._order)
        _begin_part(layout, "Interlocks", _HOLDING)
        layout.addWidget(self.grids["interlock"])
        layout.addWidget(self.other)
        layout.addStretch(1)
        self.setWidget(page)

    def _make_form(self, fields: Sequence[Field]) -> QFormLayout:
        form = make_form(vertical=2)
        for field in fields:
            editor = OptionField(field.option, field.name, field.title)
            editor.edited.connect(lambda value, p=field.path: self._tell(p, value))
            editor.left.connect(self._next_turn)
            title = _TITLES.get(field.path, field.path[-1].capitalize())
            label = QLabel(title)
            label.setBuddy(editor.editor)
            label.setMinimumWidth(84)
            form.addRow(label, editor)
            self.fields[field.path] = editor
        return form

    def show_values(self, values: Mapping[str, object]) -> None:
        """Show the top of a campaign."""
        for path, field in self.fields.items():
            value = value_at(values, path)
            if path == ("ranging", "seconds") and values.get("ranging") is True:
                value = 10
            field.show_value(value)
        for name, grid in self.grids.items():
            grid.show_tables(items(values, name))
        self._order.setVisible(bool(items(values, "configuration")))
        shown = {path[0] for path in self.fields} | {"step", *self.grids}
        others = [key for key in values if key not in shown]
        text = f"Further keys, to be changed under Text: {', '.join(others)}."
        self.other.setText(text)
        self.other.setVisible(bool(others))

    def show_runs(self, sentence: str) -> None:
        """Say how many rows the configurations make."""
        self.grids["configuration"].note.setText(sentence)

    def show_mistakes(self, mistakes: Sequence[Mistake]) -> None:
        """Say beside the fields what is wrong."""
        for field in self.fields.values():
            field.complain("")
        for grid in self.grids.values():
            grid.complain("")
        for mistake in mistakes:
            if mistake.item is None and mistake.path in self.fields:
                self.fields[mistake.path].complain(mistake.sentence)
            elif mistake.item is not None and mistake.item[0] in self.grids:
                name, row = mistake.item
                place = f"{name.capitalize()} {row + 1}"
                self.grids[name].complain(f"{place}: {mistake.sentence}")

    @Slot()
    def _next_turn(self) -> None:
        self._turn += 1

    def _tell(self, path: Path, value: object) -> None:
        self.edited.emit(path, value, f"top {path} {self._turn}")

    def _list(self, name: str) -> None:
        self.listed.emit(name, self.grids[name].tables(), f"{name} {self._turn}")


def _begin_part(layout: QVBoxLayout, title: str, about: str) -> None:
    heading = make_heading(title)
    heading.setContentsMargins(0, 10, 0, 0)
    layout.addWidget(heading)
    layout.addWidget(make_note(about))
