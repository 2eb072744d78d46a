"""The switches of a bench as lines of a table, and the words of their actions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.bench.model import SwitchConfig
from app.ui.kit.rows_model import Column
from app.ui.kit.states import look_of
from instruments.switch.base import (
    CYCLE,
    FAN,
    IDENTIFY,
    IDENTIFY_OFF,
    LOCATE,
    LOCATE_OFF,
    OFF,
    ON,
    SOFT,
)

if TYPE_CHECKING:
    from app.operations.bench.switch_check import SwitchCheck


@dataclass(frozen=True, slots=True)
class SwitchLine:
    """One switch as it is listed.

    Attributes:
        config: As in bench.toml.
        state: "unknown", "checking", "ok" or "lost".
        check: What it answered, None before it was asked.
    """

    config: SwitchConfig
    state: str = "unknown"
    check: "SwitchCheck | None" = None

    @property
    def summary(self) -> str:
        """What is on, or what went wrong."""
        if self.check is None:
            return ""
        return self.check.error or self.check.text


@dataclass(frozen=True, slots=True)
class Words:
    """What a button says, and what its tip adds."""

    text: str
    tip: str


WORDS = {
    ON: Words("T&urn on", "Turn power on"),
    OFF: Words("Turn o&ff...", "Cut power at once"),
    CYCLE: Words("C&ycle...", "Cut power and restore it"),
    SOFT: Words("Shut do&wn...", "Ask the machine to shut down"),
    IDENTIFY: Words("&Identify", "Turn the identify lamp of the chassis on"),
    IDENTIFY_OFF: Words("Iden&tify off", "Turn the identify lamp off"),
    LOCATE: Words("Li&ght slot", "Turn the locate lamp of this slot on"),
    LOCATE_OFF: Words("Ligh&t off", "Turn the locate lamp of this slot off"),
    FAN: Words("Set &fans", "Ask the enclosure for this speed of all its fans"),
}
"""The actions of switches by their names."""


ACTION_ROWS = (
    ("Power", (ON, OFF, CYCLE, SOFT)),
    ("Identify", (IDENTIFY, IDENTIFY_OFF)),
    ("Locate", (LOCATE, LOCATE_OFF)),
    ("Fans", (FAN,)),
)
"""Which actions stand in a row of buttons, and what the row is called."""


def switch_columns() -> list[Column[SwitchLine]]:
    """Make the columns of the switches."""
    return [
        Column("Switch", lambda line: line.config.name),
        Column(
            "Driver",
            lambda line: line.config.driver.name,
            tip=lambda line: line.config.driver.title,
        ),
        Column("State", lambda line: line.state, lambda line: look_of(line.state)),
        Column(
            "What is on, or what went wrong",
            lambda line: line.summary,
            tip=lambda line: line.summary,
        ),
        Column("Allowed", lambda line: _words(line.config.allowed)),
        Column("Address", lambda line: line.config.address),
    ]


def _words(actions: tuple[str, ...]) -> str:
    """Name permissions, without the word that puts a light out again."""
    return (
        ", ".join(action for action in actions if not action.endswith("-off"))
        or "nothing"
    )
