"""SAS links as a source: errors a second, links up and slow, paths active."""

import math
import re
from collections.abc import Callable, Sequence

from instruments.driver import HOST, Driver, Found, period
from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Identity, Judged, Reading, Status
from instruments.settings import Settings
from instruments.sizes import counted
from instruments.thermal.drives.sas_path import Phy, SasHealth, read_sas_health
from instruments.timebase import monotonic_ns
from instruments.tools.command_errors import errors_of
from instruments.tools.hosts import Host

# phy-HOST:PHY of an HBA, phy-HOST:EXPANDER:PHY of an expander.
_NAME = re.compile(r"phy-(\d{1,18})(?::(\d{1,18}))?:\d+$")


def group_of(phy: str) -> str:
    """Get the HBA or expander of a phy by its name, such as "expander-0-1"."""
    parts = _NAME.match(phy)
    if parts is None:
        return "other"
    host, expander = parts.groups()
    return f"host{host}" if expander is None else f"expander-{host}-{expander}"


def group(health: SasHealth, location: str) -> dict[str, Phy]:
    """Get the phys of an HBA or expander."""
    phys = health.phys.items()
    return {name: phy for name, phy in phys if group_of(name) == location}


def count_paths(quantity: str, health: SasHealth) -> Judged:
    """Count the paths of all multipath devices that are active, or failed.

    Without any device they may be gone or just not asked, which is not zero.
    """
    if not health.paths:
        return math.nan, Status.ABSENT
    if quantity == "paths_active":
        return float(sum(p.active for p in health.paths.values())), Status.OK
    failed = sum(p.failed for p in health.paths.values())
    return float(failed), Status.CRIT if failed else Status.OK


def count_links(quantity: str, phys: dict[str, Phy]) -> Judged:
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


def rate(added: int | None, time_ns: int) -> Judged:
    """Make a rate of errors, in 1/s, of what a counter grew."""
    if added is None or time_ns <= 0:
        return math.nan, Status.NAN
    return added * SECOND / time_ns, Status.WARN if added else Status.OK


_RATES = {
    "invalid_dwords": "invalid_dword_count",
    "disparity_errors": "running_disparity_error_count",
    "sync_losses": "loss_of_dword_sync_count",
    "reset_problems": "phy_reset_problem_count",
}
"""Quantities of the counters, each as a rate over the time since the last read."""


class SasLinks:
    """The links of HBAs and expanders as a source of section "thermal".

    Phys are summed up by the HBA or expander that they belong to; the raw stream has
    each of them. Reading the counters of an expander sends it a few requests, but
    nothing to a drive.

    Args:
        settings: Name, the machine with the HBA, and options.
        clock: Gives monotonic nanoseconds.
    """

    section = "thermal"
    driver = "sas"

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self.name = settings.name
        self.host = settings.host
        self.period_s = settings.number("period")
        self._clock = clock
        self._before: tuple[int, SasHealth] | None = None
        self.channels: tuple[Channel, ...] = ()

    def open(self) -> Identity:
        """Look at the links for the first time; raises SourceError."""
        self._before = None
        health = self._look()
        if not health.phys:
            raise SourceError(
                "there is no SAS link",
                where=self.name,
                way_out="Check whether the HBA is there: its links are in "
                "/sys/class/sas_phy.",
            )
        groups = sorted({group_of(name) for name in health.phys})
        # Channels that were declared stay; what is gone reads as absent.
        if not self.channels:
            self.channels = tuple(
                self._channel(quantity, unit, group)
                for group in groups
                for quantity, unit in (
                    *((quantity, "1/s") for quantity in _RATES),
                    ("links_up", ""),
                    ("links_slow", ""),
                )
            )
            if health.paths:
                self.channels += (
                    self._channel("paths_active", "", ""),
                    self._channel("paths_failed", "", ""),
                )
        return Identity(
            maker="SAS",
            model=counted(len(health.phys), "phy"),
            serial="",
            firmware="",
            address=" ".join(groups),
        )

    def read(self) -> Reading:
        """Read all counters and rates; raises SourceError."""
        if not self.channels:
            raise SourceError("the source is not open", where=self.name)
        start = self._clock()
        health = self._look()
        end = self._clock()
        before, self._before = self._before, (end, health)
        pairs = (self._value(channel, health, before, end) for channel in self.channels)
        raw = "\n".join(health.lines()).encode()
        return Reading.of(self.channels, (start, end), pairs, raw)

    def close(self) -> None:
        """Forget the last look; nothing is held open between reads."""
        self._before = None
        self.host.close()

    def _look(self) -> SasHealth:
        with errors_of(self.name):
            return read_sas_health(self.host)

    def _channel(self, quantity: str, unit: str, location: str) -> Channel:
        period_ns = int(self.period_s * SECOND)
        window_ns = period_ns if quantity in _RATES else 0
        return Channel(
            self.name, quantity, unit, location, period_ns, window_ns=window_ns
        )

    def _value(
        self,
        channel: Channel,
        health: SasHealth,
        before: tuple[int, SasHealth] | None,
        now: int,
    ) -> Judged:
        if not channel.location:
            return count_paths(channel.quantity, health)
        phys = group(health, channel.location)
        if not phys:
            return math.nan, Status.ABSENT
        counter = _RATES.get(channel.quantity)
        if counter is None:
            return count_links(channel.quantity, phys)
        if before is None:  # a rate needs two looks
            return math.nan, Status.NAN
        then, old = before
        return rate(added(group(old, channel.location), phys, counter), now - then)


def _discover(host: Host) -> list[Found]:
    health = read_sas_health(host)
    groups: Sequence[str] = sorted({group_of(name) for name in health.phys})
    label = f"{counted(len(health.phys), 'SAS phy')} ({', '.join(groups)})"
    return [Found(label, {})] if groups else []


DRIVER = Driver(
    "thermal",
    "sas",
    "SAS links: errors, link rates, active paths",
    (period(60.0, 5.0), HOST),
    SasLinks,
    _discover,
)
