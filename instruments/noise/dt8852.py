"""The CEM DT-8852 family of sound level meters on a serial port.

Also sold as Trotec SL400, Voltcraft SL-451 and ATP SL-8852. No meter was at hand: the
protocol is that of public projects, and the tests run against a simulated meter.
"""

from collections.abc import Callable, Mapping, Sequence

from instruments.driver import Driver, Found
from instruments.errors import SourceError
from instruments.link.serial_port import SerialPort, is_pseudo_terminal, usb_ports
from instruments.noise.dt8852_stream import Dt8852Stream, Heard, Mode
from instruments.noise.handheld import (
    WEIGHTING,
    Handheld,
    level_range,
    one_second,
    serial_device,
)
from instruments.reading import SECOND, Identity, Reading, Status
from instruments.settings import Settings
from instruments.timebase import monotonic_ns
from instruments.tools.hosts import Host

_BAUD = 9600  # as the public projects have it, with 8 data bits and no parity

# Toggles, one byte each; that 77 switches between fast and slow is inferred.
_KEYS = {
    Mode.WEIGHTING: b"\x99",
    Mode.SPEED: b"\x77",
    Mode.RANGE: b"\x88",
    Mode.HOLD: b"\x11",
}
# Its settings come again and again in the stream.
_LEARN_NS = 3 * SECOND
_TOGGLE_NS = SECOND // 2  # until the meter shows that a key was taken
# A key steps through all values of a setting, four for the range; and some presses are
# missed.
_TRIES = 12
_SLICE_S = 0.1


class Dt8852Link:
    """A meter's stream, and its settings as it last sent them.

    Args:
        device: Serial port.
        where: The source and its address, for errors.
        clock: Gives monotonic nanoseconds.

    Attributes:
        state: The last value of each setting.

    Raises:
        SourceError: The port does not open.
    """

    def __init__(
        self, device: str, where: str, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self._where = where
        self._clock = clock
        self._port = SerialPort(device, _BAUD, where)
        self._stream = Dt8852Stream()
        self.state: dict[Mode, str] = {}

    def listen(self) -> Heard:
        """Take what came, or wait a tenth of a second for it.

        Raises:
            SourceError: The port is gone.
        """
        heard = self._stream.feed(self._port.read(4096, _SLICE_S))
        self.state.update(heard.modes)
        return heard

    def skip(self) -> None:
        """Forget what came until now.

        Raises:
            SourceError: The port is gone.
        """
        self._port.discard()
        self._stream = Dt8852Stream()

    def set_up(self, wanted: Mapping[Mode, str]) -> None:
        """Press keys until the settings are the wanted ones.

        The meter misses some presses without a sign of it, so each is checked by the
        settings that it sends next, and repeated.

        Raises:
            SourceError: It sends no settings, or one cannot be set.
        """
        self.skip()
        self._learn(wanted)
        for mode, value in wanted.items():
            for _ in range(_TRIES):
                if self.state[mode] == value:
                    break
                self._press(mode)
            if self.state[mode] != value:
                raise SourceError(
                    f"its {mode} stays at {self.state[mode]}, not {value}",
                    where=self._where,
                    way_out="Set it on the meter by hand.",
                )

    def silent(self, heard: Heard) -> SourceError:
        """Make the error of a stream without a level."""
        if heard.garbage:
            return SourceError(
                f"{heard.garbage} bytes came that are not those of a DT-8852",
                where=self._where,
                way_out="Is it the serial port of this meter?",
            )
        return SourceError(
            "the meter sends no level",
            where=self._where,
            way_out="Press SETUP on the meter, so that it sends.",
            status=Status.TIMEOUT,
        )

    def close(self) -> None:
        """Let go of the port; may be called twice."""
        self._port.close()

    def _learn(self, wanted: Mapping[Mode, str]) -> None:
        """Listen until the meter has sent every setting that matters."""
        end = self._clock() + _LEARN_NS
        heard = Heard()
        while not wanted.keys() <= self.state.keys():
            if self._clock() > end:
                raise self.silent(heard)
            heard.add(self.listen())

    def _press(self, mode: Mode) -> None:
        before = self.state[mode]
        self._port.write(_KEYS[mode])
        end = self._clock() + _TOGGLE_NS
        while self.state[mode] == before and self._clock() < end:
            self.listen()


RANGES = ("30-130", "30-80", "50-100", "80-130")

_SILENT_NS = 2 * SECOND
_LIMITS = {"over": Status.OVERRANGE, "under": Status.UNDERRANGE}


class Dt8852(Handheld[Dt8852Link]):
    """One meter as a source of section "noise".

    Args:
        settings: Name and options; the meter is switched to its weighting and range.
        clock: Gives monotonic nanoseconds.
    """

    driver = "dt8852"

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        super().__init__(settings, clock)
        self._wanted = {
            Mode.WEIGHTING: self._weighting,
            Mode.SPEED: "fast",
            Mode.HOLD: "live",
            Mode.RANGE: settings.text("range"),
        }
        self._end = 0

    def open(self) -> Identity:
        """Listen to the meter and switch it as wanted; see `Source.open`."""
        self.close()
        with self._opening(Dt8852Link(self._device, self._where, self._clock)) as link:
            link.set_up(self._wanted)
        self._end = self._clock()
        # It sends neither its name nor its serial number.
        return Identity(
            "CEM",
            "DT-8852",
            "",
            "",
            self._device,
            simulated=is_pseudo_terminal(self._device),
        )

    def read(self) -> Reading:
        """Listen until a second is full; see `Source.read`."""
        link = self._opened()
        start = self._end
        if self._clock() - start > SECOND:
            link.skip()  # what came in a pause is not of this second
            start = self._clock()
        # A setting that changes and changes back within the second counts, too.
        before = list(link.state.items())
        heard = self._listen(link, start)
        self._end = self._clock()
        modes = [*before, *heard.modes]
        self._check_keys(modes)
        status = _status(modes)
        stuck = [self._is_stuck(level) for level in heard.levels]
        if stuck[-1] and status.is_value:
            status = Status.STALE
        values, statuses = one_second(heard.levels, [status] * len(heard.levels))
        return Reading(
            self.channels, start, self._end, values, statuses, heard.raw.hex().encode()
        )

    def _listen(self, link: Dt8852Link, start: int) -> Heard:
        """Listen until a second is full and has a level; raises SourceError."""
        heard = Heard()
        while self._clock() < start + SECOND or not heard.levels:
            if self._clock() > start + _SILENT_NS:
                raise link.silent(heard)
            heard.add(link.listen())
        return heard

    def _check_keys(self, modes: Sequence[tuple[Mode, str]]) -> None:
        """Raise SourceError where a setting is not the wanted one."""
        for mode, value in modes:
            wanted = self._wanted.get(mode, value)
            if value != wanted:
                raise SourceError(
                    f"it was switched from {wanted} to {value} by hand",
                    where=self._where,
                    way_out="Do not touch its keys while a session is recorded.",
                )


def _status(modes: Sequence[tuple[Mode, str]]) -> Status:
    """Judge a second by all that the meter said in it; a limit met once spoils it."""
    for mode, value in modes:
        if mode is Mode.LIMIT and value in _LIMITS:
            return _LIMITS[value]
    is_low = (Mode.BATTERY, "low") in modes
    return Status.WARN if is_low else Status.OK


def _discover(host: Host) -> list[Found]:
    """Offer bridges of Silicon Labs, which the meter is said to have; asks none.

    Vendor and product are those of the CP210x, which many other devices have as well.
    """
    if host.name:
        return []
    return [
        Found(f"{label}: may be a DT-8852", {"device": device})
        for device, vendor, product, label in usb_ports()
        if (vendor, product) == (0x10C4, 0xEA60)
    ]


DRIVER = Driver(
    "noise",
    "dt8852",
    "CEM DT-8852, Trotec SL400, Voltcraft SL-451, ATP SL-8852",
    (
        serial_device("/dev/ttyUSB0"),
        WEIGHTING,
        level_range(RANGES, "Range of levels; 30-130 is its automatic one."),
    ),
    Dt8852,
    _discover,
)
