"""The lists of tables that a campaign has beside its steps, and their cells."""

from app.operations.editing.field import Field, FieldKind
from app.plan.interlocks import ACTIONS
from app.ui.campaign.form.tables import Cell, TablesEditor
from app.ui.kit.icons import Icons

_K = FieldKind

CONFIGURATION = (
    (
        Cell(
            Field(("name",), help="What is set: letters, digits, - and _"),
            "layout",
            110,
        ),
        Cell(Field(("values",), _K.TEXTS, "Its values, with commas between")),
    ),
    (
        Cell(
            Field(
                ("prompt",),
                help="What the operator is asked to do, such as: Set the layout to "
                "{layout}. The name in braces stands for the value",
            ),
            "What the operator is asked to do",
        ),
        Cell(
            Field(
                ("command",),
                _K.COMMAND,
                "A program and its arguments that sets it, such as: zfs set "
                "sync={sync} tank. No shell reads them",
            ),
            "or a command that sets it",
        ),
    ),
)

INTERLOCK = (
    (
        Cell(Field(("name",), help="What the operator is told"), "", 190),
        Cell(
            Field(
                ("channels",),
                _K.TEXTS,
                "Patterns on channels: any one that matches trips it",
            ),
            "*.temperature.slot*",
        ),
        Cell(
            Field(("lost",), _K.TEXTS, "Or sources: one that is lost trips it"),
            "mains",
        ),
        Cell(
            Field(
                ("disk_free",), _K.SIZE, "Or bytes that the session's disk must have"
            ),
            "5g",
            64,
        ),
    ),
    (
        Cell(Field(("above",), _K.NUMBER, "It trips above this value"), "", 64),
        Cell(Field(("below",), _K.NUMBER, "It trips below this value"), "", 64),
        Cell(
            Field(("until",), _K.NUMBER, "All have to come back to this value"), "", 64
        ),
        Cell(Field(("for",), _K.DURATION, "It has to be so for this long"), "0s", 64),
        Cell(
            Field(
                ("action",),
                _K.CHOICE,
                "hold: the step is void and runs again when the cause is gone; "
                "stop: the run ends",
                ACTIONS[0],
                ACTIONS,
            ),
            "",
            84,
        ),
        Cell(
            Field(("give_up",), _K.DURATION, "A run that is held so long ends"),
            "1h",
            64,
        ),
    ),
)


def make_configurations(icons: Icons) -> TablesEditor:
    """Make the grid of settings that are changed between runs."""
    return TablesEditor(
        icons,
        CONFIGURATION,
        add="Add s&etting",
        tip="All steps are run with each value of a setting, such as a pool's layout "
        "(Alt+E)",
    )


def make_interlocks(icons: Icons) -> TablesEditor:
    """Make the grid of what holds a run."""
    return TablesEditor(
        icons,
        INTERLOCK,
        add="Add i&nterlock",
        tip="What holds the run until it is over, such as a drive above 60 degrees "
        "(Alt+N)",
        first={
            "name": "Drive too hot",
            "channels": ["*.temperature.slot*"],
            "above": 60,
            "until": 55,
        },
    )
