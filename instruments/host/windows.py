"""A Windows machine as a [[host]]: a load host, of which only the way is measured."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from instruments.driver import Driver, period
from instruments.errors import SourceError
from instruments.host.ssh import ADDRESS, KEY, KNOWN_HOSTS, PORT, USER, target_of
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.settings import Settings
from instruments.timebase import monotonic_ns
from instruments.tools.command_errors import errors_of

if TYPE_CHECKING:
    from instruments.ssh.windows import WindowsHost

_TIMEOUT_S = 10.0


class WindowsSource:
    """Measures whether a Windows machine answers, and how soon.

    Args:
        settings: Name and options.
        host: The machine; None for the one that the settings name.
        clock: Gives monotonic nanoseconds.
    """

    section = "host"
    driver = "windows"

    def __init__(
        self,
        settings: Settings,
        host: "WindowsHost | None" = None,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        from instruments.ssh.windows import WindowsHost  # noqa: PLC0415  (as host.ssh)

        self.name = settings.name
        self.period_s = settings.number("period")
        self._host = host or WindowsHost(settings.name, target_of(settings))
        self._clock = clock
        ns = round(self.period_s * SECOND)
        self.channels = (Channel(self.name, "round_trip", "s", period_ns=ns),)

    def open(self) -> Identity:
        """Reach the machine and ask for its version; raises SourceError."""
        # "ver" is cmd.exe's own, and a POSIX shell has no such command.
        with errors_of(self.name):
            version = " ".join(self._version().split())
        if "Windows" not in version:
            raise SourceError(
                f'it says "{version[:60]}" of itself, and is not Windows',
                where=self.name,
                way_out='Set driver = "ssh" for a Linux machine.',
            )
        return Identity("Microsoft", version[:80], "", "", str(self._host))

    def read(self) -> Reading:
        """Measure one round trip; raises SourceError."""
        start = self._clock()
        with errors_of(self.name):
            self._version()
        end = self._clock()
        values = ((end - start) / SECOND,)
        return Reading(self.channels, start, end, values, (Status.OK,))

    def close(self) -> None:
        """Let go of the connection."""
        self._host.close()

    def _version(self) -> str:
        return self._host.run(["ver"], _TIMEOUT_S).stdout


DRIVER = Driver(
    "host",
    "windows",
    "A Windows load host over its OpenSSH server",
    (ADDRESS, USER, PORT, KEY, KNOWN_HOSTS, period(10.0, 1.0)),
    WindowsSource,
)
