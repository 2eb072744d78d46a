"""A machine as a source: processors, memory, network and disks, here or over SSH."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from instruments.driver import Driver, Found, period
from instruments.errors import BenchError, SourceError, plain_words
from instruments.host.counters import memory_available, usual_disks, usual_networks
from instruments.host.rates import FILES, PERCENT, Look, Rate, look, rates, value
from instruments.reading import SECOND, Channel, Identity, Judged, Reading, Status
from instruments.settings import Kind, Option, Settings
from instruments.throttling import CPU
from instruments.timebase import monotonic_ns
from instruments.tools.command_errors import errors_of
from instruments.tools.hosts import Host

DISKS = Option(
    "disks",
    "Disks to watch, by name or path; without it, all whole ones.",
    Kind.TEXTS,
    example="sda",
)
INTERFACES = Option(
    "interfaces",
    "Network interfaces to watch; without it, all that look like hardware.",
    Kind.TEXTS,
    example="eth0",
)
PER_CORE = Option(
    "per_core", "Record each processor as its own channel.", Kind.FLAG, False
)
OPTIONS = (DISKS, INTERFACES, PER_CORE, period(1.0, 0.2))
"""Options of both drivers of section "host": what to watch."""

_LOAD, _MEMORY = "/proc/loadavg", "/proc/meminfo"
_KERNEL = "/proc/sys/kernel/osrelease"
_NAME = "/proc/sys/kernel/hostname"
_DMI = "/sys/class/dmi/id/"
_CPUS = "/sys/devices/system/cpu"
# Of each core and of each package, below cpu*/thermal_throttle on x86.
_THROTTLED = ("core_throttle_count", "package_throttle_count")
# Interrupts, and all of meminfo but two lines: on a great machine they are most of what
# is read, and the raw stream keeps every read.
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
        settings: Name, the machine, and options of `OPTIONS`.
        driver: "local" or "ssh".
        clock: Gives monotonic nanoseconds.
    """

    section = "host"

    def __init__(
        self,
        settings: Settings,
        driver: str = "local",
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.name = settings.name
        self.driver = driver
        self.period_s = settings.number("period")
        self._host = settings.host
        self._wanted = settings.texts("disks"), settings.texts("interfaces")
        self._per_core = settings.flag("per_core")
        self._clock = clock
        self._rates: list[Rate] = []
        self._momentary: tuple[Channel, ...] = ()
        self.channels: tuple[Channel, ...] = ()
        self._before: Look | None = None
        self._throttled: list[str] = []
        self._notice = ""

    def open(self) -> Identity:
        """Reach the machine and see what it has; raises SourceError."""
        self.close()
        names = ("sys_vendor", "product_name", "product_serial")
        facts = [f"{_DMI}{name}" for name in names]
        with errors_of(self.name):
            texts = self._host.read_many([*FILES, *facts, _KERNEL, _NAME])
            blocks = self._host.list_folder("/sys/block")
            disks = self._choose_disks(blocks)
            self._throttled = self._find_throttled()
        self._declare(self._look(texts, self._clock()), disks)
        values = [(texts[path] or "").strip() for path in (*facts, _KERNEL, _NAME)]
        maker, model, serial, kernel, name = values
        return Identity(
            maker, model or name, serial, f"Linux {kernel}", str(self._host)
        )

    def _declare(self, first: Look, disks: dict[str, str]) -> None:
        """Declare the channels of what is watched, with the location of each disk.

        Raises:
            SourceError: The bench names a disk or an interface that is not there.
        """
        interfaces = self._wanted[1] or usual_networks(first.networks)
        if not self._wanted[0]:  # nobody asked for what the kernel does not count
            self._notice = _uncounted(sorted(set(disks) - set(first.disks)))
            disks = {name: disks[name] for name in disks if name in first.disks}
        self._require("disk", disks, first.disks)
        self._require("interface", interfaces, first.networks)
        cores = [name for name in first.processors if name != "cpu"]
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
            *[Channel(self.name, CPU, "", period_ns=period_ns)] * bool(self._throttled),
        )
        self.channels = (*self._momentary, *(rate.channel for rate in self._rates))

    def read(self) -> Reading:
        """Read the counters; raises SourceError."""
        if not self.channels:
            raise SourceError("the source is not open", where=self.name)
        start = self._clock()
        with errors_of(self.name):
            names = [*FILES, _LOAD, _MEMORY]
            texts = self._host.read_many([*names, *self._throttled], _LATEST_S)
        end = self._clock()
        now = self._look(texts, (start + end) // 2)
        values = self._momentary_values(texts)
        channels = self._momentary
        before = self._before
        # Too soon after it, the look before stays the one that rates are made from.
        if before is None or now.time_ns - before.time_ns >= _SHORTEST_NS:
            self._before = now
        if before is not None and self._before is now:
            values += [value(rate, before, now) for rate in self._rates]
            channels = self.channels
        notice, self._notice = self._notice, ""
        raw = _counted("".join(texts[name] or "" for name in names)).encode()
        return Reading.of(channels, (start, end), values, raw, notice=notice)

    def close(self) -> None:
        """Forget what was counted and let go of the machine."""
        self._before = None
        self._host.close()

    def _momentary_values(self, texts: Mapping[str, str | None]) -> list[Judged]:
        share = memory_available(texts[_MEMORY] or "")
        values = [_load(texts[_LOAD] or ""), _number(share and share * PERCENT)]
        if self._throttled:
            values.append(_number(_sum(texts[path] for path in self._throttled)))
        return values

    def _choose_disks(self, blocks: Sequence[str]) -> dict[str, str]:
        """Get the location of each disk to watch, by the kernel's name."""
        wanted = self._wanted[0]
        if not wanted:
            return {name: _location(name) for name in usual_disks(blocks)}
        paths = [name if "/" in name else f"/dev/{name}" for name in wanted]
        # Follows links of /dev/disk; -m also takes one that is not there, which is
        # refused by name later.
        done = self._host.run(["readlink", "-m", "--", *paths], 5.0)
        real = [line.rpartition("/")[2] for line in done.stdout.splitlines()]
        if len(real) != len(paths):
            raise BenchError(
                f"readlink does not report the disks ({done.stderr.strip()[:100]})",
                where=str(self._host),
                way_out="Check the names in disks.",
            )
        places = [_location(path.rpartition("/")[2]) for path in paths]
        return dict(zip(real, places, strict=True))

    def _find_throttled(self) -> list[str]:
        """Find the kernel's counts of throttling; x86 has them, guests mostly not."""
        cpus = [n for n in self._host.list_folder(_CPUS) if re.fullmatch(r"cpu\d+", n)]
        folders = (f"{_CPUS}/{cpu}/thermal_throttle" for cpu in cpus)
        paths = [f"{folder}/{name}" for folder in folders for name in _THROTTLED]
        texts = self._host.read_many(paths) if paths else {}
        return [path for path, text in texts.items() if text]

    def _look(self, texts: Mapping[str, str | None], time_ns: int) -> Look:
        try:
            return look(texts, time_ns)
        except ValueError as error:
            raise SourceError(
                f"what it counts cannot be read: {plain_words(error)}",
                where=f"{self.name} ({self._host})",
                way_out="See /proc/stat, /proc/net/dev and /proc/diskstats there.",
            ) from error

    def _require(self, kind: str, names: Iterable[str], there: Iterable[str]) -> None:
        missing = sorted(set(names) - set(there))
        if missing:
            raise SourceError(
                f"it has no {kind} {missing[0]}",
                where=f"{self.name} ({self._host})",
                way_out=f"Available there: {', '.join(sorted(there))}.",
                status=Status.ABSENT,
            )


def _uncounted(disks: Sequence[str]) -> str:
    if not disks:
        return ""
    verb = "has" if len(disks) == 1 else "have"
    return f"{', '.join(disks)} {verb} no line in /proc/diskstats: excluded"


def _location(name: str) -> str:
    """Make a location of a kernel's name, such as "eth0-100" of "eth0.100"."""
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in name)


def _counted(raw: str) -> str:
    """Leave out what nothing here is made of: interrupts, most of the memory."""
    return _UNUSED.sub("", raw)


def _load(text: str) -> Judged:
    """Read the load of the last minute, the first number of /proc/loadavg."""
    try:
        return _number(float(text.partition(" ")[0]))
    except ValueError:
        return math.nan, Status.NAN


def _sum(texts: Iterable[str | None]) -> float | None:
    """Add up counts; None where one is missing, as of a processor switched off."""
    try:
        return float(sum(int(text or "") for text in texts))
    except ValueError:
        return None


def _number(number: float | None) -> Judged:
    if number is None or math.isnan(number):
        return math.nan, Status.NAN
    return number, Status.OK


def _discover(host: Host) -> list[Found]:
    name = host.read_many([_NAME])[_NAME]
    return [Found(f"This machine ({name.strip()})", {})] if name else []


DRIVER = Driver(
    "host",
    "local",
    "This machine: processors, memory, network, disks",
    OPTIONS,
    HostSource,
    _discover,
)
