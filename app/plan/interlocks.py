"""Interlocks: what must hold a run, in campaign.toml and in bench.toml."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from app.plan.toml_table import TomlTable
from instruments.durations import format_duration
from instruments.sizes import format_size

ACTIONS = ("hold", "stop")

GIVE_UP_S = 3600.0
"""A run that was held for so long ends, where the interlock does not say."""


@dataclass(frozen=True, slots=True)
class Interlock:
    """One [[interlock]]: of channels, sources and disk space it watches one.

    Attributes:
        name: What the operator is shown.
        channels: Patterns on printed names, such as "*.temperature.slot*"; any
            channel that matches one of them trips it.
        above: It trips above this value, in the channel's unit; None does not ask.
        below: It trips below this value.
        until: While it holds, every channel has to come back to this value.
        lost: Patterns on names of sources; one that is lost trips it.
        disk_free: It trips where the session's disk has fewer bytes left; 0 does not
            ask.
        for_s: It has to be so for this long, in both directions.
        action: "hold": the step is void and runs again when the cause is gone.
            "stop": the run ends.
        give_up_s: A run that was held for so long ends.
    """

    name: str
    channels: tuple[str, ...] = ()
    above: float | None = None
    below: float | None = None
    until: float | None = None
    lost: tuple[str, ...] = ()
    disk_free: int = 0
    for_s: float = 0.0
    action: str = "hold"
    give_up_s: float = GIVE_UP_S

    def watches(self, channel: str) -> bool:
        """Tell whether a channel, by its printed name, is one of its own."""
        return any(fnmatchcase(channel, pattern) for pattern in self.channels)

    def needs(self, source: str) -> bool:
        """Tell whether it trips where this source is lost."""
        return any(fnmatchcase(source, pattern) for pattern in self.lost)

    def trips_at(self, value: float) -> bool:
        """Tell whether a value is beyond what it allows."""
        too_high = self.above is not None and value > self.above
        return too_high or (self.below is not None and value < self.below)

    def clears_at(self, value: float) -> bool:
        """Tell whether a value is good again."""
        if self.until is None:
            return not self.trips_at(value)
        return value <= self.until if self.above is not None else value >= self.until

    @property
    def limit(self) -> str:
        """Its threshold in words, such as "above 60"."""
        if self.above is not None:
            return f"above {self.above:g}"
        return f"below {self.below:g}"

    @property
    def cleared(self) -> str:
        """When the run goes on, in words, such as "it is at most 55 for 10s"."""
        lasting = f" for {format_duration(self.for_s)}" if self.for_s else ""
        if self.lost:
            return f"it answers again{lasting}"
        if self.disk_free:
            return f"there is enough space again{lasting}"
        if self.until is None:
            return f"it is no longer {self.limit}{lasting}"
        side = "at most" if self.above is not None else "at least"
        return f"it is {side} {self.until:g}{lasting}"


def parse_interlocks(top: TomlTable) -> tuple[Interlock, ...]:
    """Read the tables [[interlock]] of a file.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    interlocks: list[Interlock] = []
    for table in top.tables("interlock"):
        one = _interlock(table)
        if any(one.name == other.name for other in interlocks):
            table.fail("name", f'"{one.name}" appears twice', "Rename one of them.")
        interlocks.append(one)
    return tuple(interlocks)


def _interlock(table: TomlTable) -> Interlock:
    one = Interlock(
        name=table.text("name"),
        channels=tuple(table.texts("channels")),
        above=_bound(table, "above"),
        below=_bound(table, "below"),
        until=_bound(table, "until"),
        lost=tuple(table.texts("lost")),
        disk_free=table.size("disk_free", "5g") or 0,
        for_s=table.duration("for", 0.0),
        action=table.choice("action", ACTIONS, "hold"),
        give_up_s=table.duration("give_up", GIVE_UP_S),
    )
    table.finish()
    kinds = [bool(one.channels), bool(one.lost), bool(one.disk_free)]
    if sum(kinds) != 1:
        expected = "Expected one of channels, lost and disk_free."
        table.fail("", f'"{one.name}" watches {sum(kinds)} kinds of things', expected)
    bounds = (one.above is not None) + (one.below is not None)
    if one.channels and bounds != 1:
        table.fail("above", "it needs one threshold", "Expected above or below.")
    if not one.channels and (bounds or one.until is not None):
        table.fail("above", "a threshold needs channels", "Name them in channels.")
    if one.until is not None and one.trips_at(one.until):
        what = f"until is {one.until:g}, which trips it again"
        table.fail("until", what, f"Expected a value that is not {one.limit}.")
    return one


def interlock_tables(interlocks: Sequence[Interlock]) -> list[Mapping[str, object]]:
    """Get what stands in the file, as `parse_interlocks` reads it."""
    return [_table(interlock) for interlock in interlocks]


def _table(one: Interlock) -> dict[str, object]:
    numbers = {"above": one.above, "below": one.below, "until": one.until}
    table: dict[str, object] = {"name": one.name}
    if one.channels:
        table["channels"] = list(one.channels)
    table |= {key: value for key, value in numbers.items() if value is not None}
    if one.lost:
        table["lost"] = list(one.lost)
    if one.disk_free:
        table["disk_free"] = format_size(one.disk_free)
    if one.for_s:
        table["for"] = format_duration(one.for_s)
    if one.action != "hold":
        table["action"] = one.action
    if one.give_up_s != GIVE_UP_S:
        table["give_up"] = format_duration(one.give_up_s)
    return table


def _bound(table: TomlTable, key: str) -> float | None:
    if key not in table.values:
        return None
    return table.number(key, low=-1e18)
