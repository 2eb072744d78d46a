"""A machine as a source: processors, memory, network and disks, here or over SSH."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from instruments.driver import period
from instruments.errors import BenchError, SourceError
from instruments.host.counters import memory_available, usual_disks, usual_networks
from instruments.host.rates import FILES, Look, Rate, look, rates, value
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.settings import Kind, Option
from instruments.timebase import monotonic_ns
from instruments.tools.command_errors import lost_source
from instruments.tools.hosts import Host

DISKS = Option(
    "disks",
    "Disks to watch, by name or path; left out, all whole ones.",
    Kind.TEXTS,
    example="sda",
)
INTERFACES = Option(
    "interfaces",
    "Network interfaces to watch; left out, all that look like hardware.",
    Kind.TEXTS,
    example="eth0",
)
PER_CORE = Option(
    "per_core", "Whether each processor is a channel, too.", Kind.FLAG, False
)
OPTIONS = (DISKS, INTERFACES, PER_CORE, period(1.0, 0.2))
"""What both drivers of section "host" can be told of what to watch."""

_LOAD, _MEMORY = "/proc/loadavg", "/proc/meminfo"
_KERNEL = "/proc/sys/kernel/osrelease"
_NAME = "/proc/sys/kernel/hostname"
_DMI = "/sys/class/dmi/id/"
_UNUSED = re.compile(
    r"^(?:(?:intr|softirq) .*|(?!MemTotal|MemAvail)\S+: +\d+ kB)\n", re.MULTILINE
)
_LATEST_S = 5.0
"""A read may take this long [judged]: an overloaded machine is slow, and not lost. The
next one is then a mean over the longer time."""

_SHORTEST_NS = 20_000_000  # two ticks of the kernel, below which a rate says nothing


class HostSource:
    """A machine as a source of section "host".

    Rates are means between two reads, so the first read has none of them.

    Args:
        name: Name of the source.
        driver: "local" or "ssh".
        host: The machine.
        disks: Names or paths of disks; empty for all.
        interfaces: Names of interfaces; empty for those that look like hardware.
        per_core: Whether each processor is a channel, too.
        period_s: Seconds from one read to the next.
        clock: Gives monotonic nanoseconds.
    """

    section = "host"

    def __init__(
        self,
        name: str,
        driver: str,
        host: Host,
        *,
        disks: Sequence[str] = (),
        interfaces: Sequence[str] = (),
        per_core: bool = False,
        period_s: float = 1.0,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.name = name
        self.driver = driver
        self.period_s = period_s
        self._host = host
        self._wanted = tuple(disks), tuple(interfaces)
        self._per_core = per_core
        self._clock = clock
        self._rates: list[Rate] = []
        self._momentary: tuple[Channel, ...] = ()
        self._channels: tuple[Channel, ...] = ()
        self._before: Look | None = None
        self._news = ""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels; known once it was opened."""
        return self._channels

    def open(self) -> Identity:
        """Reach the machine and see what it has; raises SourceError."""
        self.close()
        names = ("sys_vendor", "product_name", "product_serial")
        facts = [f"{_DMI}{name}" for name in names]
        try:
            texts = self._host.read_many([*FILES, *facts, _KERNEL, _NAME])
            blocks = self._host.list_folder("/sys/block")
            disks = self._choose_disks(blocks)
        except BenchError as error:
            raise lost_source(self.name, error) from error
        found = self._look(texts, self._clock())
        interfaces = self._wanted[1] or usual_networks(found.networks)
        if not self._wanted[0]:  # nobody asked for what the kernel does not count
            self._news = _left_out(sorted(set(disks) - set(found.disks)))
            disks = {name: disks[name] for name in disks if name in found.disks}
        self._require("disk", disks, found.disks)
        self._require("interface", interfaces, found.networks)
        cores = [name for name in found.processors if name != "cpu"]
        period_ns = round(self.period_s * SECOND)
        self._rates = rates(
            self.name,
            period_ns,
            cores=cores if self._per_core else (),
            interfaces={name: _location(name) for name in interfaces},
            devices=disks,
        )
        self._momentary = (
            Channel(self.name, "load_1min", "", period_ns=period_ns),
            Channel(self.name, "memory_available", "%", period_ns=period_ns),
        )
        self._channels = (*self._momentary, *(rate.channel for rate in self._rates))
        known = [(texts[path] or "").strip() for path in (*facts, _KERNEL, _NAME)]
        maker, model, serial, kernel, name = known
        return Identity(
            maker, model or name, serial, f"Linux {kernel}", str(self._host)
        )

    def read(self) -> Reading:
        """Read the counters; raises SourceError."""
        if not self._channels:
            raise SourceError("the source is not open", where=self.name)
        start = self._clock()
        try:
            texts = self._host.read_many([*FILES, _LOAD, _MEMORY], _LATEST_S)
        except BenchError as error:
            raise lost_source(self.name, error) from error
        end = self._clock()
        now = self._look(texts, (start + end) // 2)
        share = memory_available(texts[_MEMORY] or "")
        values = [_load(texts[_LOAD] or ""), _number(share and share * 100.0)]
        channels = self._momentary
        before = self._before
        if before is None or now.time_ns - before.time_ns >= _SHORTEST_NS:
            self._before = now
        if before is not None and self._before is now:
            values += [value(rate, before, now) for rate in self._rates]
            channels = self._channels
        news, self._news = self._news, ""
        return Reading(
            channels,
            start,
            end,
            tuple(number for number, _ in values),
            tuple(status for _, status in values),
            _counted("".join(text for text in texts.values() if text)).encode(),
            news=news,
        )

    def close(self) -> None:
        """Forget what was counted and let go of the machine."""
        self._before = None
        self._host.close()

    def _choose_disks(self, blocks: Sequence[str]) -> dict[str, str]:
        """Get the location of each disk to watch, by the kernel's name."""
        wanted = self._wanted[0]
        if not wanted:
            return {name: _location(name) for name in usual_disks(blocks)}
        paths = [name if "/" in name else f"/dev/{name}" for name in wanted]
        done = self._host.run(["readlink", "-m", "--", *paths], 5.0)
        real = [line.rpartition("/")[2] for line in done.stdout.splitlines()]
        if len(real) != len(paths):
            raise BenchError(
                f"readlink does not tell the disks ({done.stderr.strip()[:100]})",
                where=str(self._host),
                way_out="See the names in disks.",
            )
        places = [_location(path.rpartition("/")[2]) for path in paths]
        return dict(zip(real, places, strict=True))

    def _look(self, texts: Mapping[str, str | None], time_ns: int) -> Look:
        try:
            return look(texts, time_ns)
        except ValueError as error:
            raise SourceError(
                f"what it counts cannot be read ({error})",
                where=f"{self.name} ({self._host})",
                way_out="See /proc/stat, /proc/net/dev and /proc/diskstats there.",
            ) from error

    def _require(self, kind: str, names: Iterable[str], known: Iterable[str]) -> None:
        lost = sorted(set(names) - set(known))
        if lost:
            raise SourceError(
                f"it has no {kind} {lost[0]}",
                where=f"{self.name} ({self._host})",
                way_out=f"Known there: {', '.join(sorted(known))}.",
                status=Status.ABSENT,
            )


def _left_out(disks: Sequence[str]) -> str:
    if not disks:
        return ""
    verb = "has" if len(disks) == 1 else "have"
    return f"{', '.join(disks)} {verb} no line in /proc/diskstats: left out"


def _location(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in name)


def _counted(raw: str) -> str:
    """Leave out what nothing here is made of: interrupts, most of the memory."""
    return _UNUSED.sub("", raw)


def _load(text: str) -> tuple[float, Status]:
    """Read the load of the last minute, the first number of /proc/loadavg."""
    try:
        return _number(float(text.partition(" ")[0]))
    except ValueError:
        return math.nan, Status.NAN


def _number(found: float | None) -> tuple[float, Status]:
    if found is None or math.isnan(found):
        return math.nan, Status.NAN
    return found, Status.OK
