"""The sources of a bench and their values as lines of a table."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.bench.model import SourceConfig
from app.report.chart.scale import channel_scale
from app.ui.kit.rows_model import Column
from app.ui.kit.states import look_of
from instruments.reading import Channel, Status

if TYPE_CHECKING:
    from app.operations.bench.check import SourceCheck

SECTIONS = {
    "power": "Power analyser",
    "thermal": "Temperatures, fans, supplies",
    "noise": "Noise",
    "host": "Host",
}
"""What a section of bench.toml is called, in the order of the box."""

_SAYS_LITTLE = ("", "1/s")
"""Units that do not tell what is measured, so the quantity is named as well."""

_RANK = {Status.CRIT: 0, Status.WARN: 1}


def state_of(check: "SourceCheck") -> str:
    """Say in a word of `SourceLine.state` what came of asking a source."""
    if not check.ok:
        return "lost"
    if any(status in _RANK for _, _, status in check.values):
        return "warns"
    if check.lacking:
        return "partly"
    return "overdue" if check.overdue_days else "ok"


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One source as it is listed.

    Attributes:
        config: As in bench.toml.
        state: "unknown", "checking", "ok", "warns", "partly", "overdue" or "lost".
        check: What it answered, None before it was asked.
    """

    config: SourceConfig
    state: str = "unknown"
    check: "SourceCheck | None" = None

    @property
    def identity(self) -> str:
        """Who answered."""
        who = self.check.identity if self.check else None
        if who is None:
            return ""
        label = " (simulated)" if who.simulated else ""
        serial = f", serial {who.serial}" if who.serial else ""
        return f"{f'{who.maker} {who.model}'.strip()}{serial}{label}"

    @property
    def reading(self) -> str:
        """The first value that warns, or else the first, and how many there are."""
        if self.check is None or self.check.error or not self.check.values:
            return ""
        more = len(self.check.values) - 1
        first = min(self.check.values, key=lambda one: _RANK.get(one[2], 2))
        return _value(*first) + (f" and {more} more" if more else "")

    @property
    def problem(self) -> str:
        """What went wrong, without saying again where; "" where nothing did."""
        error = self.check.error if self.check else None
        return error.bare if error else ""


@dataclass(frozen=True, slots=True)
class ValueLine:
    """One value of a source's reading."""

    channel: Channel
    value: float
    status: Status


def _value(channel: Channel, value: float, status: Status) -> str:
    name = channel.location or channel.quantity
    if channel.location and channel.unit in _SAYS_LITTLE:
        name = f"{channel.location} {channel.quantity}"
    if math.isnan(value):
        return f"{name} gap ({status})"
    mark = f" ({status})" if status in _RANK else ""
    return f"{name} {channel_scale(channel).full(value)}{mark}"


def source_columns() -> list[Column[SourceLine]]:
    """Make the columns of the sources."""
    return [
        Column("Source", lambda line: line.config.name),
        Column("Kind", lambda line: line.config.section),
        Column("Driver", lambda line: line.config.driver.name),
        Column("State", lambda line: line.state, lambda line: look_of(line.state)),
        Column(
            "Identity or error",
            lambda line: line.problem or line.identity,
        ),
        Column("Last reading", lambda line: line.reading),
        Column("Address", _address),
    ]


def _address(line: SourceLine) -> str:
    reached = line.check.address if line.check else ""
    return reached or line.config.address


def value_columns() -> list[Column[ValueLine]]:
    """Make the columns of the values."""

    def shown(line: ValueLine) -> str:
        if math.isnan(line.value):
            return "gap"
        return channel_scale(line.channel).text(line.value)

    return [
        Column("Channel", lambda line: line.channel.name),
        Column("Value", shown, right=True),
        Column("Unit", lambda line: channel_scale(line.channel).unit),
        Column("Status", lambda line: str(line.status)),
    ]
