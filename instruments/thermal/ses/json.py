"""Reads the pages as `sg_ses --json` prints them (sg3_utils 1.49)."""

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress

from instruments.files.foreign_text import parsed_json
from instruments.thermal.ses.element import (
    Bay,
    Configuration,
    Element,
    Group,
    Key,
    Kind,
    StatusPage,
    address,
    temperature,
)

Object = Mapping[str, object]

_FLAGS = {
    "ac_fail": "ac fail",
    "crit_over": "crit over",
    "crit_under": "crit under",
    "dc_fail": "dc fail",
    "fail": "fail",
    "fault_sensed": "fault sensed",
    "ident": "ident",
    "off": "off",
    "ot_failure": "ot failure",
    "ot_warning": "ot warning",
    "overtmp_fail": "overtmp fail",
    "prdfail": "predicted failure",
    "temp_warn": "temperature warn",
    "ut_failure": "ut failure",
    "ut_warning": "ut warning",
    "warn_over": "warn over",
    "warn_under": "warn under",
}
_NO_READING = 0xFFFF
_HEX_DIGITS = 16  # a decimal number of so many is no address of any authority


def configuration(text: str) -> Configuration:
    """Read the configuration page (`-p cf`); raises ValueError."""
    page = _page(text, "configuration_diagnostic_page")
    enclosure = next(_objects(page, "enclosure_descriptor_list"), {})
    if "enclosure_logical_identifier" not in enclosure:
        raise ValueError("no enclosure descriptor")
    groups = []
    for header in _objects(page, "type_descriptor_header_and_text_list"):
        code = _int(header.get("element_type"))
        subenclosure = _int(header.get("subenclosure_identifier"))
        count = _int(header.get("number_of_possible_elements"))
        groups.append(Group(Kind.of(code), code, subenclosure, count))
    return Configuration(
        _generation(page),
        address(_address(enclosure["enclosure_logical_identifier"])),
        _text(enclosure.get("enclosure_vendor_identification")),
        _text(enclosure.get("product_identification")),
        _text(enclosure.get("product_revision_level")),
        tuple(groups),
    )


def statuses(text: str) -> StatusPage:
    """Read the status page (`-p es`); raises ValueError."""
    page = _page(text, "enclosure_status_diagnostic_page")
    elements: dict[Key, Element] = {}
    for header, group in enumerate(_objects(page, "status_descriptor_list")):
        kind = Kind.of(_int(group.get("element_type")))
        each = _objects(group, "individual_status_element_list")
        for number, element in enumerate(each):
            elements[header, number] = _element(kind, element)
    if not elements:
        raise ValueError("no element in it")
    return StatusPage(_generation(page), elements)


def names(text: str) -> dict[Key, str]:
    """Read descriptor texts (`-p ed`); raises ValueError."""
    return {key: name for key, name in _descriptors(text).items() if name}


def described(text: str) -> set[Key]:
    """Read which elements have a descriptor, even an empty one (`-p ed`)."""
    return set(_descriptors(text))


def _descriptors(text: str) -> dict[Key, str]:
    page = _page(text, "element_descriptor_diagnostic_page")
    groups = enumerate(_objects(page, "element_descriptor_by_type_list"))
    return {
        (header, number): _text(each.get("descriptor"))
        for header, group in groups
        for number, each in enumerate(_objects(group, "element_descriptor"))
    }


def bays(text: str, known: Configuration) -> dict[Key, Bay]:
    """Read slot numbers and addresses (`-p aes`); raises ValueError.

    Only some types have this page, and it does not number them; they come in the
    order of the configuration.
    """
    page = _page(text, "additional_element_status_diagnostic_page")
    left = list(enumerate(known.groups))
    found: dict[Key, Bay] = {}
    listed = _objects(page, "additional_element_status_by_element_type_list")
    for group in listed:
        code = _int(group.get("element_type"))
        subenclosure = _int(group.get("subenclosure_identifier"))
        while left and (left[0][1].code, left[0][1].subenclosure) != (
            code,
            subenclosure,
        ):
            left.pop(0)
        if not left:
            break
        header, type_ = left.pop(0)
        if not type_.kind.is_slot:
            continue
        each = _objects(group, "additional_element_status_descriptor_list")
        for number, item in enumerate(each):
            found[header, number] = _bay(item)
    return found


def _bay(item: Object) -> Bay:
    told = item.get("additional_element_status_descriptor")
    if not isinstance(told, dict):
        return Bay(None)
    phys = _objects(told, "phy_descriptor_list")
    addresses = (address(_address(phy.get("sas_address"))) for phy in phys)
    slot = told.get("device_slot_number")
    return Bay(
        None if slot is None else _int(slot),
        tuple(dict.fromkeys(each for each in addresses if each)),
        _text(told.get("serial_number")),
    )


def _element(kind: Kind, told: Object) -> Element:
    value, code = math.nan, None
    if kind is Kind.TEMPERATURE:
        # The printed meaning of the reserved 0 is "-20 C": only the number counts.
        value = temperature(_int(told.get("temperature")))
    elif kind is Kind.COOLING:
        # actual_fan_speed is the field as it is, a tenth of the speed.
        speed = _int(told.get("calculated_fan_speed"), -1)
        value = float(speed) if speed >= 0 else math.nan
        code = _int(told["actual_fan_code"]) if "actual_fan_code" in told else None
    elif kind in (Kind.VOLTAGE, Kind.CURRENT):
        sensor = told.get("voltage" if kind is Kind.VOLTAGE else "current")
        raw = sensor.get("raw_value") if isinstance(sensor, dict) else None
        value = _volts(_int(raw, _NO_READING))
    flags = frozenset(name for key, name in _FLAGS.items() if _int(told.get(key)))
    status = told.get("status")
    state = status.get("meaning") if isinstance(status, dict) else None
    return Element(kind, str(state or "missing"), value, code, flags)


def _volts(hundredths: int) -> float:
    """Convert a field of 16 bits, in two's complement, to V or A."""
    if hundredths == _NO_READING:
        return math.nan
    return (hundredths - 0x10000 if hundredths & 0x8000 else hundredths) / 100


def _page(text: str, name: str) -> Object:
    document = parsed_json(text)
    page = document.get(name) if isinstance(document, dict) else None
    if not isinstance(page, dict):
        raise ValueError(f"no {name.replace('_', ' ')}")
    return page


def _objects(parent: Object, key: str) -> Iterator[Object]:
    items = parent.get(key)
    if isinstance(items, list):
        yield from (item for item in items if isinstance(item, dict))


def _generation(page: Object) -> int:
    """Get the 32 bits of the generation code, which may have got a sign."""
    return _int(page.get("generation_code")) & 0xFFFF_FFFF


def _address(value: object) -> int:
    """Get a number of 64 bits; a text of 16 digits is hexadecimal."""
    if isinstance(value, dict):
        value = value.get("i", value.get("hex"))
    if isinstance(value, str) and len(value) == _HEX_DIGITS:
        with suppress(ValueError):
            return int(value, 16)
    return _int(value)


def _int(value: object, default: int = 0) -> int:
    """Get a number that stands bare, as text, or with its meaning beside it."""
    if isinstance(value, dict):
        value = value.get("i")
    if isinstance(value, str):
        with suppress(ValueError):
            return int(value, 0)
    return int(value) if isinstance(value, int) else default


def _text(value: object) -> str:
    return value.strip(" \0") if isinstance(value, str) else ""
