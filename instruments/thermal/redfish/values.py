"""Numbers in Redfish documents, of the old schema (Thermal, Power) and the new one."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from instruments.files.foreign_text import object_at
from instruments.reading import Status
from instruments.thermal.sensor_values import (
    TO_CELSIUS,
    SensorValue,
    judged,
    location_of,
    names_part,
    quantity_of,
)

Unit = tuple[str, float, float]
"""Ours, factor and offset."""

_CELSIUS: Unit = ("degC", *TO_CELSIUS["degC"])
_UNITS: Mapping[str, Unit] = {
    **dict.fromkeys(("Cel", "Celsius"), _CELSIUS),
    **dict.fromkeys(("[degF]", "Fahrenheit"), ("degC", *TO_CELSIUS["degF"])),
    "K": ("degC", *TO_CELSIUS["K"]),
    **dict.fromkeys(("RPM", "{rev}/min", "1/min"), ("1/min", 1.0, 0.0)),
    **dict.fromkeys(("%", "Percent"), ("%", 1.0, 0.0)),
    "Hz": ("Hz", 1.0, 0.0),  # of a supply: in MHz it is the clock of a processor
}
"""Units of UCUM as Redfish has them, and as some services write them."""

_PREFIXED = {
    **{"W": ("W", 1.0), "V.A": ("VA", 1.0), "VA": ("VA", 1.0), "V": ("V", 1.0)},
    **{"A": ("A", 1.0), "J": ("Wh", 1 / 3600)},
    **{"Watts": ("W", 1.0), "Volts": ("V", 1.0), "Amps": ("A", 1.0)},
    **{"W.h": ("Wh", 1.0), "Wh": ("Wh", 1.0)},
}
"""Units that a prefix may be before."""

_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "m": 1e-3, "u": 1e-6}
_BY_TYPE = {
    "Temperature": "Cel",
    "Humidity": "%",
    "Percent": "%",
    "Power": "W",
    "Voltage": "V",
    "Current": "A",
    "Frequency": "Hz",
    "Rotational": "RPM",
    "EnergykWh": "kW.h",
    "EnergyWh": "W.h",
    "EnergyJoules": "J",
}
"""What a sensor measures in that does not say its unit, by its ReadingType."""

_ZONES = {"Intake": "inlet", "Exhaust": "exhaust", "Room": "ambient"}
_AROUND = (
    *("Chassis", "SystemBoard", "Front", "Back", "Rack", "ManagementController"),
    *_ZONES,
)
"""Contexts in which a name may be that of a zone; others are parts of the machine."""

_WHOLE = re.compile(r"/redfish/v1/(?:Chassis|Systems|Managers)/[^/#]+/?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # words of an id, such as AmbientTemp
# Short enough that float() of it is finite.
_NUMBER = re.compile(r"[-+]?\d{1,18}(?:\.\d{1,18})?")

# Status.State of Redfish's Resource: those in which a reading means something, and
# those in which a part rests.
_WORKING = ("Enabled", "InTest", "Updating", "Deferring", "Degraded", "Qualified")
_STANDBY = ("StandbyOffline", "StandbySpare", "Quiesced")
_HEALTH = {"OK": Status.OK, "Warning": Status.WARN, "Critical": Status.CRIT}


def thermal_values(document: Mapping[str, Any]) -> Iterator[SensorValue]:
    """Read Thermal: temperatures and fans, in 1/min or in percent."""
    for key, entry in _entries(document, "Temperatures"):
        yield _value(key, entry, "temperature", "Cel", entry.get("ReadingCelsius"))
    for key, entry in _entries(document, "Fans"):
        # The second names are those of HPE's iLO 4.
        units = entry.get("ReadingUnits", entry.get("Units"))
        reading = entry.get("Reading", entry.get("CurrentReading"))
        if "ReadingRPM" in entry:  # of the first version of the schema
            units, reading = "RPM", entry["ReadingRPM"]
        # Without its unit a number says nothing.
        if units == "Percent":
            yield _value(key, entry, "fan_percent", "%", reading)
        elif units == "RPM":
            yield _value(key, entry, "fan", "RPM", reading)


def power_values(document: Mapping[str, Any]) -> Iterator[SensorValue]:
    """Read Power: consumption, supplies and voltages."""
    for key, entry in _entries(document, "PowerControl"):
        watts = entry.get("PowerConsumedWatts")
        yield _value(key, entry, "power", "W", watts, location="system")
    for key, entry in _entries(document, "PowerSupplies"):
        for field, quantity, unit in (
            ("PowerInputWatts", "power", "W"),
            ("PowerOutputWatts", "output_power", "W"),
            ("LastPowerOutputWatts", "output_power", "W"),
            ("LineInputVoltage", "voltage", "V"),
        ):
            is_older = field.startswith("Last") and "PowerOutputWatts" in entry
            if field in entry and not is_older:
                yield _value(f"{key}.{field}", entry, quantity, unit, entry[field])
    for key, entry in _entries(document, "Voltages"):
        yield _value(key, entry, "voltage", "V", entry.get("ReadingVolts"))


def sensor_values(document: Mapping[str, Any]) -> Iterator[SensorValue]:
    """Read one Sensor of the new schema.

    One in a unit of no use here has no quantity, and that unit.
    """
    kind = str(document.get("ReadingType") or "")
    written = str(document.get("ReadingUnits") or _BY_TYPE.get(kind, ""))
    unit = unit_of(written)
    key = _id(document)
    if unit is None:
        if _number(document.get("Reading")) is not None:
            yield SensorValue(key, "", "", written, math.nan, Status.UNSUPPORTED)
        return
    quantity = quantity_of(unit[0], str(document.get("Name") or ""))
    about = f"{document.get('PhysicalContext', '')} {document.get('Name', '')}".lower()
    if kind == "Humidity":
        quantity = "humidity"
    elif unit[0] == "%" and "fan" in about:
        quantity = "fan_percent"
    yield _value(key, document, quantity, written, document.get("Reading"))


def unit_of(text: str) -> Unit | None:
    """Read a unit of UCUM, such as "Cel", "mV" or "kW.h"; None for one of no use."""
    if text in _UNITS:
        return _UNITS[text]
    for prefix, factor in _PREFIXES.items():
        base = text.removeprefix(prefix)
        if text.startswith(prefix) and base in _PREFIXED:
            unit, times = _PREFIXED[base]
            return unit, factor * times, 0.0
    return None


_EXCERPTS = (
    ("TemperatureCelsius", "temperature", "Cel", None),
    ("PowerWatts", "power", "W", "system"),
    ("EnergykWh", "energy", "kW.h", "system"),
    ("HumidityPercent", "humidity", "%", None),
)
"""Of EnvironmentMetrics: field, quantity, unit and location, None for that of the
sensor that it is of; else it is the chassis' own, which is not that of the air."""


def metrics_values(document: Mapping[str, Any]) -> Iterator[SensorValue]:
    """Read ThermalMetrics and EnvironmentMetrics: excerpts of sensors."""
    place = _id(document)
    for number, entry in _listed(document, "TemperatureReadingsCelsius"):
        key = str(entry.get("DataSourceUri") or f"{place}#{number}")
        label = entry.get("DeviceName") or key.rsplit("/", 1)[-1]
        named = {"Name": label, **entry}
        yield _value(key, named, "temperature", "Cel", entry.get("Reading"))
    for field, quantity, unit, location in _EXCERPTS:
        yield from _excerpt(document, place, field, quantity, unit, location=location)
    zones = document.get("TemperatureSummaryCelsius")
    for context, location in _ZONES.items():
        name = "Ambient" if context == "Room" else context
        yield from _excerpt(zones, place, name, "temperature", "Cel", location=location)
    for number, entry in _listed(document, "FanSpeedsPercent"):
        key = str(entry.get("DataSourceUri") or f"{place}#fan{number}")
        label = entry.get("DeviceName") or f"fan{number + 1}"
        named = {"Name": str(label).rsplit("/", 1)[-1], **entry}
        yield from _fan(key, named, entry)


def _excerpt(
    parent: object,
    place: str,
    field: str,
    quantity: str,
    unit: str,
    *,
    location: str | None,
) -> Iterator[SensorValue]:
    """Read one excerpt, where it is there; its key is the sensor that it is of."""
    if entry := object_at(parent, field):
        source = str(entry.get("DataSourceUri") or "")
        own = _CAMEL.sub(" ", source.rsplit("/", 1)[-1])
        label = entry.get("DeviceName") or own or "chassis"
        key, named = source or f"{place}#{field}", {"Name": label, **entry}
        reading = entry.get("Reading")
        yield _value(key, named, quantity, unit, reading, location=location)


def supply_values(document: Mapping[str, Any]) -> Iterator[SensorValue]:
    """Read PowerSupplyMetrics: what one supply takes, gives and how warm it is."""
    supply = _id(document).removesuffix("/Metrics").rsplit("/", 1)[-1]
    for field, quantity, unit in (
        ("InputPowerWatts", "power", "W"),
        ("OutputPowerWatts", "output_power", "W"),
        ("InputVoltage", "voltage", "V"),
        ("InputCurrentAmps", "current", "A"),
        ("EnergykWh", "energy", "kW.h"),
        ("TemperatureCelsius", "temperature", "Cel"),
    ):
        if entry := object_at(document, field):
            key = str(entry.get("DataSourceUri") or f"{_id(document)}#{field}")
            named = {"Name": supply, "Status": document.get("Status")}
            yield _value(key, named, quantity, unit, entry.get("Reading"))


def fan_values(document: Mapping[str, Any]) -> Iterator[SensorValue]:
    """Read one Fan of ThermalSubsystem, which may tell percent and 1/min."""
    speed = document.get("SpeedPercent")
    if isinstance(speed, dict):
        key = str(speed.get("DataSourceUri") or _id(document))
        yield from _fan(key, document, speed)


def _fan(
    key: str, entry: Mapping[str, Any], speed: Mapping[str, Any]
) -> Iterator[SensorValue]:
    yield _value(key, entry, "fan_percent", "%", speed.get("Reading"))
    if "SpeedRPM" in speed:
        yield _value(f"{key}#rpm", entry, "fan", "RPM", speed["SpeedRPM"])


def _value(
    key: str,
    entry: Mapping[str, Any],
    quantity: str,
    unit: str,
    reading: object,
    *,
    location: str | None = None,
) -> SensorValue:
    number = _number(reading)
    # FanName is that of the first version of Thermal.
    named = entry.get("Name") or entry.get("FanName")
    label = str(named or entry.get("MemberId") or entry.get("Id") or key)
    status = _status(entry, number)
    if location is None:
        location = _place(quantity, entry, label)
    ours, factor, offset = unit_of(unit) or (unit, 1.0, 0.0)
    if number is not None:
        number = number * factor + offset
    return SensorValue(key, label, quantity, ours, *judged(number, status), location)


def _number(reading: object) -> float | None:
    """Get a number, which some services write as a text; None where it is not one."""
    if isinstance(reading, int | float) and not isinstance(reading, bool):
        return float(reading)
    is_text = isinstance(reading, str) and _NUMBER.fullmatch(reading.strip())
    return float(str(reading)) if is_text else None


def _place(quantity: str, entry: Mapping[str, Any], label: str) -> str:
    """Make a location of what a sensor is near to, or else of its name."""
    context = str(entry.get("PhysicalContext") or "")
    of_air = quantity in ("temperature", "humidity") and not names_part(label)
    if of_air and context in _ZONES:
        return _ZONES[context]
    related = [str(item.get("@odata.id")) for _, item in _listed(entry, "RelatedItem")]
    is_part = bool(related) and not any(map(_WHOLE.fullmatch, related))
    if context:
        is_part = context not in _AROUND or (is_part and context not in _ZONES)
    return location_of(label, is_part=is_part)


def _status(entry: Mapping[str, Any], number: float | None) -> Status:
    """Judge a value by state, then health, then its thresholds."""
    resource = object_at(entry, "Status")
    state = resource.get("State") or "Enabled"
    if state in _STANDBY:
        return Status.STANDBY
    if state not in _WORKING:
        return Status.ABSENT
    health = _HEALTH.get(str(resource.get("Health") or "OK"), Status.OK)
    # A part that is not well may still be measured: an alarm, and no gap.
    if number is None:
        return Status.NAN
    if health is not Status.OK:
        return health
    limits = object_at(entry, "Thresholds")
    for status, names, levels in (
        (Status.CRIT, "Critical", ("LowerCritical", "UpperCritical")),
        (Status.WARN, "NonCritical", ("LowerCaution", "UpperCaution")),
    ):
        low = entry.get(f"LowerThreshold{names}", _limit(limits, levels[0]))
        high = entry.get(f"UpperThreshold{names}", _limit(limits, levels[1]))
        if _beyond(number, low, high):
            return status
    return Status.OK


def _limit(limits: Mapping[str, Any], name: str) -> object:
    return object_at(limits, name).get("Reading")


def _beyond(number: float, low: object, high: object) -> bool:
    below = isinstance(low, int | float) and number < low
    return below or (isinstance(high, int | float) and number > high)


def _entries(
    document: Mapping[str, Any], name: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    keys: set[str] = set()
    for number, entry in _listed(document, name):
        key = f"{_id(document)}#{name}/{entry.get('MemberId', number)}"
        if key in keys:  # some services number all of them 0
            key = f"{key}#{number}"
        keys.add(key)
        yield key, entry


def _listed(
    document: Mapping[str, Any], name: str
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Give the objects of a list with their numbers, without other things."""
    items = document.get(name)
    for number, entry in enumerate(items if isinstance(items, list) else ()):
        if isinstance(entry, dict):
            yield number, entry


def _id(document: Mapping[str, Any]) -> str:
    return str(document.get("@odata.id") or document.get("Id") or "")
