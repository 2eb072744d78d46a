"""The Benetech and WENSN GM1356 sound level meter on USB (HID).

It could not be plugged in here: the tests inject the device, with bytes as public
projects saw them.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol

from instruments.driver import Driver, Found
from instruments.errors import SourceError, plain_words
from instruments.noise import gm1356_protocol as protocol
from instruments.noise.gm1356_protocol import RANGES, Report
from instruments.noise.handheld import WEIGHTING, Handheld, level_range, one_second
from instruments.reading import Identity, Reading, Status
from instruments.settings import Option, Settings
from instruments.timebase import monotonic_ns
from instruments.tools.hosts import Host


class Hid(Protocol):
    """An opened device; hidapi's own object, or a fake in tests."""

    def write(self, data: bytes) -> int:
        """Send a report; fewer bytes than given, or -1, is a failure."""
        ...

    def read(self, max_length: int, timeout_ms: int) -> Sequence[int]:
        """Wait for a report; empty after the time."""
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...


def find(vendor: int, product: int) -> list[tuple[bytes, str]]:
    """List devices: path and serial number, which may be empty.

    Args:
        vendor: USB vendor number.
        product: USB product number.

    Raises:
        SourceError: hidapi cannot be loaded here.
    """
    return [
        (bytes(entry["path"]), str(entry["serial_number"] or "").strip())
        for entry in _hidapi().enumerate(vendor, product)
    ]


def open_hid(vendor: int, product: int, serial: str, where: str) -> tuple[Hid, str]:
    """Open a device.

    Args:
        vendor: USB vendor number.
        product: USB product number.
        serial: Its serial number; "" is the one that is there.
        where: The source, for errors.

    Returns:
        The device and its serial number.

    Raises:
        SourceError: None or several are there, or it may not be opened.
    """
    meters = [each for each in find(vendor, product) if serial in ("", each[1])]
    if not meters:
        which = f" with serial number {serial}" if serial else ""
        raise SourceError(
            f"no meter{which} is plugged in (USB {vendor:04x}:{product:04x})",
            where=where,
            way_out="Check its USB cable, and whether it is switched on.",
            status=Status.ABSENT,
        )
    if len(meters) > 1:
        raise SourceError(
            f"{len(meters)} such meters are plugged in",
            where=where,
            way_out="Choose one by its serial number, with the key device.",
        )
    # By its path, since hidapi opens the first of several with an empty serial number.
    path, number = meters[0]
    device = _hidapi().device()
    try:
        device.open_path(path)
    except OSError as error:
        raise SourceError(
            "the meter cannot be opened: no permission, or another program has it",
            where=where,
            way_out="Install packaging/udev/70-bayscope.rules, then plug it in again.",
        ) from error
    opened: Hid = device
    return opened, number


def _hidapi() -> Any:
    try:
        return import_module("hid")  # loads libudev, and has no types
    except (ImportError, OSError) as error:
        raise SourceError(
            f"USB meters cannot be reached from here ({plain_words(error)})",
            where="hidapi",
            way_out="Install the Debian package libudev1, and the package hidapi.",
        ) from error


TIMEOUT_MS = 500  # in which meters were seen to acknowledge their settings
_STALE_REPORTS = 32  # at most, so that a meter that sends without end is not waited for
_ACK_TRIES = 4  # reports in which the acknowledgement may come after late answers


class Gm1356Link:
    """An opened meter.

    Args:
        device: The opened HID device; the link closes it.
        where: The source, for errors.
    """

    def __init__(self, device: Hid, where: str) -> None:
        self._device = device
        self._where = where

    def configure(self, weighting: str, level_range: str) -> None:
        """Set fast, no MAX hold, and these settings.

        Raises:
            SourceError: It did not acknowledge them, or is gone.
        """
        self._discard()
        self._send(protocol.configuration(weighting, level_range))
        for _ in range(_ACK_TRIES):
            if protocol.is_acknowledgement(self._receive()):
                return
        raise self.error("it does not acknowledge its settings")

    def ask(self) -> tuple[Report, bytes]:
        """Ask for a level; get it and the report as it came.

        Raises:
            SourceError: No answer, no level in it, or it is gone.
        """
        self._discard()
        self._send(protocol.read_request())
        answer = self._receive()
        report = protocol.parse_report(answer)
        if report is None:
            raise self.error(f"the bytes {answer.hex()} are not a report of a GM1356")
        return report, answer

    def error(self, what: str, way_out: str = "Switch it off and on.") -> SourceError:
        """Make an error of this meter."""
        return SourceError(what, where=self._where, way_out=way_out)

    def close(self) -> None:
        """Let go of the device; may be called twice."""
        with suppress(OSError, ValueError):
            self._device.close()

    def _discard(self) -> None:
        """Throw away answers to questions of before; a late one is not the next."""
        for _ in range(_STALE_REPORTS):
            try:
                if not self._device.read(protocol.SIZE, 1):
                    return
            except (OSError, ValueError) as error:
                raise self._gone() from error

    def _send(self, report: bytes) -> None:
        try:
            sent = self._device.write(report)
        except (OSError, ValueError) as error:
            raise self._gone() from error
        if sent != len(report):
            raise self._gone()

    def _receive(self) -> bytes:
        try:
            answer = bytes(self._device.read(protocol.SIZE, TIMEOUT_MS))
        except (OSError, ValueError) as error:
            raise self._gone() from error
        if not answer:
            raise SourceError(
                f"no answer within {TIMEOUT_MS / 1000:g} s",
                where=self._where,
                way_out="Is it switched on, and does no other program use it?",
                status=Status.TIMEOUT,
            )
        return answer

    def _gone(self) -> SourceError:
        return SourceError(
            "the meter is no longer on USB",
            where=self._where,
            way_out="Was it unplugged or switched off?",
            status=Status.ABSENT,
        )


# Vendor and product on USB, as both projects found them.
VENDOR, PRODUCT = 0x64BD, 0x74E3

# Four levels, 200 ms apart, leave time for their answers within the second.
_POLLS = 4
_POLL_S = 0.2

Opener = Callable[[int, int, str, str], tuple[Hid, str]]


class Gm1356(Handheld[Gm1356Link]):
    """One meter as a source of section "noise".

    It has only a fast level; the level of a second is the mean by energy of four,
    and its highest the highest of these four.

    Args:
        settings: Name and options; the device is its serial number, "" the one that is
            plugged in.
        opener: Opens the device, as `open_hid` does.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.
    """

    driver = "gm1356"

    def __init__(
        self,
        settings: Settings,
        *,
        opener: Opener = open_hid,
        clock: Callable[[], int] = monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(settings, clock)
        self._range = settings.text("range")
        self._opener = opener
        self._sleep = sleep

    def open(self) -> Identity:
        """Open the device, set it, and have one level; see `Source.open`."""
        self.close()
        device, number = self._opener(VENDOR, PRODUCT, self._device, self.name)
        with self._opening(Gm1356Link(device, self.name)) as link:
            link.configure(self._weighting, self._range)
            self._ask()
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
            is_stuck = self._is_stuck(report.level)
            status = report.status
            if is_stuck and status.is_value:
                status = Status.STALE
            levels.append(report.level)
            statuses.append(status)
            raw += answer
        values, both = one_second(levels, statuses)
        end = self._clock()
        return Reading(self.channels, start, end, values, both, raw.hex().encode())

    def _ask(self) -> tuple[Report, bytes]:
        link = self._opened()
        report, answer = link.ask()
        shown = (report.weighting, report.is_fast, report.range_number)
        if shown != (self._weighting, True, RANGES[self._range][0]):
            raise link.error(
                "its settings were changed by hand",
                "Do not touch its keys while a session is recorded.",
            )
        if report.is_held:
            raise link.error(
                "it holds the highest level (MAX), which is not a live level",
                "Press MAX on the meter.",
            )
        return report, answer


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
            "Serial number of the meter; without it, the one that is plugged in.",
        ),
        WEIGHTING,
        level_range(tuple(RANGES)),
    ),
    Gm1356,
    _discover,
)
