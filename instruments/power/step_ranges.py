"""Fixed ranges that differ from step to step: standby and start do not share one."""

import re
from collections.abc import Mapping, Sequence

from instruments.errors import BadInput
from instruments.settings import Kind, Option, Settings

Ranges = tuple[float, float]
"""Voltage range in V and current range in A."""

STEP_RANGES = Option(
    "step_ranges",
    'Other ranges for some steps, such as "Standby = 300 V, 0.2 A".',
    Kind.TEXTS,
)
_STEP = re.compile(r"\s*(.+?)\s*=\s*([\d.]+)\s*V\s*,\s*([\d.]+)\s*A\s*")


class StepRanges:
    """The ranges of now, and those of each step.

    Args:
        usual: Where a step has none of its own.
        by_label: Ranges by label of the step.
    """

    def __init__(
        self, usual: Ranges, by_label: Mapping[str, Ranges] | None = None
    ) -> None:
        self._usual = usual
        self._by_label = dict(by_label or {})
        self.now = usual

    def choose(self, label: str) -> bool:
        """Take the ranges of a step; tell whether they differ from those before."""
        before, self.now = self.now, self._by_label.get(label, self._usual)
        return self.now != before


def take_ranges(
    settings: Settings, voltages: Sequence[float], currents: Sequence[float]
) -> StepRanges:
    """Read the keys voltage_range, current_range and step_ranges.

    Raises:
        BadInput: The meter has no such range, or a step is not written as expected.
    """
    usual = settings.number("voltage_range"), settings.number("current_range")
    return StepRanges(usual, parse_steps(settings, voltages, currents))


def parse_steps(
    settings: Settings, voltages: Sequence[float], currents: Sequence[float]
) -> dict[str, Ranges]:
    """Read the key step_ranges, by label; raises BadInput as `take_ranges` does."""
    texts = settings.texts(STEP_RANGES.key)
    return dict(_step(text, voltages, currents) for text in texts)


def _step(
    text: str, voltages: Sequence[float], currents: Sequence[float]
) -> tuple[str, Ranges]:
    parts = _STEP.fullmatch(text)
    try:
        if parts is None:  # "1.2.3" fits the expression, and is not a number either
            raise ValueError
        ranges = float(parts[2]), float(parts[3])
    except ValueError:
        raise BadInput(
            f'step_ranges has "{text}"',
            where=STEP_RANGES.key,
            way_out='Expected a label and two ranges, such as "Off = 300 V, 0.2 A".',
        ) from None
    for value, allowed, unit in zip(ranges, (voltages, currents), "VA", strict=True):
        if value not in allowed:
            names = ", ".join(f"{each:g}" for each in allowed)
            raise BadInput(
                f'step_ranges has {value:g} {unit} for "{parts[1]}"',
                where=STEP_RANGES.key,
                way_out=f"Expected one of {names} {unit}.",
            )
    return parts[1], ranges
