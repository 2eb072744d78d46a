"""What the sources share that read sensors of one machine, found when they open."""

from collections.abc import Callable, Iterable, Mapping

from instruments.errors import SourceError
from instruments.reading import Channel, Reading
from instruments.settings import Settings
from instruments.thermal.sensor_values import SensorValue, make_channels, make_reading
from instruments.timebase import monotonic_ns


class HostSensors:
    """Sensors of a machine as a source of section "thermal".

    Args:
        settings: Name, the machine and options.
        clock: Gives monotonic nanoseconds.
    """

    section = "thermal"

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self.name = settings.name
        self.period_s = settings.number("period")
        self._host = settings.host
        self._names = settings.texts("chips")
        self._clock = clock
        self._keys: tuple[str, ...] = ()
        self.channels: tuple[Channel, ...] = ()

    def close(self) -> None:
        """Let go of the machine."""
        self._host.close()

    def _declare(self, values: Iterable[SensorValue]) -> None:
        channels = make_channels(self.name, values, self.period_s)
        self._keys, self.channels = tuple(channels), tuple(channels.values())

    def _not_open(self) -> SourceError:
        return SourceError("the source is not open", where=self.name)

    def _reading(
        self,
        values: Mapping[str, SensorValue],
        span: tuple[int, int],
        raw: str,
        trouble: str = "",
    ) -> Reading:
        return make_reading(
            self.channels, self._keys, values, span, raw.encode(), trouble=trouble
        )
