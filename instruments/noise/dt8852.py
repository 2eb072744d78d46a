"""The CEM DT-8852 family of sound level meters on a serial port.

Also sold as Trotec SL400, Voltcraft SL-451 and ATP SL-8852. No meter was at hand: the
protocol is that of public projects, and the tests run against a simulated meter.
"""

from collections.abc import Callable

from instruments.driver import Driver, Found
from instruments.errors import SourceError
from instruments.link.serial_port import is_pseudo_terminal, usb_ports
from instruments.noise.dt8852_link import Dt8852Link
from instruments.noise.dt8852_stream import Heard, Mode
from instruments.noise.handheld import (
    PERIOD_S,
    FrozenWatch,
    level_channels,
    one_second,
)
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.settings import Kind, Option, Settings
from instruments.timebase import monotonic_ns
from instruments.tools.hosts import Host

RANGES = ("30-130", "30-80", "50-100", "80-130")

_SILENT_NS = 2 * SECOND
_LIMITS = {"over": Status.OVERRANGE, "under": Status.UNDERRANGE}


class Dt8852:
    """One meter as a source of section "noise".

    Args:
        name: Name of the source.
        device: Serial port.
        weighting: "A" or "C"; the meter is switched to it.
        level_range: One of `RANGES`; the meter is switched to it.
        clock: Gives monotonic nanoseconds.
    """

    section = "noise"
    driver = "dt8852"
    period_s = PERIOD_S

    def __init__(
        self,
        name: str,
        device: str,
        *,
        weighting: str = "A",
        level_range: str = "30-130",
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.name = name
        self._device = device
        self._where = f"{name} ({device})"
        self._wanted = {
            Mode.WEIGHTING: weighting,
            Mode.SPEED: "fast",
            Mode.HOLD: "live",
            Mode.RANGE: level_range,
        }
        self._clock = clock
        self._link: Dt8852Link | None = None
        self._frozen = FrozenWatch()
        self._end = 0
        self._channels = level_channels(name, weighting)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the two channels."""
        return self._channels

    def open(self) -> Identity:
        """Listen to the meter and switch it as wanted; see `Source.open`."""
        self.close()
        self._link = Dt8852Link(self._device, self._where, self._clock)
        try:
            self._link.set_up(self._wanted)
        except BaseException:
            self.close()
            raise
        self._frozen = FrozenWatch()
        self._end = self._clock()
        # It tells neither its name nor its number.
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
        link = self._link
        if link is None:
            raise SourceError("the source is not open", where=self._where)
        start = self._end
        if self._clock() - start > SECOND:
            link.skip()  # what came in a pause is not of this second
            start = self._clock()
        before = dict(link.state)
        heard = Heard()
        while self._clock() < start + SECOND or not heard.levels:
            if self._clock() > start + _SILENT_NS:
                raise link.silent(heard)
            heard.add(link.listen())
        self._end = self._clock()
        modes = [*before.items(), *heard.modes]
        for mode, wanted in self._wanted.items():
            told = next((v for m, v in modes if m is mode and v != wanted), None)
            if told is not None:
                raise SourceError(
                    f"it was switched to {told} by hand, away from {wanted}",
                    where=self._where,
                    way_out="Leave its keys alone while a session is recorded.",
                )
        status = _status(modes)
        looks = [self._frozen.is_frozen(level, self._end) for level in heard.levels]
        if looks[-1] and status.is_value:
            status = Status.STALE
        values, statuses = one_second(heard.levels, [status] * len(heard.levels))
        return Reading(
            self._channels, start, self._end, values, statuses, heard.raw.hex().encode()
        )

    def close(self) -> None:
        """Let go of the port; may be called twice."""
        link, self._link = self._link, None
        if link is not None:
            link.close()


def _status(modes: list[tuple[Mode, str]]) -> Status:
    """Judge a second by all that was told in it; a limit met once spoils it."""
    for mode, told in modes:
        if mode is Mode.LIMIT and told in _LIMITS:
            return _LIMITS[told]
    is_low = (Mode.BATTERY, "low") in modes
    return Status.WARN if is_low else Status.OK


def _build(settings: Settings) -> Dt8852:
    return Dt8852(
        settings.name,
        settings.text("device"),
        weighting=settings.text("weighting"),
        level_range=settings.text("range"),
    )


def _discover(host: Host) -> list[Found]:
    """Offer bridges of Silicon Labs, which the meter is said to have; not asked."""
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
        Option(
            "device", "Serial port of the meter.", required=True, example="/dev/ttyUSB0"
        ),
        Option(
            "weighting", "Frequency weighting.", Kind.CHOICE, "A", choices=("A", "C")
        ),
        Option(
            "range",
            "Range of levels; 30-130 is its automatic one.",
            Kind.CHOICE,
            "30-130",
            choices=RANGES,
            unit="dB",
        ),
    ),
    _build,
    _discover,
)
