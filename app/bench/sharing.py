"""Sources of a bench that need the same thing: a port, an address, a microphone."""

from collections.abc import Hashable, Iterable, Mapping, Set

from app.bench.address import Reached, reached_at
from app.bench.model import SIMULATED, SourceConfig
from instruments.power.options import SUM

_PARTS = ("element", "outlets", "units")
"""Options that name what is read of a device."""

_VIEWS = ("channel", "chassis", "scopes", "oids", "profile", "controller", "number")
"""Options that choose another part of what is behind one address."""


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
