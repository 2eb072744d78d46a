"""What the target can do at most, so that rates become fractions of it."""

import math
from dataclasses import astuple, dataclass, fields
from enum import StrEnum

from instruments.simulated.load import Rates
from instruments.simulated.physics import Load

SMALL = 16 * 1024
"""Transfers of this mean size in bytes, and smaller ones, count as random."""

LARGE = 128 * 1024
"""From this mean size on they count as sequential; between the two, as a mixture."""

# Time constants: of the load that the drives feel, and of the highest rates seen.
_FAST_S = 0.3
_SLOW_S = 1.0


@dataclass(frozen=True, slots=True)
class FullScale:
    """The most that the target does: bandwidths in B/s, random operations in 1/s."""

    read_bps: float = 50e6
    write_bps: float = 50e6
    read_iops: float = 1000.0
    write_iops: float = 1000.0

    def raised(self, other: "FullScale") -> "FullScale":
        """Get the greater of the two, kind by kind."""
        return FullScale(
            *(max(a, b) for a, b in zip(astuple(self), astuple(other), strict=True))
        )


FLOOR = FullScale()
"""Less than this is not taken for the most of any target."""


class Origin(StrEnum):
    """Where the full scale comes from."""

    RUNNING = "not calibrated"
    RECORDING = "calibrating"
    CALIBRATED = "calibrated"
    SET = "set"


class Calibration:
    """Turns rates into the load of the drives.

    Until it is calibrated, the highest rates seen so far are the full scale.
    """

    def __init__(self) -> None:
        self.full = FLOOR
        self.origin = Origin.RUNNING
        self.rates = Rates()
        self._slow = Rates()

    def set(self, full: FullScale) -> None:
        """Fix the full scale.

        Raises:
            ValueError: A maximum is not greater than zero.
        """
        for field in fields(full):
            if not 0.0 < getattr(full, field.name) < math.inf:
                raise ValueError(f"{field.name} must be greater than zero")
        self.full = full
        self.origin = Origin.SET

    def start(self) -> None:
        """Forget the maxima and record those to come."""
        self.full = FLOOR
        self._slow = Rates()
        self.origin = Origin.RECORDING

    def stop(self) -> None:
        """Keep the maxima seen since `start`.

        Raises:
            ValueError: Nothing was started.
        """
        if self.origin is not Origin.RECORDING:
            raise ValueError("no calibration was started")
        self.origin = Origin.CALIBRATED

    def load(self, rates: Rates, seconds: float) -> Load:
        """Take the rates of the last moment; give the load as fractions, 0 to 1.

        Args:
            rates: The rates over the last moment.
            seconds: How long that was.
        """
        self.rates = self.rates.towards(rates, 1.0 - math.exp(-seconds / _FAST_S))
        self._slow = self._slow.towards(rates, 1.0 - math.exp(-seconds / _SLOW_S))
        if self.origin in (Origin.RUNNING, Origin.RECORDING):
            # Steadier rates, lest one burst be taken for what the target can do.
            self.full = self.full.raised(_by_kind(self._slow))
        now = _by_kind(self.rates)
        return Load(
            sequential_read=min(1.0, now.read_bps / self.full.read_bps),
            sequential_write=min(1.0, now.write_bps / self.full.write_bps),
            random_read=min(1.0, now.read_iops / self.full.read_iops),
            random_write=min(1.0, now.write_iops / self.full.write_iops),
        )


def _by_kind(rates: Rates) -> FullScale:
    """Split rates into bandwidth of large transfers and operations of small ones."""
    reading = _sequential_share(rates.read_bps, rates.read_iops)
    writing = _sequential_share(rates.write_bps, rates.write_iops)
    return FullScale(
        read_bps=rates.read_bps * reading,
        write_bps=rates.write_bps * writing,
        read_iops=rates.read_iops * (1.0 - reading),
        write_iops=rates.write_iops * (1.0 - writing),
    )


def _sequential_share(bps: float, iops: float) -> float:
    if iops <= 0.0 or bps <= 0.0:
        return 0.0
    # On a logarithmic scale, on which people choose block sizes.
    share = math.log(bps / iops / SMALL) / math.log(LARGE / SMALL)
    return min(1.0, max(0.0, share))
