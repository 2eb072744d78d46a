"""A Windows machine as a [[host]]: a load host, of which only the way is measured."""

from collections.abc import Callable

from instruments.driver import Driver, period
from instruments.errors import BenchError, SourceError
from instruments.host.ssh import ADDRESS, KEY, KNOWN_HOSTS, PORT, USER, target_of
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.settings import Settings
from instruments.timebase import monotonic_ns
from instruments.tools.command_errors import lost_source

_TIMEOUT_S = 10.0


class WindowsSource:
    """Tells that a Windows machine answers, and how soon.

    Args:
        name: Name of the source.
        run: Runs a program there and gives its output; raises BenchError.
        close: Lets go of the connection.
        address: How it is reached.
        period_s: Seconds from one read to the next.
        clock: Gives monotonic nanoseconds.
    """

    section = "host"
    driver = "windows"

    def __init__(
        self,
        name: str,
        run: Callable[[str], str],
        close: Callable[[], None],
        *,
        address: str,
        period_s: float,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.name = name
        self.period_s = period_s
        self._run = run
        self._address = address
        self._close = close
        self._clock = clock
        ns = round(period_s * SECOND)
        self.channels = (Channel(name, "round_trip", "s", period_ns=ns),)

    def open(self) -> Identity:
        """Reach the machine and ask for its version; raises SourceError."""
        try:
            told = " ".join(self._run("ver").split())
        except BenchError as error:
            raise lost_source(self.name, error) from error
        if "Windows" not in told:
            raise SourceError(
                f'it says "{told[:60]}" of itself, and is no Windows',
                where=self.name,
                way_out='Set driver = "ssh" for a Linux machine.',
            )
        return Identity("Microsoft", told[:80], "", "", self._address)

    def read(self) -> Reading:
        """Measure one round trip; raises SourceError."""
        start = self._clock()
        try:
            self._run("ver")
        except BenchError as error:
            raise lost_source(self.name, error) from error
        end = self._clock()
        values = ((end - start) / SECOND,)
        return Reading(self.channels, start, end, values, (Status.OK,))

    def close(self) -> None:
        """Let go of the connection."""
        self._close()


def _build(settings: Settings) -> WindowsSource:
    from instruments.ssh.windows import WindowsHost  # noqa: PLC0415  (as host.ssh)

    target = target_of(settings)
    host = WindowsHost(settings.name, target)
    return WindowsSource(
        settings.name,
        lambda program: host.run([program], _TIMEOUT_S).stdout,
        host.close,
        address=str(target),
        period_s=settings.number("period"),
    )


DRIVER = Driver(
    "host",
    "windows",
    "A Windows load host over its OpenSSH server",
    (ADDRESS, USER, PORT, KEY, KNOWN_HOSTS, period(10.0, 1.0)),
    _build,
)
