"""What lm-sensors reads on a machine (`sensors -j`), as a source."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from instruments.driver import HOST, Driver, Found, period
from instruments.errors import BenchError, SourceError
from instruments.files.foreign_text import objects_of, parsed_json
from instruments.reading import Identity, Reading, Status
from instruments.settings import Kind, Option
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.machine.hwmon_values import (
    KINDS,
    temperature_limit,
    temperature_status,
)
from instruments.thermal.sensor_values import (
    HostSensors,
    SensorValue,
    judged,
    short_name,
)
from instruments.tools.command_errors import errors_of
from instruments.tools.hosts import Host

_INPUT = re.compile(r"(temp|fan|in|curr|power|humidity)(\d{1,18})_(input|average)")

Chips = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Numbers by chip, feature and subfeature."""


def parse(text: str) -> Chips | None:
    """Read the JSON of `sensors -j`; None where it is not one."""
    # Where a value cannot be read, such a line may stand among the JSON, and the comma
    # before it stays.
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
            for name, subs in objects_of(features)
        }
        for chip, features in objects_of(document)
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
        parts = _INPUT.fullmatch(subfeature)
        if parts:
            stem = f"{parts[1]}{parts[2]}"
            return _Feature(chip, name, numbers, parts[1], stem, numbers[subfeature])
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


_TIMEOUT_S = 10.0


class Sensors(HostSensors):
    """All chips that lm-sensors knows, or some, as a source of section "thermal".

    Chips are named as `sensors` takes them, such as "coretemp-*".
    """

    driver = "sensors"

    def open(self) -> Identity:
        """See which chips there are; raises SourceError."""
        self.close()
        with errors_of(self.name):
            version = run_tool(self._host, ["sensors", "-v"], _TIMEOUT_S).stdout
        chips, _ = self._ask()
        # One that cannot be read does not even say what it would measure.
        self._declare(value for value in list_values(chips) if value.unit)
        number = re.search(r"version (\S+)", version)
        names = ", ".join(sorted(chips))
        return Identity(
            "lm-sensors", names, "", number[1] if number else "", str(self._host)
        )

    def read(self) -> Reading:
        """Read all chips; raises SourceError."""
        if not self._keys:
            raise self._not_open()
        start = self._clock()
        chips, text = self._ask()
        end = self._clock()
        values = {value.key: value for value in list_values(chips)}
        return self._reading(values, (start, end), text)

    def _ask(self) -> tuple[Chips, str]:
        argv = ["sensors", "-j", *self._names]
        with errors_of(self.name):
            done = run_tool(self._host, argv, _TIMEOUT_S)
        chips = parse(done.stdout)
        if chips:
            return chips, done.stdout
        complaint = (done.stderr.strip().splitlines() or ["it printed nothing"])[0]
        # Before 3.5 it has no -j; getopt's words differ between C libraries.
        if "invalid option" in done.stderr or "nknown option" in done.stderr:
            way_out = "Install lm-sensors 3.5 or newer, or use the driver hwmon."
        else:
            way_out = "See what 'sensors -j' prints there; 'sensors-detect' helps."
        raise SourceError(
            f"it has no sensors ({complaint.rstrip('!.')})",
            where=f"{self.name} (sensors on {self._host})",
            way_out=way_out,
            status=Status.ERROR if chips is None else Status.ABSENT,
        )


def _discover(host: Host) -> list[Found]:
    try:
        chips = parse(host.run(["sensors", "-j"], _TIMEOUT_S).stdout)
    except BenchError:
        return []
    label = f"lm-sensors: {', '.join(sorted(chips))}" if chips else ""
    return [Found(label, {})] if label else []


DRIVER = Driver(
    "thermal",
    "sensors",
    "lm-sensors: boards, processors, drives",
    (
        Option(
            "chips",
            "Chips to read, as 'sensors' takes them; without it, all of them.",
            Kind.TEXTS,
            example="coretemp-*",
        ),
        period(5.0, 0.5),
        HOST,
    ),
    Sensors,
    _discover,
)
