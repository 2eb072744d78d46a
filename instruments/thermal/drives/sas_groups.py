"""Sums up phys by the HBA or expander they belong to."""

import math
import re

from instruments.reading import SECOND, Status
from instruments.thermal.drives.sas_path import Phy, SasHealth

_NAME = re.compile(r"phy-(\d{1,18})(?::(\d{1,18}))?:\d+$")

Pair = tuple[float, Status]


def group_of(phy: str) -> str:
    """Get the HBA or expander of a phy by its name, such as "expander-0-1"."""
    found = _NAME.match(phy)
    if found is None:
        return "other"
    host, expander = found.groups()
    return f"host{host}" if expander is None else f"expander-{host}-{expander}"


def group(health: SasHealth, location: str) -> dict[str, Phy]:
    """Get the phys of an HBA or expander."""
    phys = health.phys.items()
    return {name: phy for name, phy in phys if group_of(name) == location}


def count_paths(quantity: str, health: SasHealth) -> Pair:
    """Count the paths of all multipath devices that are active, or failed.

    Where no device is told of, they may be gone or just not asked: that is no zero.
    """
    if not health.paths:
        return math.nan, Status.ABSENT
    if quantity == "paths_active":
        return float(sum(p.active for p in health.paths.values())), Status.OK
    failed = sum(p.failed for p in health.paths.values())
    return float(failed), Status.CRIT if failed else Status.OK


def count_links(quantity: str, phys: dict[str, Phy]) -> Pair:
    """Count the links that are up, or slower than they could be."""
    if quantity == "links_up":
        return float(sum(phy.rate is not None for phy in phys.values())), Status.OK
    slow = sum(phy.is_slow for phy in phys.values())
    return float(slow), Status.WARN if slow else Status.OK


def added(old: dict[str, Phy], new: dict[str, Phy], counter: str) -> int | None:
    """Get how much a counter grew; None where that is not known of every phy.

    A phy that is new has nothing to compare with yet, and does not count.
    """
    total: int | None = None
    for name, phy in new.items():
        if name not in old:
            continue
        first, last = old[name].errors.get(counter), phy.errors.get(counter)
        # One that fell was reset: what was added before that is not known.
        if first is None or last is None or last < first:
            return None
        total = (total or 0) + last - first
    return total


def rate(added: int | None, time_ns: int) -> Pair:
    """Make a rate of errors, in 1/s, of what a counter grew."""
    if added is None or time_ns <= 0:
        return math.nan, Status.NAN
    return added * SECOND / time_ns, Status.WARN if added else Status.OK
