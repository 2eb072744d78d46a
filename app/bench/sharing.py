"""Sources of a bench that need the same thing: a port, an address, a microphone."""

import re
from collections.abc import Hashable, Iterable, Mapping, Set

from app.bench.model import SourceConfig
from instruments.power.options import SUM

_PARTS = ("element", "outlets", "units")
"""Options that name what is read of a device."""

_VIEWS = ("channel", "chassis", "scopes", "oids", "profile", "controller", "number")
"""Options that choose another part of what is behind one address."""

_SERIAL = re.compile(r"/dev/(tty|serial/).*|ASRL.*|COM\d+", re.IGNORECASE)
_NETWORK = re.compile(r"TCPIP\d*::([^:]+)::(\d+)(?:::SOCKET)?", re.IGNORECASE)


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
        is_shared = _is_serial(source) or not _are_apart(source, other)
        if _need(other) == need and is_shared:
            return other
    return None


def needed_by(source: SourceConfig) -> str:
    """Say what a source needs that no other one can have, too."""
    if source.wants_simulator:
        return f"the one simulated device of [[{source.section}]]"
    return source.address or f"the {source.driver.name} that is found"


def _need(source: SourceConfig) -> Hashable | None:
    """Tell what a source alone can use; None for what any number can read."""
    if source.section == "host":
        return None
    if source.wants_simulator:
        return source.section
    if _is_serial(source):
        return source.host, source.address
    address = _same(source.address)
    # A sound meter without an address is the one that is found.
    if "file" in source.keys or not (address or source.section == "noise"):
        return None
    if "resource" in source.keys:  # whatever driver speaks to it
        return address
    port = source.keys.get("port")
    return source.section, source.driver.name, source.host, address, port


def _is_serial(source: SourceConfig) -> bool:
    return _SERIAL.fullmatch(source.address) is not None


def _same(address: str) -> str:
    """Write an address in one of the ways that mean the same."""
    socket = _NETWORK.fullmatch(address)
    return (":".join(socket.groups()) if socket else address).casefold()


def _are_apart(one: SourceConfig, other: SourceConfig) -> bool:
    if one.wants_simulator:
        return False
    differ = any(one.keys.get(key) != other.keys.get(key) for key in _VIEWS)
    return differ or are_other_parts(parts_of(one), parts_of(other))
