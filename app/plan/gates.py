"""Gates: what a row has to keep to be quoted by the rules of others, as data."""

import functools
from dataclasses import dataclass
from enum import StrEnum

from app.plan.toml_file import parse_toml
from app.plan.toml_table import TomlTable
from resources import read_text


class Measure(StrEnum):
    """What a gate bounds; docs/method.md says how each is made."""

    UNCERTAINTY = "uncertainty_percent"
    ENERGY = "energy_off_percent"
    VOLTAGE = "voltage_off_percent"
    FREQUENCY = "frequency_off_percent"
    ROOM = "room_c"
    ROOM_DRIFT = "room_drift_k"
    RATE = "readings_per_s"
    READINGS = "readings"
    RANGING = "above_ranging_percent"
    CLOCK = "clock_apart_ms"
    SOUND = "calibration_drift_db"


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate.

    Attributes:
        name: What a campaign calls it.
        title: What a report calls it.
        measure: What it bounds.
        low: The lowest value that it lets through; None for any.
        high: The highest one; None for any.
        unit: Of both.
        source: Where they come from.
        verified: Whether somebody has read them there.
    """

    name: str
    title: str
    measure: Measure
    low: float | None
    high: float | None
    unit: str
    source: str
    verified: bool

    def lets(self, value: float) -> bool:
        """Tell whether it lets a value through; never one that is no number."""
        least = self.low if self.low is not None else -float("inf")
        most = self.high if self.high is not None else float("inf")
        return least <= value <= most

    @property
    def bounds(self) -> str:
        """Its bounds as they are shown, such as "20 to 27 °C"."""
        if self.low is None:
            text = f"at most {self.high:g}"
        elif self.high is None:
            text = f"at least {self.low:g}"
        elif self.low == -self.high:
            text = f"within {self.high:g}"
        else:
            text = f"{self.low:g} to {self.high:g}"
        return f"{text} {self.unit}".rstrip()


@functools.cache
def gates() -> tuple[Gate, ...]:
    """Read the gates that ship, in the order of a report."""
    top = parse_toml(read_text("gates", "rows.toml"), "gates/rows.toml")
    found = tuple(_gate(table) for table in top.tables("gate"))
    top.finish()
    return found


def _gate(table: TomlTable) -> Gate:
    def bound(key: str) -> float | None:
        return (
            table.number(key, None, low=-float("inf")) if key in table.values else None
        )

    found = Gate(
        table.name(),
        table.text("title"),
        Measure(table.choice("measure", list(Measure), None)),
        bound("low"),
        bound("high"),
        table.text("unit", ""),
        table.text("source"),
        table.flag("verified", False),
    )
    table.finish()
    return found


def named_gates(table: TomlTable) -> tuple[Gate, ...]:
    """Read the key `gates` of a campaign.

    Raises:
        BadInput: Names the file, the line and the key, and which gates there are.
    """
    known = {gate.name: gate for gate in gates()}
    names = table.texts("gates")
    for name in names:
        if name not in known:
            expected = f"Expected some of {', '.join(known)}."
            table.fail("gates", f'there is no gate "{name}"', expected)
    return tuple(known[name] for name in dict.fromkeys(names))
