"""The JSON of `sensors -j`, read in spite of its faults.

It needs lm-sensors 3.5. A chip without features leaves a comma too much in it up to
3.6 (lm-sensors issue 513), and a feature that cannot be read is empty (issue 121).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from instruments.files.foreign_text import parsed_json
from instruments.reading import Status
from instruments.thermal.machine.hwmon_values import (
    KINDS,
    temperature_limit,
    temperature_status,
)
from instruments.thermal.sensor_values import (
    SensorValue,
    judged,
    short_name,
)

_INPUT = re.compile(r"(temp|fan|in|curr|power|humidity)(\d{1,18})_(input|average)")

Chips = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Numbers by chip, feature and subfeature."""


def parse(text: str) -> Chips | None:
    """Read the JSON of `sensors -j`; None where it is none."""
    lines = [line for line in text.splitlines() if not line.startswith("ERROR:")]
    mended = re.sub(r",(\s*})", r"\1", "\n".join(lines))
    try:
        document = parsed_json(mended)
    except ValueError:
        return None
    if not isinstance(document, dict):
        return None
    return {
        chip: {
            name: {k: v for k, v in subs.items() if isinstance(v, int | float)}
            for name, subs in features.items()
            if isinstance(subs, dict)
        }
        for chip, features in document.items()
        if isinstance(features, dict)
    }


@dataclass(frozen=True, slots=True)
class _Feature:
    chip: str
    name: str
    numbers: Mapping[str, float]
    kind: str = ""
    stem: str = ""
    value: float | None = None


def list_values(chips: Chips) -> list[SensorValue]:
    """Make a value of each feature that measures something."""
    features = [_feature(*each) for each in _features(chips)]
    values = []
    for feature in features:
        # The whole name of the chip, so that another one does not change it.
        place = f"{short_name(feature.chip)}-{short_name(feature.name)}"
        # A feature that could not be read does not say what it measures.
        quantity, unit, _ = KINDS.get(feature.kind, ("", "", 1.0))
        number, status = judged(feature.value, _status(feature))
        key = f"{feature.chip} {feature.name}"
        if feature.kind or not feature.numbers:
            values.append(
                SensorValue(key, feature.name, quantity, unit, number, status, place)
            )
    return values


def _features(chips: Chips) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    for chip, features in chips.items():
        for name, numbers in features.items():
            yield chip, name, numbers


def _feature(chip: str, name: str, numbers: Mapping[str, float]) -> _Feature:
    for subfeature in sorted(numbers, reverse=True):  # inputs before averages
        found = _INPUT.fullmatch(subfeature)
        if found:
            stem = f"{found[1]}{found[2]}"
            return _Feature(chip, name, numbers, found[1], stem, numbers[subfeature])
    return _Feature(chip, name, numbers)


def _status(feature: _Feature) -> Status:
    if not feature.kind or feature.numbers.get(f"{feature.stem}_fault"):
        return Status.ERROR
    if feature.kind != "temp" or feature.value is None:
        return Status.OK
    limits = (
        temperature_limit(feature.numbers.get(f"{feature.stem}_{which}"))
        for which in ("max", "crit")
    )
    return temperature_status(feature.value, *limits)
