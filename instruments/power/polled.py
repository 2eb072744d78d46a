"""A power meter that is asked for its values, whatever language it speaks."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from instruments.bounds import within_bounds
from instruments.errors import SourceError
from instruments.link.scpi import Scpi
from instruments.link.transport import TransportFactory, VisaTransport
from instruments.power.connect import ScpiMeter, in_use
from instruments.power.points import ENERGY, Point, Sample, Timing, channels
from instruments.power.unchanged import REPEAT_SHARE, Unchanged
from instruments.reading import SECOND, Identity, Judged, Reading, Status
from instruments.settings import Settings
from instruments.timebase import monotonic_ns

_SETTLE_S = 3.0
_SETTLE_TRIES = 30  # at most, of a meter whose window is shorter than 100 ms
_STUCK = (
    "it shows the same to the last digit. Is it on hold? Where it really does not "
    "change, see stale_after."
)


class Dialect(Protocol):
    """The language of one family of meters.

    Attributes:
        points: What `sample` gives, in this order.
    """

    points: Sequence[Point]

    def identify(self, scpi: Scpi, address: str) -> Identity:
        """Ask *IDN?, and nothing else; raises SourceError for another instrument."""
        ...

    def integrates(self, scpi: Scpi) -> bool:
        """Tell whether energy is being integrated; raises SourceError."""
        ...

    def set_up(self, scpi: Scpi) -> None:
        """Fix ranges, choose values, start the integrator; raises SourceError."""
        ...

    def begin_step(self, scpi: Scpi, label: str) -> None:
        """Take a step's ranges, integrate energy from zero; raises SourceError."""
        ...

    def sample(self, scpi: Scpi) -> Sample:
        """Ask for the values; raises SourceError."""
        ...

    def release(self, scpi: Scpi) -> None:
        """Stop the integrator and give the front panel back; raises SourceError."""
        ...


class PolledMeter(ScpiMeter[Scpi]):
    """One meter as a source of section "power"; `Stepped`, `Shared`.

    Args:
        settings: Name, resource (VISA), and after how many seconds values that stay
            the same are taken for stuck.
        driver: Name of the driver.
        dialect: The meter's language.
        timing: Its beat.
        line_end: What a line needs before its line feed.
        transport: Opens the resource.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.
    """

    def __init__(
        self,
        settings: Settings,
        driver: str,
        dialect: Dialect,
        timing: Timing,
        *,
        line_end: str = "",
        transport: TransportFactory = VisaTransport,
        clock: Callable[[], int] = monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(
            settings.name,
            settings.text("resource"),
            line_end=line_end,
            transport=transport,
            clock=clock,
            sleep=sleep,
        )
        self.driver = driver
        self.period_s = timing.period_s
        self._dialect = dialect
        self._timing = timing
        self._stale_after_s = settings.number("stale_after")
        self._unchanged = self._fresh()
        self._integrated = (math.nan, 0)
        self._begun_ns = 0
        self.channels = channels(self.name, dialect.points, timing)

    def open(self) -> Identity:
        """Connect, identify, set up, and see one full set of values.

        Raises:
            SourceError: Not reached, another instrument, or a setting not taken.
        """
        self.close()
        scpi, identity = self._connect()
        if self.yields and self._dialect.integrates(scpi):
            scpi.close()
            raise in_use(scpi.where)
        with self._opening(scpi):
            self._begun_ns = self._clock()
            self._dialect.set_up(scpi)
            self._settle(scpi)
        return identity

    def free(self) -> Identity:
        """End what runs on it and give its front panel back; see `Shared`."""
        self.close()
        self._link, identity = self._connect()
        self.close()
        return identity

    def read(self) -> Reading:
        """Take one set of values; see `Source.read`."""
        scpi = self._opened()
        start = self._clock()
        sample = self._dialect.sample(scpi)
        end = self._clock()
        counted_s = self._counted_s(sample, end)
        if counted_s < self._integrated[0]:  # false where either is NaN
            raise scpi.refuse("it was reset, and its settings are lost")
        values = self._judged(sample.values, end)
        if self._stands_still(counted_s, end):
            for index, point in enumerate(self._dialect.points):
                if point.quantity == ENERGY:
                    values[index] = (math.nan, Status.STALE)
        trouble = f"{scpi.where}: {_STUCK}" if self._unchanged.is_stuck else ""
        raw = sample.raw.encode()
        return within_bounds(
            Reading.of(self.channels, (start, end), values, raw, trouble=trouble)
        )

    def begin_step(self, label: str, *, under_load: bool) -> None:  # noqa: ARG002
        """Take the step's ranges and integrate from zero; see `Stepped`.

        From zero, because a meter's few digits do not last for a long campaign.
        """
        scpi = self._opened()
        self._begun_ns = self._clock()
        self._dialect.begin_step(scpi, label)
        self._settle(scpi)
        # Its time may still be that of the step before, and go back to zero yet.
        self._integrated = (math.nan, self._clock())

    def end_step(self) -> Sequence[Reading]:
        """Read nothing more; see `Stepped`."""
        return ()

    def close(self) -> None:
        """Stop the integrator, give the front panel back, let go; may be repeated."""
        # Where the link is what failed, there is nothing left to be made safe.
        with suppress(SourceError):
            if self._link is not None:
                self._dialect.release(self._link)
        super().close()

    def identify(self, scpi: Scpi) -> Identity:
        """Identify the meter; see `ScpiMeter`."""
        return self._dialect.identify(scpi, self._resource)

    def _settle(self, scpi: Scpi) -> None:
        """Wait for the first set of values, which new ranges keep away for a while.

        A value that stays away, such as one over range, does not keep it waiting.
        """
        left = _SETTLE_S
        # Until the next refresh, values are those from before the settings.
        wait = 2.0 * self._timing.window_s
        while True:
            self._sleep(wait)
            left -= max(wait, _SETTLE_S / _SETTLE_TRIES)
            wait = self._timing.window_s
            sample = self._dialect.sample(scpi)
            if sample.values[0][1] is not Status.NAN or left <= 0.0:
                break
        now, self._integrated = self._clock(), (math.nan, 0)
        self._integrated = (self._counted_s(sample, now), now)
        self._unchanged = self._fresh()

    def _counted_s(self, sample: Sample, now: int) -> float:
        """Get the integrator's time, NaN until it is that since its start.

        A late refresh still shows the time from before it was set to zero.
        """
        # A second more, since the time is in whole ones.
        longest_s = (now - self._begun_ns) / SECOND + 1.0
        has_begun = not math.isnan(self._integrated[0])
        is_since = has_begun or sample.integrated_s <= longest_s
        return sample.integrated_s if is_since else math.nan

    def _fresh(self) -> Unchanged:
        timing = self._timing
        is_oversampled = timing.period_s < timing.window_s
        repeat_s = REPEAT_SHARE * timing.window_s if is_oversampled else 0.0
        return Unchanged(repeat_s, self._stale_after_s)

    def _judged(self, values: Sequence[Judged], now: int) -> list[Judged]:
        """Mark what is not a new value."""
        pairs = zip(self._dialect.points, values, strict=True)
        varying = (value for point, value in pairs if point.quantity != ENERGY)
        shown = tuple(value for value, status in varying if status.is_value)
        if not self._unchanged.is_stale(shown, shown, now):
            return list(values)
        stale = math.nan, Status.STALE
        return [stale if each[1].is_value else each for each in values]

    def _stands_still(self, seconds: float, now: int) -> bool:
        """Whether the integrator's time has stood still, so that Wh is not measured."""
        before, since = self._integrated
        if math.isnan(seconds) and math.isnan(before):
            return False  # the meter does not show its time, or has only begun
        if not math.isnan(seconds) and seconds != before:
            self._integrated = (seconds, now)
            return False
        # The time is in whole seconds, and shown after a refresh.
        return now - since > round((2.0 + 2.0 * self._timing.window_s) * SECOND)
