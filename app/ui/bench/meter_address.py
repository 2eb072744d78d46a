"""The address of a meter as people type it, and as VISA wants it."""

import re

from app.bench.model import SIMULATED
from instruments.errors import BadInput

_HOST_PORT = re.compile(r"(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?P<port>\d{1,5})")
_VISA = re.compile(r"(TCPIP|USB|ASRL|GPIB|VXI|PXI|VICP|PRLGX)", re.IGNORECASE)
_HIGHEST_PORT = 65535


def as_resource(typed: str) -> str:
    """Write host:port as the VISA resource of a socket; what is one stays as it is.

    Raises:
        BadInput: It is neither.
    """
    text = typed.strip()
    if found := _HOST_PORT.fullmatch(text):
        if 0 < int(found["port"]) <= _HIGHEST_PORT:
            return f"TCPIP::{found['host']}::{found['port']}::SOCKET"
    elif text == SIMULATED or _VISA.match(text):
        return text
    raise BadInput(
        f'"{text}" is no address of a meter',
        where="resource",
        way_out="Expected host:port, such as 192.0.2.5:5025, or a VISA resource, such "
        "as TCPIP::192.0.2.5::5025::SOCKET or USB0::...::INSTR.",
    )
