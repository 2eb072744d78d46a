"""The Benetech and WENSN GM1356 sound level meter on USB (HID).

It could not be plugged in here: the tests inject the device, with bytes as public
projects saw them.
"""

import time
from collections.abc import Callable

from instruments.driver import Driver, Found
from instruments.errors import SourceError
from instruments.noise.gm1356_link import Gm1356Link
from instruments.noise.gm1356_protocol import RANGES, Report
from instruments.noise.handheld import (
    PERIOD_S,
    FrozenWatch,
    level_channels,
    one_second,
)
from instruments.noise.hid_device import Hid, find, open_hid
from instruments.reading import Channel, Identity, Reading, Status
from instruments.settings import Kind, Option, Settings
from instruments.timebase import monotonic_ns
from instruments.tools.hosts import Host

VENDOR, PRODUCT = 0x64BD, 0x74E3

_POLLS = 4
_POLL_S = 0.2

Opener = Callable[[int, int, str, str], tuple[Hid, str]]


class Gm1356:
    """One meter as a source of section "noise".

    It tells only its fast level; the level of a second is the mean by energy of four,
    and its highest the highest of these four.

    Args:
        name: Name of the source.
        device: Its serial number; "" is the one that is plugged in.
        weighting: "A" or "C"; the meter is set to it.
        level_range: One of `RANGES`.
        opener: Opens the device, as `open_hid` does.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.
    """

    section = "noise"
    driver = "gm1356"
    period_s = PERIOD_S

    def __init__(
        self,
        name: str,
        device: str = "",
        *,
        weighting: str = "A",
        level_range: str = "30-130",
        opener: Opener = open_hid,
        clock: Callable[[], int] = monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self._device = device
        self._weighting = weighting
        self._range = level_range
        self._opener = opener
        self._clock = clock
        self._sleep = sleep
        self._link: Gm1356Link | None = None
        self._frozen = FrozenWatch()
        self._channels = level_channels(name, weighting)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the two channels."""
        return self._channels

    def open(self) -> Identity:
        """Open the device, set it, and have one level; see `Source.open`."""
        self.close()
        device, number = self._opener(VENDOR, PRODUCT, self._device, self.name)
        self._link = Gm1356Link(device, self.name)
        try:
            self._link.configure(self._weighting, self._range)
            self._ask()
        except BaseException:
            self.close()
            raise
        self._frozen = FrozenWatch()
        address = f"USB {VENDOR:04x}:{PRODUCT:04x}"
        return Identity("Benetech", "GM1356", number, "", address)

    def read(self) -> Reading:
        """Ask for four levels; see `Source.read`."""
        start = self._clock()
        levels, statuses, raw = [], [], b""
        for poll in range(_POLLS):
            if poll:
                self._sleep(_POLL_S)
            report, answer = self._ask()
            is_frozen = self._frozen.is_frozen(report.level, self._clock())
            status = report.status
            if is_frozen and status.is_value:
                status = Status.STALE
            levels.append(report.level)
            statuses.append(status)
            raw += answer
        values, both = one_second(levels, statuses)
        end = self._clock()
        return Reading(self._channels, start, end, values, both, raw.hex().encode())

    def close(self) -> None:
        """Let go of the device; may be called twice."""
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _ask(self) -> tuple[Report, bytes]:
        link = self._link
        if link is None:
            raise SourceError("the source is not open", where=self.name)
        report, answer = link.ask()
        told = (report.weighting, report.is_fast, report.range_number)
        if told != (self._weighting, True, RANGES[self._range][0]):
            raise link.error(
                "its settings were changed by hand",
                "Leave its keys alone while a session is recorded.",
            )
        if report.is_held:
            raise link.error(
                "it holds the highest level (MAX), which is no live level",
                "Press MAX on the meter.",
            )
        return report, answer


def _build(settings: Settings) -> Gm1356:
    return Gm1356(
        settings.name,
        settings.text("device"),
        weighting=settings.text("weighting"),
        level_range=settings.text("range"),
    )


def _discover(host: Host) -> list[Found]:
    if host.name:
        return []
    try:
        numbers = [number for _, number in find(VENDOR, PRODUCT)]
    except SourceError:  # no way to USB, no meters
        return []
    return [Found(f"GM1356 {n}".strip(), {"device": n} if n else {}) for n in numbers]


DRIVER = Driver(
    "noise",
    "gm1356",
    "Benetech, WENSN GM1356 (USB)",
    (
        Option(
            "device",
            "Serial number of the meter; left out, the one that is plugged in.",
        ),
        Option(
            "weighting", "Frequency weighting.", Kind.CHOICE, "A", choices=("A", "C")
        ),
        Option(
            "range",
            "Range of levels.",
            Kind.CHOICE,
            "30-130",
            choices=tuple(RANGES),
            unit="dB",
        ),
    ),
    _build,
    _discover,
)
