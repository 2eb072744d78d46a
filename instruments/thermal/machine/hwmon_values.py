"""From the files of the kernel's sensors to values with units and a status.

Units and names are those of the kernel's hwmon sysfs interface.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from instruments.reading import Status
from instruments.thermal.machine.hwmon_tree import Chip
from instruments.thermal.sensor_values import SensorValue, judged, short_name

KINDS = {
    "temp": ("temperature", "degC", 1e-3),
    "fan": ("fan", "1/min", 1.0),
    "in": ("voltage", "V", 1e-3),
    "curr": ("current", "A", 1e-3),
    "power": ("power", "W", 1e-6),
    "humidity": ("humidity", "%", 1e-3),
}
"""Quantity, unit and factor by the kernel's name of a kind of sensor."""

# Drivers leave the limits that a chip does not have at 0 or at absurd values.
_COLDEST = -273.15
_HOTTEST = 1000.0  # above any limit; NVMe drives without one tell 65261.85
_MAIN = ("", "composite")  # the label of drivetemp's only one, and of nvme's first


@dataclass(frozen=True, slots=True)
class Sensor:
    """One sensor of a chip, and where its value is now.

    Attributes:
        key: Tells it from the others, the same after its chip was gone.
        chip: The key of its chip.
        quantity: What is measured, as in `Channel`.
        unit: Its unit, as in `Channel`.
        place: Its location, as in `Channel`.
        factor: What makes the file's number a value in the unit.
        paths: The file with the value, then the one with its fault, if any.
        warn: From where on it is a warning; None without one.
        crit: From where on it is critical; None without one.
    """

    key: str
    chip: str
    quantity: str
    unit: str
    place: str
    factor: float
    paths: tuple[str, ...]
    warn: float | None = None
    crit: float | None = None


def list_sensors(chips: Iterable[Chip]) -> list[Sensor]:
    """List the sensors of some chips.

    Their names do not depend on the other chips, but for those of one name without a
    device: the label of its first sensor is part of each name of theirs.
    """
    sensors = []
    chips = list(chips)
    names = [chip.name for chip in chips if not chip.device]
    for chip in chips:
        part = chip.part
        if not chip.device and chip.label and names.count(chip.name) > 1:
            part += f"-{short_name(chip.label)}"
        for kind, index, attribute in chip.inputs():
            stem = f"{kind}{index}"
            place = _place(chip, part, stem, is_first=index == "1")
            sensors.append(_sensor(chip, kind, stem, attribute, place))
    return sensors


def _place(chip: Chip, part: str, stem: str, *, is_first: bool) -> str:
    """Name where a sensor is: a drive's main one has the place of the drive itself."""
    label = chip.texts.get(f"{stem}_label", "")
    name = short_name(label or stem)
    if not chip.place:
        return f"{part}-{name}"
    is_main = is_first and label.lower() in _MAIN
    return chip.place if is_main else f"{chip.place}-{name}"


def sensor_value(sensor: Sensor, texts: Mapping[str, str | None]) -> SensorValue:
    """Make the value of a sensor, or a gap.

    drivetemp has no value right after a drive woke up, and a file that cannot be read
    is an error of that one moment.
    """
    text, *faults = (texts.get(path) for path in sensor.paths)
    number, status = None, Status.OK
    if text is None or any((fault or "").strip() == "1" for fault in faults):
        status = Status.ERROR
    else:
        try:
            number = int(text) * sensor.factor
        except ValueError:
            status = Status.NAN
    if number is not None and sensor.unit == "degC":
        status = temperature_status(number, sensor.warn, sensor.crit)
    # Rounded, since 1130 mV times 0.001 is 1.1300000000000001 V.
    value, status = judged(number and round(number, 6), status)
    parts = sensor.quantity, sensor.unit, value, status, sensor.place
    return SensorValue(sensor.key, "", *parts)


def sensor_trouble(sensor: Sensor, texts: Mapping[str, str | None]) -> str:
    """Say why a sensor has no value; "" where it has one, or said so itself."""
    path, *faults = sensor.paths
    text = texts.get(path)
    if text is None:
        return f"{path} cannot be read."
    broken = next(
        (each for each in faults if (texts.get(each) or "").strip() == "1"), ""
    )
    if broken:
        return f"{broken} says that the sensor is broken."
    try:
        int(text)
    except ValueError:
        shown = text.strip()[:20].encode("unicode_escape").decode()
        return f'{path} has "{shown}", which is not a number.'
    return ""


def temperature_status(number: float, warn: float | None, crit: float | None) -> Status:
    """Compare a temperature with its limits."""
    if crit is not None and number >= crit:
        return Status.CRIT
    if warn is not None and number >= warn:
        return Status.WARN
    return Status.OK


def temperature_limit(limit: float | None) -> float | None:
    """Get a limit, unless it is a placeholder: nothing, 0, the coldest, or absurd."""
    if limit is None or limit == 0 or not _COLDEST < limit < _HOTTEST:
        return None
    return limit


def _sensor(chip: Chip, kind: str, stem: str, attribute: str, place: str) -> Sensor:
    quantity, unit, factor = KINDS[kind]
    paths = [chip.path(attribute)]
    if f"{stem}_fault" in chip.attributes:
        paths.append(chip.path(f"{stem}_fault"))
    warn, crit = (_limit(chip, f"{stem}_{which}") for which in ("max", "crit"))
    return Sensor(
        f"{chip.key} {stem}",
        chip.key,
        quantity,
        unit,
        place,
        factor,
        tuple(paths),
        warn if kind == "temp" else None,
        crit if kind == "temp" else None,
    )


def _limit(chip: Chip, attribute: str) -> float | None:
    try:
        return temperature_limit(int(chip.texts[attribute]) * 1e-3)
    except (KeyError, ValueError):
        return None
