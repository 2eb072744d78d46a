"""Readings of a calibrated sound: its options, channels, and what a second is worth."""

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from instruments.errors import BadInput, SourceError
from instruments.reading import SECOND, Channel, Reading, Status
from instruments.settings import Kind, Option, Settings

if TYPE_CHECKING:
    from instruments.noise.levels import LevelMeter, Second

BANDS = "bands"
BAND_QUANTITY = "L_band"
_ALWAYS = ("LAeq", "LAFmax")
# The last one stands for many channels, and is not a quantity itself.
_ALSO = ("LCeq", "LAF", "LAS", BANDS)

OPTIONS = (
    Option(
        "calibration",
        "Level of a sound whose RMS is full scale, as the calibration found it.",
        Kind.NUMBER,
        required=True,
        low=0.0,
        high=200.0,
        unit="dB",
    ),
    Option("calibrated", "Day of the calibration.", example="2026-03-01"),
    Option(
        "floor",
        "Lowest A-weighted level it can measure, by its own noise; less is a gap.",
        Kind.NUMBER,
        low=-20.0,
        high=120.0,
        unit="dB",
    ),
    Option(
        "also",
        "Channels besides LAeq and LAFmax; bands are third octaves.",
        Kind.TEXTS,
        choices=_ALSO,
    ),
)


@dataclass(frozen=True, slots=True)
class SoundOptions:
    """The options of a microphone or a recording.

    Attributes:
        calibration: dB of a sound whose RMS is 1.0 of full scale.
        calibrated: Day of the calibration, None if nobody noted it.
        floor: Lowest A-weighted level in dB, None if not known.
        also: Further channels, of LCeq, LAF, LAS and bands.
    """

    calibration: float
    calibrated: datetime.date | None = None
    floor: float | None = None
    also: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """Say how it is calibrated."""
        day = self.calibrated.isoformat() if self.calibrated else "an unknown day"
        return f"calibration {self.calibration:.2f} dB of {day}"


def sound_options(settings: Settings) -> SoundOptions:
    """Read the options of a bench.

    Raises:
        BadInput: The day of the calibration is not a date.
    """
    day = settings.text("calibrated")
    try:
        calibrated = datetime.date.fromisoformat(day) if day else None
    except ValueError as error:
        raise BadInput(
            f'calibrated is "{day}"',
            where="calibrated",
            way_out='Expected a day such as "2026-03-01".',
        ) from error
    floor = settings.number("floor") if "floor" in settings.values else None
    calibration = settings.number("calibration")
    return SoundOptions(calibration, calibrated, floor, settings.texts("also"))


class SoundSource:
    """What a microphone and a recording share as sources of section "noise".

    Args:
        settings: Name and options.
    """

    section = "noise"
    period_s = 1.0
    _meter: "LevelMeter"

    def __init__(self, settings: Settings) -> None:
        self.name = settings.name
        self._sound = sound_options(settings)
        self._channel = settings.integer("channel")
        self.channels = sound_channels(self.name, (), ())

    def _prepare(self, rate: int, where: str) -> None:
        """Make what measures the levels, and the channels; scipy is loaded only here.

        Args:
            rate: Sampling rate in Hz.
            where: The source, for errors.

        Raises:
            SourceError: The sampling rate is too low or too high.
        """
        from instruments.noise.levels import LevelMeter  # noqa: PLC0415
        from instruments.noise.octaves import bands  # noqa: PLC0415

        also = self._sound.also
        with_bands = BANDS in also
        try:
            self._meter = LevelMeter(
                rate, self._sound.calibration, with_bands=with_bands
            )
        except BadInput as error:
            raise SourceError(error.what, where=where, way_out=error.way_out) from error
        places = [band.location for band in bands(rate)] if with_bands else []
        channels = sound_channels(self.name, also, places)
        if channels != self.channels:
            self.channels = channels


def sound_channels(
    name: str, also: Sequence[str], bands: Sequence[str]
) -> tuple[Channel, ...]:
    """Make the channels of a sound.

    Args:
        name: Name of the source.
        also: Further quantities.
        bands: Locations of bands.
    """
    single = (*_ALWAYS, *(quantity for quantity in _ALSO[:-1] if quantity in also))
    return (
        *(_channel(name, quantity, "") for quantity in single),
        *(_channel(name, BAND_QUANTITY, place) for place in bands),
    )


def sound_reading(
    channels: tuple[Channel, ...], second: "Second", end_ns: int, floor: float | None
) -> Reading:
    """Make a reading of a second of sound; its start and end are those of the sound.

    Args:
        channels: As `sound_channels` makes them.
        second: The levels.
        end_ns: Monotonic time at the end of the sound.
        floor: Lowest A-weighted level in dB, None if not known.
    """
    pairs = []
    for channel in channels:
        level = second.levels[channel.location or channel.quantity]
        # The floor is an A-weighted one: what it would be for a band is not known.
        is_weighted = channel.quantity.startswith("LA")
        status = _status(second, level, floor if is_weighted else None)
        pairs.append((level if status.is_value else math.nan, status))
    flags = [
        name
        for name, is_set in (
            ("clipped", second.is_clipped),
            ("frozen", second.is_frozen),
            ("broken", second.is_broken),
        )
        if is_set
    ]
    shown = [f"{name} {level:.2f}" for name, level in second.levels.items()]
    raw = ", ".join([*shown, f"peak {second.peak:.5f}", *flags])
    return Reading.of(channels, (end_ns - SECOND, end_ns), pairs, raw.encode())


# Lost samples first: whether such a second was clipped or frozen cannot be told.
def _status(second: "Second", level: float, floor: float | None) -> Status:
    if second.is_broken:
        return Status.ERROR
    if second.is_frozen:
        return Status.STALE
    if second.is_clipped:
        return Status.OVERRANGE
    if level == -math.inf or (floor is not None and level < floor):
        return Status.UNDERRANGE
    return Status.OK


def _channel(name: str, quantity: str, location: str) -> Channel:
    # Start and end of a reading are those of the sound, so nothing comes late.
    return Channel(name, quantity, "dB", location, SECOND, 0, SECOND)
