"""Reads the diagnostic pages of an enclosure from their bytes (SES-3)."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from instruments.reading import Status
from instruments.thermal.ses.element import (
    Bay,
    Configuration,
    Element,
    Group,
    Key,
    Kind,
    StatusPage,
    Thresholds,
)

CODES = {"cf": 0x01, "es": 0x02, "th": 0x05, "ed": 0x07, "aes": 0x0A}
"""Page codes by the names that sg_ses has for them."""

# Page code, number of subenclosures, length and generation code (SES-3).
_HEAD = 8
_BYTE = re.compile(r"[0-9a-f]{2}", re.IGNORECASE)


class CutOffError(ValueError):
    """A page that ends before its end."""


def page_bytes(text: str, page: str) -> bytes:
    """Read a page as `sg_ses -p PAGE -HHHH` prints it: hexadecimal, and comments.

    Raises:
        CutOffError: It ends before its own length.
        ValueError: It is not that page.
    """
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    words = (word for line in lines for word in line.split())
    data = bytes.fromhex("".join(word for word in words if _BYTE.fullmatch(word)))
    if len(data) < _HEAD or data[0] != CODES[page]:
        raise ValueError(f"it is not the page {page}")
    length = 4 + int.from_bytes(data[2:4])
    if len(data) < length:
        raise CutOffError(f"cut off: {len(data)} of {length} bytes")
    return data[:length]


def generation(page: bytes) -> int:
    """Get the generation code of any page."""
    return int.from_bytes(page[4:8])


def configuration(page: bytes) -> Configuration:
    """Read the configuration page; raises ValueError."""
    place, headers = _HEAD, 0
    for _ in range(1 + page[1]):  # the enclosure, then its subenclosures
        # Up to the revision it is 40 bytes long; what a vendor adds follows.
        if len(page) < place + 40:
            raise CutOffError("cut off: an enclosure descriptor is missing")
        headers += page[place + 2]
        place += 4 + page[place + 3]
    if len(page) < place + 4 * headers:
        raise CutOffError(f"cut off: {headers} types of elements are promised")
    primary = page[_HEAD:]
    return Configuration(
        generation(page),
        _address(primary[4:12]),
        _text(primary[12:20]),
        _text(primary[20:36]),
        _text(primary[36:40]),
        tuple(
            Group(page[start], page[start + 1])
            for start in range(place, place + 4 * headers, 4)
        ),
    )


def statuses(page: bytes, config: Configuration) -> StatusPage:
    """Read the status page; raises ValueError.

    One of another configuration has no elements: what stands where is not known.
    """
    if generation(page) != config.generation:
        return StatusPage(generation(page), {})
    words = _words(page, config)
    elements = {key: _element(_kind(config, key), word) for key, word in words}
    _see_all(len(elements), config)
    return StatusPage(config.generation, elements)


def names(page: bytes, config: Configuration) -> dict[Key, str]:
    """Read the descriptor texts, without empty ones; raises ValueError."""
    names: dict[Key, str] = {}
    count, place = 0, _HEAD
    for header, group in enumerate(config.groups):
        for number in range(-1, group.count):  # the overall descriptor comes first
            if len(page) < place + 4:
                break
            end = place + 4 + int.from_bytes(page[place + 2 : place + 4])
            if number >= 0:
                names[header, number] = _text(page[place + 4 : end])
                count += 1
            place = end
    if count or len(page) > _HEAD:  # an enclosure may name none of its elements
        # Without its name a temperature would be another channel.
        _see_all(count, config)
    return {key: name for key, name in names.items() if name}


_WITH_ADDITIONAL = (0x01, 0x07, 0x14, 0x15, 0x17, 0x18)
"""The types of elements that have additional status, one descriptor each."""

# Protocol identifiers (SPC); PCIe is what NVMe bays have.
_FIBRE_CHANNEL, _SAS, _PCIE = 0x0, 0x6, 0xB
# Length of a SAS phy descriptor (SES-3, additional element status).
_PHY = 28


def bays(page: bytes, config: Configuration) -> dict[Key, Bay]:
    """Read slot numbers and addresses from the additional element status."""
    bays: dict[Key, Bay] = {}
    place = _HEAD
    for header, group in enumerate(config.groups):
        if group.code not in _WITH_ADDITIONAL:
            continue
        for number in range(group.count):
            if len(page) < place + 2:
                return bays
            end = place + 2 + page[place + 1]
            if group.kind.is_slot:
                bays[header, number] = _bay(page[place:end])
            place = end
    return bays


def _bay(item: bytes) -> Bay:
    """Read one descriptor of a bay; nothing of one that is flagged as invalid.

    Bit 4 of the first byte is EIP: an element index stands before what follows, and
    the bay's number after it (SES-3, additional element status descriptor).
    """
    has_index = bool(item[0] & 0x10)
    body = item[4 if has_index else 2 :]
    is_invalid, protocol = bool(item[0] & 0x80), item[0] & 0x0F
    if is_invalid or len(body) < 4:
        return Bay(None)
    slot = body[3] if has_index else None
    if protocol == _FIBRE_CHANNEL:
        return Bay(slot)
    if protocol == _PCIE:
        return Bay(slot, serial=_text(body[8:28]))
    if protocol != _SAS or body[1] >> 6:  # unknown, or an expander or a controller
        return Bay(None)
    return Bay(slot, _phy_addresses(body[4 if has_index else 2 :], body[0]))


def _phy_addresses(phys: bytes, count: int) -> tuple[str, ...]:
    """Get the SAS addresses in phy descriptors, each once; a phy may have none."""
    items = (phys[_PHY * number :][:_PHY] for number in range(count))
    addresses = (_address(item[12:20]) for item in items)
    return tuple(dict.fromkeys(filter(None, addresses)))


def thresholds(page: bytes, config: Configuration) -> dict[Key, Thresholds]:
    """Read the limits of temperatures.

    Limits of voltages and currents are shares of a nominal value that is in no page;
    their elements carry bits for these instead.

    Raises:
        ValueError: It is of another configuration.
    """
    if generation(page) != config.generation:
        raise ValueError("it is of another configuration")
    return {
        key: _limits(limits)
        for key, limits in _words(page, config)
        if _kind(config, key) is Kind.TEMPERATURE
    }


def _limits(limits: bytes) -> Thresholds:
    high_critical, high_warning, low_warning, low_critical = map(_celsius, limits)
    return Thresholds(low_critical, low_warning, high_warning, high_critical)


class _Bits(NamedTuple):
    """Bits of the 32 of an element's status, by what they mean."""

    failure: int = 0
    warning: int = 0
    ident: int = 0x80_0000  # bays have it elsewhere


# PRDFAIL in the first byte of every status element (SES-3).
_PREDICTED_FAILURE = 0x4000_0000
_SLOT_BITS = _Bits(0x40, 0, 0x200)
_BITS = {
    Kind.DEVICE_SLOT: _SLOT_BITS,
    Kind.ARRAY_SLOT: _SLOT_BITS,
    Kind.POWER_SUPPLY: _Bits(0x49, 0x06),  # DC fail, too hot, fail; AC fail, warm
    Kind.COOLING: _Bits(0x40),
    Kind.TEMPERATURE: _Bits(0x40_000A, 0x05),  # over and under, fail; likewise
    Kind.CONTROLLER: _Bits(0x40_0000),
    Kind.VOLTAGE: _Bits(0x43_0000, 0x0C_0000),
    Kind.CURRENT: _Bits(0x42_0000, 0x08_0000),
}
_NO_READING = 0xFFFF  # of a voltage or a current; no rail has -0.01 V


def _element(kind: Kind, word: bytes) -> Element:
    bits, raw = _BITS.get(kind, _Bits()), int.from_bytes(word)
    alarm = Status.OK
    if raw & bits.failure:
        alarm = Status.CRIT
    elif raw & (bits.warning | _PREDICTED_FAILURE):
        alarm = Status.WARN
    value, code = math.nan, None
    if kind is Kind.TEMPERATURE:
        value = _celsius(word[2])
    elif kind is Kind.COOLING:
        value, code = _speed(word), word[3] & 0x07
    elif kind in (Kind.VOLTAGE, Kind.CURRENT) and raw & 0xFFFF != _NO_READING:
        value = int.from_bytes(word[2:], signed=True) / 100  # in 10 mV and 10 mA
    return Element(word[0] & 0x0F, value, code, alarm, bool(raw & bits.ident))


def _speed(word: bytes) -> float:
    """Get a fan's 1/min: 11 bits, and since SES-4 a factor for them."""
    raw = (word[1] & 0x07) << 8 | word[2]
    speeds = (raw * 10.0, raw * 10.0 + 20_480.0, raw * 100.0, math.nan)
    return speeds[word[1] >> 3 & 0x03]


def _celsius(raw: int) -> float:
    """Convert a byte to degC; 0 is reserved: no reading, or no limit."""
    return float(raw - 20) if raw else math.nan


def _words(page: bytes, config: Configuration) -> Iterator[tuple[Key, bytes]]:
    """Go over the 32 bits that some pages have of each element."""
    place = _HEAD
    for header, group in enumerate(config.groups):
        place += 4  # the overall descriptor
        for number in range(group.count):
            if len(page) >= place + 4:
                yield (header, number), page[place : place + 4]
            place += 4


def _kind(config: Configuration, key: Key) -> Kind:
    return config.groups[key[0]].kind


def _see_all(count: int, config: Configuration) -> None:
    promised = sum(group.count for group in config.groups)
    if count < promised:
        missing = promised - count
        raise CutOffError(f"cut off: {missing} of {promised} elements are missing")


def _address(number: bytes) -> str:
    """Write a SAS address or an enclosure logical identifier; "" for none."""
    return number.hex() if any(number) else ""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip(" \0")
