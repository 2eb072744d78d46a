"""Reads the pages as sg_ses prints them in words (sg3_utils 1.46, Debian 12).

The same lines stand under other headings in the joined form (`sg_ses --join`); both
are understood.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from instruments.thermal.ses.element import (
    Bay,
    Configuration,
    Element,
    Group,
    Key,
    Kind,
    StatusPage,
    address,
)

_CODES = {
    "Device slot": Kind.DEVICE_SLOT,
    "Power supply": Kind.POWER_SUPPLY,
    "Cooling": Kind.COOLING,
    "Temperature sensor": Kind.TEMPERATURE,
    "Enclosure services controller electronics": Kind.CONTROLLER,
    "Enclosure": Kind.ENCLOSURE,
    "Voltage sensor": Kind.VOLTAGE,
    "Current sensor": Kind.CURRENT,
    "Array device slot": Kind.ARRAY_SLOT,
    "SAS expander": Kind.EXPANDER,
}
_SPEEDS = (
    "stopped",
    "at lowest speed",
    "at second lowest speed",
    "at third lowest speed",
    "at intermediate speed",
    "at third highest speed",
    "at second highest speed",
    "at highest speed",
)
_GROUP = re.compile(
    r" +Element type: (.+), subenclosure id: (\d{1,18})(?: \[ti=(\d{1,18})\])?$"
)
_OVERALL = re.compile(r" +Overall descriptor:")
_ELEMENT = re.compile(r" +Element (?:\d+ descriptor:?|index: \d+)(.*)$")
_JOINED = re.compile(r"(.*)\[(\d{1,18}),(-?\d{1,18})\]  Element type: (.+)$")
_IDENTIFIER = re.compile(r"enclosure logical identifier \(hex\): ([0-9a-f]+)")
_MAKER = re.compile(r"enclosure vendor: (.{8})  product: (.{16})  rev: (.{1,4})")
_COUNT = re.compile(r"number of possible elements: (\d{1,18})(?!\d)")
_HEADERS = re.compile(r"number of type descriptor headers: (\d{1,18})(?!\d)")
_GENERATION = re.compile(r"generation code: 0x([0-9a-f]+)")
_STATE = re.compile(r", status: (.+)$", re.MULTILINE)
_FLAG = re.compile(r"([A-Z][A-Za-z/ ]{0,60})=1\b")
_FAN = re.compile(r"Actual speed=(-?\d{1,18}) rpm, Fan (.+)$", re.MULTILINE)
_TEMPERATURE = re.compile(r"Temperature=(-?\d{1,18}) C")
_SENSOR = re.compile(r"(?:Voltage|Current): (-?\d+\.\d+) ", re.IGNORECASE)
_SLOT = re.compile(r"device slot number: (\d{1,18})(?!\d)")
_ADDRESS = re.compile(r"^ +SAS address: 0x([0-9a-f]+)")
_SERIAL = re.compile(r"^ +serial number: (.*)$")
_NO_READING = (-0.01, 655.35)
"""All ones, as 1.46 prints it with a sign and other versions without."""


@dataclass
class _Block:
    """The lines of one element."""

    key: Key
    kind: Kind
    text: str
    lines: list[str] = field(default_factory=list)


def configuration(text: str) -> Configuration:
    """Read the configuration page (`-p cf`); raises ValueError."""
    identifier = _IDENTIFIER.search(text)
    maker = _MAKER.search(text)
    if identifier is None or maker is None:
        raise ValueError("no enclosure descriptor")
    groups = []
    counts = iter(_COUNT.findall(text))
    for line in text.splitlines():
        if found := _GROUP.match(line):
            kind = _CODES.get(found[1], Kind.OTHER)
            count = int(next(counts, "0"))
            groups.append(Group(kind, int(kind), int(found[2]), count))
    promised = sum(int(number) for number in _HEADERS.findall(text))
    if len(groups) < promised or len(_COUNT.findall(text)) < len(groups):
        raise ValueError(f"cut off: {len(groups)} of {promised} types of elements")
    return Configuration(
        _generation(text),
        address(int(identifier[1], 16)),
        maker[1].strip(),
        maker[2].strip(),
        maker[3].strip(),
        tuple(groups),
    )


def statuses(text: str) -> StatusPage:
    """Read the status page (`-p es`, or `--join`); raises ValueError."""
    elements = {
        block.key: _element(block) for block in _blocks(text) if block.key[1] >= 0
    }
    if not elements:
        raise ValueError("no element in it")
    # The joined form tells no generation code; its pages were checked by sg_ses.
    return StatusPage(_generation(text) if "generation" in text else 0, elements)


def names(text: str) -> dict[Key, str]:
    """Read descriptor texts (`-p ed`, or `--join`)."""
    return {
        block.key: block.text
        for block in _blocks(text)
        if block.key[1] >= 0 and block.text not in ("", "<empty>")
    }


def described(text: str) -> set[Key]:
    """Read which elements have a descriptor, even an empty one (`-p ed`)."""
    return {block.key for block in _blocks(text) if block.key[1] >= 0}


def bays(text: str) -> dict[Key, Bay]:
    """Read slot numbers and addresses (`-p aes`, or `--join`)."""
    found: dict[Key, Bay] = {}
    for block in _blocks(text):
        slot = next((m[1] for line in block.lines if (m := _SLOT.search(line))), None)
        if not block.kind.is_slot or block.key[1] < 0:
            continue
        numbers = (int(m[1], 16) for x in block.lines if (m := _ADDRESS.match(x)))
        serial = next((m[1] for x in block.lines if (m := _SERIAL.match(x))), "")
        addresses = tuple(dict.fromkeys(address(n) for n in numbers if n))
        found[block.key] = Bay(
            None if slot is None else int(slot), addresses, serial.strip()
        )
    return found


def _blocks(text: str) -> Iterator[_Block]:
    block: _Block | None = None
    header, kind, number = -1, Kind.OTHER, 0
    for line in text.splitlines():
        begun: _Block | None = None
        if joined := _JOINED.match(line):
            kind = _CODES.get(joined[4], Kind.OTHER)
            key = (int(joined[2]), int(joined[3]))
            begun = _Block(key, kind, joined[1].strip())
        elif group := _GROUP.match(line):
            header = int(group[3]) if group[3] else header + 1
            kind, number = _CODES.get(group[1], Kind.OTHER), 0
            begun = _Block((header, -1), kind, "")
        elif _OVERALL.match(line):
            begun = _Block((header, -1), kind, "")
        elif element := _ELEMENT.match(line):
            begun = _Block((header, number), kind, element[1].strip())
            number += 1
        if begun is None:
            if block is not None:
                block.lines.append(line)
            continue
        if block is not None:
            yield block
        block = begun
    if block is not None:
        yield block


def _element(block: _Block) -> Element:
    body = "\n".join(block.lines)
    state = _STATE.search(body)
    value, code = math.nan, None
    if fan := _FAN.search(body):
        value = float(fan[1]) if int(fan[1]) >= 0 else math.nan
        code = _SPEEDS.index(fan[2]) if fan[2] in _SPEEDS else None
    elif found := (_TEMPERATURE.search(body) or _SENSOR.search(body)):
        value = float(found[1])
        if block.kind is not Kind.TEMPERATURE and value in _NO_READING:
            value = math.nan
    flags = frozenset(name.strip().lower() for name in _FLAG.findall(body))
    return Element(block.kind, state[1] if state else "missing", value, code, flags)


def _generation(text: str) -> int:
    found = _GENERATION.search(text)
    if found is None:
        raise ValueError("no generation code")
    return int(found[1], 16)
