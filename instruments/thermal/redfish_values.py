"""Numbers in Redfish documents, of the old schema (Thermal, Power) and the new one."""

from collections.abc import Iterator, Mapping
from typing import Any

from instruments.reading import Status
from instruments.thermal.sensor_values import (
    SensorValue,
    judged,
    location_of,
    quantity_of,
)

_UNITS = {
    "Cel": "degC",
    "RPM": "1/min",
    "{rev}/min": "1/min",
    "W": "W",
    "V.A": "VA",
    "V": "V",
    "A": "A",
    "Hz": "Hz",
    "%": "%",
    "Percent": "%",
}
_WORKING = ("Enabled", "InTest", "Updating", "Deferring", "Degraded", "Qualified")
_STANDBY = ("StandbyOffline", "StandbySpare", "Quiesced")
_HEALTH = {"OK": Status.OK, "Warning": Status.WARN, "Critical": Status.CRIT}


def thermal_values(document: Mapping[str, Any]) -> Iterator[SensorValue]:
    """Read Thermal: temperatures and fans, in 1/min or in percent."""
    for key, entry in _entries(document, "Temperatures"):
        yield _value(key, entry, "temperature", "degC", entry.get("ReadingCelsius"))
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
            yield _value(key, entry, "fan", "1/min", reading)


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
    """Read one Sensor of the new schema."""
    unit = _UNITS.get(str(document.get("ReadingUnits") or ""))
    if unit is None:
        return
    quantity = quantity_of(unit)
    about = f"{document.get('PhysicalContext', '')} {document.get('Name', '')}".lower()
    if document.get("ReadingType") == "Humidity":
        quantity = "humidity"
    elif unit == "%" and "fan" in about:
        quantity = "fan_percent"
    yield _value(_id(document), document, quantity, unit, document.get("Reading"))


def metrics_values(document: Mapping[str, Any]) -> Iterator[SensorValue]:
    """Read ThermalMetrics and EnvironmentMetrics: excerpts of sensors."""
    place = _id(document)
    for number, entry in enumerate(document.get("TemperatureReadingsCelsius") or ()):
        key = str(entry.get("DataSourceUri") or f"{place}#{number}")
        label = entry.get("DeviceName") or key.rsplit("/", 1)[-1]
        named = {"Name": label, **entry}
        yield _value(key, named, "temperature", "degC", entry.get("Reading"))
    for field, quantity, unit in (
        ("TemperatureCelsius", "temperature", "degC"),
        ("PowerWatts", "power", "W"),
        ("HumidityPercent", "humidity", "%"),
    ):
        entry = document.get(field)
        if isinstance(entry, dict):
            key = str(entry.get("DataSourceUri") or f"{place}#{field}")
            location = "system" if field == "PowerWatts" else "ambient"
            yield _value(
                key, entry, quantity, unit, entry.get("Reading"), location=location
            )
    for number, entry in enumerate(document.get("FanSpeedsPercent") or ()):
        key = str(entry.get("DataSourceUri") or f"{place}#fan{number}")
        label = entry.get("DeviceName") or f"fan{number + 1}"
        named = {"Name": str(label).rsplit("/", 1)[-1], **entry}
        yield from _fan(key, named, entry)


def supply_values(document: Mapping[str, Any]) -> Iterator[SensorValue]:
    """Read PowerSupplyMetrics: what one supply takes, gives and how warm it is."""
    supply = _id(document).removesuffix("/Metrics").rsplit("/", 1)[-1]
    for field, quantity, unit in (
        ("InputPowerWatts", "power", "W"),
        ("OutputPowerWatts", "output_power", "W"),
        ("InputVoltage", "voltage", "V"),
        ("InputCurrentAmps", "current", "A"),
        ("TemperatureCelsius", "temperature", "degC"),
    ):
        entry = document.get(field)
        if isinstance(entry, dict):
            key = str(entry.get("DataSourceUri") or f"{_id(document)}#{field}")
            named = {"Name": supply, "Status": document.get("Status") or {}}
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
        yield _value(f"{key}#rpm", entry, "fan", "1/min", speed["SpeedRPM"])


def _value(
    key: str,
    entry: Mapping[str, Any],
    quantity: str,
    unit: str,
    reading: object,
    *,
    location: str | None = None,
) -> SensorValue:
    number = None
    if isinstance(reading, int | float) and not isinstance(reading, bool):
        number = float(reading)
    named = entry.get("Name") or entry.get("FanName")
    label = str(named or entry.get("MemberId") or entry.get("Id") or key)
    status = _status(entry, number)
    if location is None:
        location = location_of(label)
    return SensorValue(key, label, quantity, unit, *judged(number, status), location)


def _status(entry: Mapping[str, Any], number: float | None) -> Status:
    """Judge a value by state, then health, then its thresholds."""
    told = entry.get("Status") or {}
    state = told.get("State") or "Enabled"
    if state in _STANDBY:
        return Status.STANDBY
    if state not in _WORKING:
        return Status.ABSENT
    health = _HEALTH.get(str(told.get("Health") or "OK"), Status.OK)
    if number is None:
        return Status.NAN
    if health is not Status.OK:
        return health
    limits = entry.get("Thresholds") or {}
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
    found = limits.get(name)
    return found.get("Reading") if isinstance(found, dict) else None


def _beyond(number: float, low: object, high: object) -> bool:
    below = isinstance(low, int | float) and number < low
    return below or (isinstance(high, int | float) and number > high)


def _entries(
    document: Mapping[str, Any], name: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, entry in enumerate(document.get(name) or ()):
        if isinstance(entry, dict):
            member = entry.get("MemberId", number)
            yield f"{_id(document)}#{name}/{member}", entry


def _id(document: Mapping[str, Any]) -> str:
    return str(document.get("@odata.id") or document.get("Id") or "")
