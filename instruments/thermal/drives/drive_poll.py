"""Asks many drives in turns: a few at once, and none for long.

While a load runs, drives are left alone unless the bench wants it otherwise: a
command of SMART makes a SATA drive finish its queue first.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from instruments.bounds import within_bounds
from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Identity, Judged, Reading, Status
from instruments.settings import Settings
from instruments.thermal.drives.drive_list import Drive, drive_place
from instruments.thermal.drives.drive_pool import DrivePool
from instruments.thermal.ses.slots import find_slots, locations
from instruments.timebase import monotonic_ns
from instruments.tools.command_errors import errors_of


@dataclass(frozen=True, slots=True)
class Target:
    """A drive that is asked, and the channels of what it says."""

    drive: Drive
    channels: tuple[Channel, ...]


def declare(
    drives: Sequence[Drive],
    places: Mapping[str, str],
    quantities: Callable[[Drive], Sequence[tuple[str, str]]],
    *,
    before: Sequence[Channel],
    source: str,
    period_ns: int,
) -> list[Target]:
    """Declare the channels of drives.

    Args:
        drives: The drives; a second path to one of them is excluded.
        places: Location by node, where it is known; others go by serial number.
        quantities: Gets quantity and unit of what is read of a drive.
        before: Channels that were declared before; they stay the same objects.
        source: Name of the source.
        period_ns: Time until a drive is asked again.
    """
    by_name = {channel.name: channel for channel in before}
    used: set[str] = set()
    targets = []
    for drive in drives:
        location = places.get(drive.node) or drive_place(drive.serial or drive.name)
        if location in used:
            continue
        used.add(location)
        channels = (
            Channel(source, quantity, unit, location, period_ns)
            for quantity, unit in quantities(drive)
        )
        targets.append(Target(drive, tuple(by_name.get(c.name, c) for c in channels)))
    return targets


# Sixty drives of scsi_debug on two processors took 12.1 s one by one, 4.7 s by four and
# 4.5 s by eight.
AT_ONCE = 4
TIMEOUT_S = 5.0
_GRACE_S = 1.0  # for the tool's own deadline to end it first

_LATE = "it did not answer in time"
_GONE = "it is not there"
LEFT_ALONE = b"not asked while a load runs"  # in the raw stream, for a person


@dataclass(frozen=True, slots=True)
class Answer:
    """What one drive said.

    Attributes:
        values: Value and status by quantity; what is missing is unsupported.
        raw: The reply as it came.
        trouble: Why it said nothing at all; "" where it did.
    """

    values: Mapping[str, Judged]
    raw: str = ""
    trouble: str = ""


class DriveSource:
    """Drives as a source of section "thermal" that rest while a load runs.

    Args:
        settings: Name, host of the tool and options.
        clock: Gives monotonic nanoseconds.
    """

    section = "thermal"
    driver = ""
    asks_under_load = False

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self.name = settings.name
        self.host = settings.host
        self.period_s = settings.number("period")
        self.asks_under_load |= settings.flag("under_load")
        self._clock = clock
        self._is_loaded = False
        self.channels: tuple[Channel, ...] = ()

    def begin_step(self, label: str, *, under_load: bool) -> None:  # noqa: ARG002
        """Leave the drives alone from now on if a load runs; see `Stepped`."""
        self._is_loaded = under_load

    def end_step(self) -> Sequence[Reading]:
        """Ask the drives again from now on; see `Stepped`."""
        self._is_loaded = False
        return ()

    def close(self) -> None:
        """Let go of the host; nothing else is held between reads."""
        self.host.close()

    def _resting(self, channels: tuple[Channel, ...]) -> Reading | None:
        """Make a reading of gaps where the drives are to be left alone now."""
        if not self._is_loaded or self.asks_under_load:
            return None
        now = self._clock()
        gaps = [(math.nan, Status.ABSENT)] * len(channels)
        return Reading.of(channels, (now, now), gaps, LEFT_ALONE)


class DrivePoll(DriveSource, ABC):
    """What the sources that ask drives one by one have in common.

    Args:
        settings: Name, host of the tool and options.
        timeout_s: Seconds for one drive.
        clock: Gives monotonic nanoseconds.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        timeout_s: float = TIMEOUT_S,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        super().__init__(settings, clock)
        self.timeout_s = timeout_s
        self.nodes = settings.texts("devices")
        self._every_s = self.period_s
        self._enclosure = settings.text("enclosure").lower().removeprefix("0x")
        self._pool: DrivePool[Drive, Answer] = DrivePool(
            self._ask, timeout_s + _GRACE_S
        )
        self._targets: list[list[Target]] = []
        self._turn = 0
        self._silent_turns = 0
        self._groups: list[tuple[Channel, ...]] = []

    @abstractmethod
    def find(self) -> list[Drive]:
        """Get the drives; raises BenchError."""

    @abstractmethod
    def quantities(self, drive: Drive) -> Sequence[tuple[str, str]]:
        """Get quantity and unit of what is read of a drive."""

    @abstractmethod
    def ask(self, drive: Drive) -> Answer:
        """Ask one drive; called by several threads at once.

        Raises:
            SourceError: It was late, with the status "timeout"; or no drive can be
                asked any more, such as without the tool.
        """

    @abstractmethod
    def identify(self, drives: Sequence[Drive]) -> Identity:
        """Say what answers; raises BenchError."""

    @property
    def drives(self) -> list[Drive]:
        """Get the drives that are asked."""
        targets = (target for group in self._targets for target in group)
        return [target.drive for target in targets if target.drive.kind]

    def open(self) -> Identity:
        """Find the drives and their slots; raises SourceError."""
        self.close()
        with errors_of(self.name):
            drives = self.find()
            identity = self.identify(drives)
            places = locations(find_slots(self.host, drives), self._enclosure)
        period_ns = int(self._every_s * SECOND)
        targets = declare(
            drives,
            places,
            self.quantities,
            before=self.channels,
            source=self.name,
            period_ns=period_ns,
        )
        # Turns of like size, so that the beat stays even.
        turns = max(1, math.ceil(len(targets) / AT_ONCE))
        self._targets = [targets[turn::turns] for turn in range(turns)]
        self._groups = [
            tuple(channel for target in group for channel in target.channels)
            for group in self._targets
        ]
        self.channels = tuple(c for group in self._groups for c in group)
        self._turn = self._silent_turns = 0
        self.period_s = self._every_s / turns
        return identity

    def read(self) -> Reading:
        """Ask the drives whose turn it is; raises SourceError."""
        if not self._targets:
            raise SourceError("the source is not open", where=self.name)
        group, channels = self._targets[self._turn], self._groups[self._turn]
        self._turn = (self._turn + 1) % len(self._targets)
        if resting := self._resting(channels):
            return resting
        start = self._clock()
        answers = self._pool.ask_all([target.drive for target in group], start)
        end = self._clock()
        self._check(answers)
        pairs = [
            _pair(answers.get(target.drive), channel)
            for target in group
            for channel in target.channels
        ]
        raw = "\n".join(answer.raw for answer in answers.values()).encode()
        trouble = _trouble([target.drive for target in group], answers)
        return within_bounds(
            Reading.of(channels, (start, end), pairs, raw, trouble=trouble)
        )

    def _ask(self, drive: Drive) -> Answer:
        return self.ask(drive) if drive.kind else Answer({}, trouble=_GONE)

    def _check(self, answers: Mapping[Drive, Answer]) -> None:
        """Check whether any drive of the last turns said anything.

        Raises:
            SourceError: None of all drives did, and they say why.
        """
        troubles = [answer.trouble for answer in answers.values()]
        self._silent_turns = self._silent_turns + 1 if troubles and all(troubles) else 0
        if self._silent_turns >= len(self._targets):
            drive = next(iter(answers))
            raise SourceError(
                f"no drive answers: {troubles[0]}",
                where=f"{self.name} ({drive.node})",
                way_out="Check whether they are there, and whether you may read them: "
                "run Bayscope as root there, or give your user the right to it.",
            )

    def close(self) -> None:
        """Forget the drives; see `DriveSource`."""
        self._targets = []
        super().close()


def _pair(answer: Answer | None, channel: Channel) -> Judged:
    """Get value and status of a channel from what its drive said, if it did."""
    if answer is None:
        return math.nan, Status.TIMEOUT
    silent = Status.ERROR if answer.trouble else Status.UNSUPPORTED
    return answer.values.get(channel.quantity, (math.nan, silent))


def _trouble(drives: Sequence[Drive], answers: Mapping[Drive, Answer]) -> str:
    """Say of each drive that says nothing what the reason is."""
    reasons = {
        drive: answers[drive].trouble if drive in answers else _LATE for drive in drives
    }
    return "; ".join(f"{drive.node}: {why}" for drive, why in reasons.items() if why)
