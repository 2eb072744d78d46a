"""Gates and checklists: what rules of others ask of a row, as data."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.plan.toml_file import parse_toml
from app.plan.toml_table import TomlTable
from instruments.settings import did_you_mean
from resources import names_in, read_text


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
    SECONDS = "window_s"
    PREPARED = "prepared_s"
    INTEGRATED = "energy_integrated"
    METER = "meter_percent"
    INTERVAL = "interval_percent"
    VALID = "valid_percent"
    LATENCY = "latency_ms"
    LATENCY_MAX = "latency_max_ms"
    RANGES = "range_changes"
    STEADY = "steady"
    ROUNDS = "steady_rounds"
    SPREAD = "tracking_range_percent"
    SLOPE = "tracking_slope_percent"
    IDLE = "idle_rows"
    TOGETHER = "power_and_rate"
    SIMULATED = "simulated_sources"
    CALIBRATION = "calibration_days"
    ROOM_RATE = "room_readings_per_min"


class Rows(StrEnum):
    """The rows that a gate is judged of."""

    ALL = "all"
    LOAD = "load"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate.

    Attributes:
        name: What a campaign calls it.
        title: What a report calls it.
        measure: What it bounds; None where nothing that is recorded shows it, so that
            somebody has to look.
        low: The lowest value that it lets through; None for any.
        high: The highest one; None for any.
        unit: Of both.
        source: Where they come from.
        verified: Whether somebody has read them there.
        rows: The rows that it is judged of.
    """

    name: str
    title: str
    measure: Measure | None
    low: float | None
    high: float | None
    unit: str
    source: str
    verified: bool
    rows: Rows = Rows.ALL

    def lets(self, value: float) -> bool:
        """Tell whether it lets a value through; never one that is not a number."""
        least = self.low if self.low is not None else -float("inf")
        most = self.high if self.high is not None else float("inf")
        return least <= value <= most

    @property
    def bounds(self) -> str:
        """Its bounds as they are shown, such as "20 to 27 °C"."""
        if self.low is None and self.high is None:
            return "to be looked at"
        if self.low is None:
            text = f"at most {self.high:g}"
        elif self.high is None:
            text = f"at least {self.low:g}"
        elif self.low == self.high:
            text = f"{self.low:g}"
        elif self.low == -self.high:
            text = f"within {self.high:g}"
        else:
            text = f"{self.low:g} to {self.high:g}"
        return self.with_unit(text)

    def with_unit(self, number: str) -> str:
        """Write a number with its unit, such as "9.4/s"."""
        is_rate = self.unit.startswith("1/")
        return (
            f"{number}{self.unit[1:]}" if is_rate else f"{number} {self.unit}".rstrip()
        )


@dataclass(frozen=True, slots=True)
class Checklist:
    """The rules of one method.

    Attributes:
        name: What the command line calls it.
        title: What a report calls it.
        about: What it is, in a sentence.
        rules: What it asks.
    """

    name: str
    title: str
    about: str
    rules: tuple[Gate, ...]


_FOLDER, _GATES = "checklists", "gates"


@functools.cache
def checklists() -> Mapping[str, Checklist]:
    """Read the checklists that ship, by their names; the gates are the first."""
    files = sorted(names_in(_FOLDER), key=lambda name: (name != f"{_GATES}.toml", name))
    return {
        (name := file.removesuffix(".toml")): _checklist(name, file) for file in files
    }


def gates() -> tuple[Gate, ...]:
    """Get the gates that ship, in the order of a report."""
    return checklists()[_GATES].rules


def rule_named(name: str) -> Gate | None:
    """Find a gate by its name, or a rule of a checklist such as "spec-power.rate"."""
    of, _, own = name.rpartition(".")
    found = checklists().get(of or _GATES)
    return (
        next((one for one in found.rules if one.name == own), None) if found else None
    )


def _checklist(name: str, file: str) -> Checklist:
    top = parse_toml(read_text(_FOLDER, file), f"{_FOLDER}/{file}")
    found = Checklist(
        name,
        top.text("title"),
        top.text("about"),
        tuple(_gate(table) for table in top.tables("rule")),
    )
    top.finish()
    return found


def _gate(table: TomlTable) -> Gate:
    def bound(key: str) -> float | None:
        if key not in table.values:
            return None
        return table.number(key, None, low=-float("inf"))

    is_judged = "measure" in table.values
    found = Gate(
        table.name(),
        table.text("title"),
        Measure(table.choice("measure", list(Measure), None)) if is_judged else None,
        bound("low"),
        bound("high"),
        table.text("unit", ""),
        table.text("source"),
        table.flag("verified", False),
        Rows(table.choice("rows", list(Rows), Rows.ALL)),
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
            what = f'there is no gate "{name}"{did_you_mean(name, known)}'
            table.fail("gates", what, expected)
    return tuple(known[name] for name in dict.fromkeys(names))
