"""What an address of an instrument reaches, in whichever way it is written."""

import re
from dataclasses import dataclass

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
