"""Sources of a bench that need the same thing: a port, an address, a microphone."""

import re
from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass

from app.bench.model import SIMULATED, SourceConfig
from instruments.power.options import SUM

_PARTS = ("element", "outlets", "units")
"""Options that name what is read of a device."""

_VIEWS = ("channel", "chassis", "scopes", "oids", "profile", "controller", "number")
"""Options that choose another part of what is behind one address."""

_BOARD = re.compile(r"(tcpip|usb|gpib)(\d*)")
_WHOLE = re.compile(r"(inst0|hislip0)(,\d+)?")
_AT_PORT = re.compile(r"([^:/]+):(\d+)")
_SERIAL = re.compile(r"/dev/(tty|serial/).*|com\d+")


@dataclass(frozen=True, slots=True)
class Reached:
    """What is at an address.

    Attributes:
        bus: "lan", "usb", "gpib" or "serial"; "" for what is none of these.
        place: Where on it, all in lower case: host, serial port, or numbers.
        part: Which part of a host, as a TCP port or a device behind a gateway; "" for
            the host itself, and for what has no parts.
    """

    bus: str
    place: str
    part: str = ""

    def is_shared(self, other: "Reached") -> bool:
        """Tell whether both reach the same; a host itself is at all of its ports."""
        is_one = (self.bus, self.place) == (other.bus, other.place)
        return is_one and (self.part == other.part or not (self.part and other.part))


def reached_at(address: str) -> Reached:
    """Tell what a VISA resource, a serial port or "host:port" reaches.

    VISA has several names for one thing (VPP-4.3, 4.3.1): a board that is 0 where it
    is left out, "inst0" and INSTR likewise; and an instrument on the network answers
    by VXI-11 (INSTR) what it answers at a socket. What is of no known form reaches
    what it says.
    """
    head, *words = address.strip().casefold().split("::")
    if head.startswith("asrl"):
        port = head.removeprefix("asrl")
        return Reached("serial", f"com{port}" if port.isdecimal() else port)
    if board := _BOARD.fullmatch(head):
        words = [word for word in words if word not in ("instr", "socket")]
        return _on_board(board[1], int(board[2] or 0), words)
    if _SERIAL.fullmatch(head):
        return Reached("serial", head)
    if at_port := _AT_PORT.fullmatch(head):
        return Reached("lan", at_port[1], at_port[2])
    return Reached("", address.strip().casefold())


def _on_board(bus: str, number: int, words: list[str]) -> Reached:
    if bus == "tcpip":
        host, *parts = words or [""]
        part = "::".join(parts)
        return Reached("lan", host, "" if _WHOLE.fullmatch(part) else part)
    if bus == "usb":  # vendor, product and serial number; an interface is no device
        return Reached(bus, "::".join(_plain(word) for word in words[:3]))
    return Reached(bus, "::".join((str(number), *words)))


def _plain(word: str) -> str:
    """Write a number of USB in decimal, which may be hexadecimal."""
    is_hex = re.fullmatch(r"0x[0-9a-f]+", word) is not None
    return str(int(word, 16)) if is_hex else word


def parts_of(config: SourceConfig) -> dict[str, tuple[str, ...]]:
    """Get what the bench names of a device, by the option for it."""
    named = {option: config.keys.get(option) for option in _PARTS}
    return {
        option: tuple(part.removeprefix("outlet") for part in parts)
        for option, parts in named.items()
        if isinstance(parts, tuple) and parts
    }


def are_other_parts(
    one: Mapping[str, tuple[str, ...]], other: Mapping[str, tuple[str, ...]]
) -> bool:
    """Tell whether nothing of a device is named by both."""
    for option in one.keys() & other.keys():
        both: tuple[Set[str], Set[str]] = set(one[option]), set(other[option])
        if both[0].isdisjoint(both[1]) and SUM not in both[0] | both[1]:
            return True
    return False


def rival_of(
    source: SourceConfig, others: Iterable[SourceConfig]
) -> SourceConfig | None:
    """Find the source that has what another one needs; None where none does.

    Either the one cannot be opened while the other is, or what it reads counts twice.
    Other elements, outlets or sensors of one device may be sources of their own; a
    serial port has one user.
    """
    need = _need(source)
    if need is None:
        return None
    for other in others:
        known = _need(other)
        if known and _is_one(need, known) and _is_rival(source, other):
            return other
    return None


def needed_by(source: SourceConfig) -> str:
    """Say what a source needs that no other one can have, too."""
    if source.wants_simulator:
        return f"the one simulated device of [[{source.section}]]"
    return source.address or f"the {source.driver.name} that is found"


_Need = tuple[Hashable, Reached | None]
"""Whose it is, and what it reaches; None for any that there is."""


def _need(source: SourceConfig) -> _Need | None:
    """Tell what a source alone can use; None for what any number can read."""
    if source.section == "host":
        return None
    if source.wants_simulator:
        return (SIMULATED, source.section), None
    address = source.address
    # A sound meter without an address is the one that is found.
    if "file" in source.keys or not (address or source.section == "noise"):
        return None
    reached = reached_at(address) if address else None
    if reached and reached.bus == "serial":
        return source.host, reached
    # Instruments answer whatever driver speaks to them.
    is_at_port = source.section == "power" and reached and reached.bus == "lan"
    if "resource" in source.keys or is_at_port:
        return "", reached
    port = source.keys.get("port")
    return (source.section, source.driver.name, source.host, port), reached


def _is_one(need: _Need, other: _Need) -> bool:
    (owner, reached), (other_owner, other_reached) = need, other
    if owner != other_owner:
        return False
    return not (reached and other_reached) or reached.is_shared(other_reached)


def _is_rival(source: SourceConfig, other: SourceConfig) -> bool:
    """Tell whether of what both reach only one can have this."""
    if source.wants_simulator or reached_at(source.address).bus == "serial":
        return True
    differ = any(source.keys.get(key) != other.keys.get(key) for key in _VIEWS)
    return not (differ or are_other_parts(parts_of(source), parts_of(other)))
