"""Drives behind a RAID controller by one call of the controller's own tool."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from instruments.bounds import within_bounds
from instruments.errors import BenchError, SourceError
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.thermal.drives.arcconf import read_arcconf
from instruments.thermal.drives.drive_list import counted
from instruments.thermal.drives.drive_poll import LEFT_ALONE
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.drives.raid_drive import QUANTITIES, RaidDrive, name_places
from instruments.thermal.drives.storcli import (
    COMMANDS,
    PROGRAMS,
    complaint,
    read_storcli,
)
from instruments.timebase import monotonic_ns
from instruments.tools.command_errors import Missing, lost, lost_source, missing
from instruments.tools.hosts import Host

_TIMEOUT_S = 30.0
"""Seconds for a tool that asks all drives of a controller."""


class RaidTool(ABC):
    """All drives of a controller by one call of its tool.

    Args:
        name: Name of the source.
        host: Where the tool runs.
        period_s: Seconds from one read to the next.
        under_load: Whether it is asked while a load runs.
        clock: Gives monotonic nanoseconds.
    """

    section = "thermal"
    driver = "raid"

    def __init__(
        self,
        name: str,
        host: Host,
        *,
        period_s: float = 60.0,
        under_load: bool = False,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.name = name
        self.host = host
        self.period_s = period_s
        self._timeout_s = min(period_s, _TIMEOUT_S)
        self._under_load = under_load
        self._is_loaded = False
        self._clock = clock
        self._keys: list[tuple[str, str]] = []
        self._channels: tuple[Channel, ...] = ()

    @abstractmethod
    def ask(self) -> tuple[list[RaidDrive], str]:
        """Get the drives and the text they were read from; raises SourceError."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels; known once it was opened."""
        return self._channels

    def open(self) -> Identity:
        """Find the drives; raises SourceError."""
        try:
            drives, _ = self.ask()
        except SourceError as error:
            raise lost_source(self.name, error) from error
        if not drives:
            raise SourceError("the controller has no drive", where=self.name)
        places = name_places(drives)
        if not self._channels:
            period_ns = int(self.period_s * SECOND)
            self._keys = [(d.place, name) for d in drives for name, _ in QUANTITIES]
            self._channels = tuple(
                Channel(self.name, name, unit, places[drive.place], period_ns)
                for drive in drives
                for name, unit in QUANTITIES
            )
        return Identity(
            maker="RAID controller",
            model=counted(len(drives)),
            serial="",
            firmware="",
            address=" ".join(drive.place for drive in drives),
        )

    def read(self) -> Reading:
        """Get all drives; one that is gone is absent; raises SourceError."""
        if not self._keys:
            raise SourceError("the source is not open", where=self.name)
        start = self._clock()
        if self._is_loaded and not self._under_load:
            gap = (math.nan, Status.ABSENT)
            return self._reading(start, start, [gap] * len(self._keys), LEFT_ALONE)
        try:
            drives, text = self.ask()
        except SourceError as error:
            raise lost_source(self.name, error) from error
        end = self._clock()
        by_place = {drive.place: drive.values for drive in drives}
        absent, unsupported = Status.ABSENT, Status.UNSUPPORTED
        pairs = [
            by_place[place].get(name, (math.nan, unsupported))
            if place in by_place
            else (math.nan, absent)
            for place, name in self._keys
        ]
        return self._reading(start, end, pairs, text.encode())

    def begin_step(self, label: str, *, under_load: bool) -> None:  # noqa: ARG002
        """Leave the controller alone from now on if a load runs; see `Stepped`."""
        self._is_loaded = under_load

    def end_step(self) -> Sequence[Reading]:
        """Ask the controller again from now on; see `Stepped`."""
        self._is_loaded = False
        return ()

    def close(self) -> None:
        """Nothing is held open between reads."""
        self.host.close()

    def _reading(
        self, start: int, end: int, pairs: Sequence[tuple[float, Status]], raw: bytes
    ) -> Reading:
        values = tuple(value for value, _ in pairs)
        statuses = tuple(status for _, status in pairs)
        return within_bounds(Reading(self._channels, start, end, values, statuses, raw))


class Storcli(RaidTool):
    """Drives behind Broadcom and Dell controllers."""

    _program = ""

    def ask(self) -> tuple[list[RaidDrive], str]:
        """Ask storcli, by whichever of its names it is there; see `RaidTool`."""
        text = ""
        for words in COMMANDS:
            text = self._run(words)
            try:
                drives = read_storcli(text)
            except ValueError:
                drives = []
            if drives:
                return drives, text
        raise SourceError(
            complaint(text) or "it lists no drive",
            where=self._program,
            way_out=f"Try '{self._program} {' '.join(COMMANDS[0])}' as root.",
        )

    def _run(self, words: Sequence[str]) -> str:
        absent: Missing | None = None
        for program in (self._program,) if self._program else PROGRAMS:
            try:
                done = self.host.run([program, *words], self._timeout_s)
            except Missing as error:
                absent = absent or error
                continue
            except BenchError as error:
                raise lost(error) from error
            self._program = program
            return done.stdout or done.stderr
        self._program = ""
        raise lost(absent or missing(PROGRAMS[0]))


class Arcconf(RaidTool):
    """Drives behind Microchip and Adaptec controllers.

    Args:
        name: Name of the source.
        host: Where arcconf runs.
        number: The controller's number.
        period_s: Seconds from one read to the next.
        under_load: Whether it is asked while a load runs.
    """

    def __init__(
        self,
        name: str,
        host: Host,
        number: int = 1,
        *,
        period_s: float = 60.0,
        under_load: bool = False,
    ) -> None:
        super().__init__(name, host, period_s=period_s, under_load=under_load)
        self._number = number

    def ask(self) -> tuple[list[RaidDrive], str]:
        """Ask arcconf of one controller; see `RaidTool`."""
        words = ["arcconf", "GETCONFIG", str(self._number), "PD"]
        done = run_tool(self.host, words, self._timeout_s)
        try:
            return read_arcconf(done.stdout, self._number), done.stdout
        except ValueError:
            said = (done.stdout or done.stderr).strip().partition("\n")[0][:100]
            raise SourceError(
                said or f"arcconf ended with code {done.code}",
                where=" ".join(words),
                way_out="Run it as root, and give the controller's number.",
            ) from None
