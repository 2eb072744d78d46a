"""A server's management controller by IPMI over LAN: temperatures, fans, supplies.

No BMC of hardware was at hand; this was tried against OpenIPMI's simulator. It
says "0, ok" of a sensor that nobody ever set, and a BMC might: a zero is taken for a
value, because a fan that stands still is one.
"""

from collections.abc import Callable

from instruments.driver import HOST, Driver, period
from instruments.errors import SourceError
from instruments.reading import Channel, Identity, Reading
from instruments.settings import Option, Settings
from instruments.thermal.ipmi.tool import ADDRESS, CIPHER, PORT, IpmiTool, login
from instruments.thermal.ipmi.values import list_entities, list_units, read_values
from instruments.thermal.sensor_values import make_channels, make_reading
from instruments.timebase import monotonic_ns
from instruments.tools.secrets import source_password


class Ipmi:
    """One BMC as a source of section "thermal".

    Args:
        settings: Name and options; the password lies under the name.
        clock: Gives monotonic nanoseconds.
    """

    section = "thermal"
    driver = "ipmi"

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self.name = settings.name
        self.period_s = settings.number("period")
        self._settings = settings
        self._address = f"{settings.text('address')}:{settings.integer('port')}"
        self._where = f"{self.name} ({self._address})"
        self._clock = clock
        self._tool: IpmiTool | None = None
        self._units: dict[str, str] = {}
        self._entities: dict[str, int] = {}
        self._keys: tuple[str, ...] = ()
        self._channels: tuple[Channel, ...] = ()

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get one channel for each sensor with a unit; empty before `open`."""
        return self._channels

    def open(self) -> Identity:
        """Log in and list the sensors.

        Raises:
            SourceError: Not reached, not let in, or there is no sensor.
        """
        self.close()
        password = source_password(self.name, login(self._settings), self._where)
        self._tool = tool = IpmiTool(self._settings, password, self._where)
        try:
            identity = tool.identify(self._address)
            records = tool.list_sensors()
            self._units, self._entities = list_units(records), list_entities(records)
            values = read_values(tool.read_sensors(), self._units, self._entities)
            if not values:
                raise SourceError(
                    "the BMC lists no sensor that has a number", where=self._where
                )
        except BaseException:
            self.close()
            raise
        channels = make_channels(self.name, values, self.period_s)
        if tuple(channels) != self._keys:
            self._keys, self._channels = tuple(channels), tuple(channels.values())
        return identity

    def read(self) -> Reading:
        """Read every sensor once.

        Raises:
            SourceError: The BMC answers no more.
        """
        if self._tool is None:
            raise SourceError("the source is not open", where=self._where)
        start = self._clock()
        text = self._tool.read_sensors()
        end = self._clock()
        found = read_values(text, self._units, self._entities)
        values = {value.key: value for value in found}
        span = (start, end)
        return make_reading(self._channels, self._keys, values, span, text.encode())

    def close(self) -> None:
        """Let go of it; may be called twice."""
        tool, self._tool = self._tool, None
        if tool is not None:
            tool.close()


DRIVER = Driver(
    "thermal",
    "ipmi",
    "BMC by IPMI over LAN (iDRAC, iLO, XCC, Supermicro, OpenBMC)",
    (
        ADDRESS,
        PORT,
        Option(
            "user",
            "Account on the BMC; USER rights are enough.",
            required=True,
        ),
        CIPHER,
        HOST,
        period(10.0, 1.0),
    ),
    Ipmi,
    secret="password of the BMC's user",
    retired=("way",),
    login=login,
)
