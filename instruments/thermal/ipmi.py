"""A server's management controller by IPMI over LAN: temperatures, fans, supplies.

No BMC of hardware was at hand; both ways were tried against OpenIPMI's simulator. It
says "0, ok" of a sensor that nobody ever set, and a BMC might: a zero is taken for a
value, because a fan that stands still is one.
"""

from collections.abc import Callable
from typing import Protocol

from instruments.driver import HOST, Driver, period
from instruments.errors import BadInput, SourceError
from instruments.hosts import Host
from instruments.reading import Channel, Identity, Reading
from instruments.secrets import source_password
from instruments.settings import Kind, Option, Settings
from instruments.thermal.ipmi_tool import ToolBmc
from instruments.thermal.sensor_values import SensorValue, make_channels, make_reading
from instruments.timebase import monotonic_ns

PYGHMI = "pyghmi"
IPMITOOL = "ipmitool"
HOLD_S = 20.0
"""A session idle for longer than this is closed: BMCs drop it, and have few."""


class Bmc(Protocol):
    """An open BMC, whichever way it is asked."""

    def identify(self, address: str) -> Identity:
        """Ask who it is; raises SourceError."""
        ...

    def read(self) -> tuple[list[SensorValue], bytes]:
        """Read every sensor, and give the answers as they came; raises SourceError."""
        ...

    def close(self) -> None:
        """Let go of it; may be called twice."""
        ...


class Ipmi:
    """One BMC as a source of section "thermal".

    Args:
        name: Name of the source; its password lies under this name.
        address: Where the BMC is, for errors and the identity.
        connect: Connects; raises SourceError.
        period_s: Seconds from one read to the next.
        clock: Gives monotonic nanoseconds.
    """

    section = "thermal"
    driver = "ipmi"

    def __init__(
        self,
        name: str,
        address: str,
        connect: Callable[[], Bmc],
        period_s: float,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.name = name
        self.period_s = period_s
        self._address = address
        self._connect = connect
        self._clock = clock
        self._bmc: Bmc | None = None
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
        self._bmc = self._connect()
        try:
            identity = self._bmc.identify(self._address)
            values, _ = self._bmc.read()
            if not values:
                raise SourceError(
                    "the BMC lists no sensor that has a number",
                    where=f"{self.name} ({self._address})",
                    way_out='Try the other way ("pyghmi" or "ipmitool").',
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
        start = self._clock()
        if self._bmc is None:
            self._bmc = self._connect()
        values, raw = self._bmc.read()
        end = self._clock()
        if self.period_s > HOLD_S:
            self.close()
        by_key = {value.key: value for value in values}
        return make_reading(self._channels, self._keys, by_key, (start, end), raw)

    def close(self) -> None:
        """Log out; may be called twice."""
        bmc, self._bmc = self._bmc, None
        if bmc is not None:
            bmc.close()


def _build(settings: Settings) -> Ipmi:
    address, port = settings.text("address"), settings.integer("port")
    user, way = settings.text("user"), settings.text("way")
    if way == PYGHMI and settings.host.name:
        raise BadInput(
            f'host is "{settings.host.name}", and pyghmi runs here only',
            where="host",
            way_out='Add way = "ipmitool", or leave host out.',
        )
    shown = f"{address}:{port}"
    where = f"{settings.name} ({shown})"
    cipher = settings.integer("cipher")

    def connect() -> Bmc:
        key = source_password(settings.name, where)
        if way == PYGHMI:
            return _connect_lan(address, port, user, key, where)
        host: Host = settings.host
        return ToolBmc(host, (address, port, user), cipher, key, where)

    return Ipmi(settings.name, shown, connect, settings.number("period"))


def _connect_lan(address: str, port: int, user: str, key: str, where: str) -> Bmc:
    from instruments.thermal.ipmi_lan import LanBmc  # noqa: PLC0415  (slow to import)
    from instruments.thermal.ipmi_session import BmcSession  # noqa: PLC0415

    session = BmcSession(address, port, user, key, where)
    try:
        return LanBmc(session, where)
    except BaseException:
        session.close()
        raise


ADDRESS = Option(
    "address", "Name or IP address of the BMC.", required=True, example="192.0.2.20"
)
PORT = Option("port", "UDP port of the BMC.", Kind.INTEGER, 623, low=1, high=65535)
USER = Option(
    "user", "Account on the BMC; USER rights are enough to read.", required=True
)

DRIVER = Driver(
    "thermal",
    "ipmi",
    "BMC by IPMI over LAN (iDRAC, iLO, XCC, Supermicro, OpenBMC)",
    (
        ADDRESS,
        PORT,
        USER,
        Option(
            "way",
            "Asked in process (pyghmi), or by ipmitool, which a host can run, too.",
            Kind.CHOICE,
            PYGHMI,
            choices=(PYGHMI, IPMITOOL),
        ),
        Option(
            "cipher",
            "Cipher suite for ipmitool; pyghmi finds the best one by itself.",
            Kind.INTEGER,
            17,
            choices=(3, 17),
        ),
        HOST,
        period(10.0, 1.0),
    ),
    _build,
    secret="password of the BMC's user",
)
