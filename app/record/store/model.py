"""The rows of a session file as values: what readers get and writers give."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from app.plan.verdict import Cause, Outcome
from instruments.files.foreign_text import stored_toml
from instruments.reading import Channel, Status

Window = tuple[int, int]
"""From and to in monotonic nanoseconds, both included."""


IMPORTED = "imported-"
"""What the boot id of a session begins with that was made of files from elsewhere."""

PUBLISHED = "published-"
"""The same of one that quotes a published report, and was not measured here."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What a session is, as known at its start, and how it ended."""

    name: str  # name of the session, usually the campaign's
    campaign: str  # the campaign as run, TOML
    bench: str  # the bench as it was, TOML
    operator: str  # who ran it
    app_version: str  # the version of Bayscope that recorded it
    simulated: bool  # whether any source is a simulator
    dut: str  # the device under test
    boot_id: str  # which boot of the computer it began in
    monotonic_ns: int  # monotonic time at the start
    realtime_ns: int  # wall-clock time at the start
    outcome: str = ""  # how the run ended, "" while it is running
    verdict: str | None = None  # PASS, FAIL, ERROR or ABORTED; None until known
    ended_ns: int | None = None  # monotonic time at the end; None until known
    note: str = ""  # a free remark

    @property
    def is_imported(self) -> bool:
        """Whether it was made of what others wrote, and not recorded."""
        return self.boot_id.startswith((IMPORTED, PUBLISHED))

    @property
    def is_published(self) -> bool:
        """Whether it quotes a published report: no samples, nothing measured here."""
        return self.boot_id.startswith(PUBLISHED)


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source as recorded, with what it said of itself."""

    name: str
    section: str
    driver: str
    maker: str
    model: str
    serial: str
    firmware: str
    address: str
    simulated: bool
    config: str
    measures: str

    @property
    def keys(self) -> Mapping[str, object]:
        """What the bench told its driver; nothing where an import describes it."""
        tables = stored_toml(self.config).get(self.section)
        first = tables[0] if isinstance(tables, list) and tables else {}
        return first if isinstance(first, Mapping) else {}


class Action(StrEnum):
    """Lines of the journal that the program reads again."""

    SET_UP = "set up"
    UNDONE = "set-up undone"
    SWITCHING_OFF = "switching off"  # ordered, and perhaps done
    SWITCHING_ON = "switching on"
    SWITCHED_OFF = "switched off"
    SWITCHED_ON = "switched on"
    IMPORTED = "imported"  # a file, into a session made of it
    RESUMED = "gone on with"
    REMARK = "remark"  # of the operator who resumed it


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step of the campaign; times in monotonic ns, None until known."""

    id: int
    position: int
    label: str
    engine: str
    plan: str
    start_ns: int | None
    window_start_ns: int | None
    window_end_ns: int | None
    end_ns: int | None
    outcome: str  # an `Outcome`
    verdict: str | None  # a `Verdict`, None where the row does not count
    reason: str  # why it ended so, for people
    cause: str = ""  # a `Cause`; what the program decides by
    attempt: int = 0  # which one it was, of a void row that was planned again
    series: str = ""  # its label without pass and number of a repeat
    pass_number: int = 1  # of a loop

    @property
    def was_cut_off(self) -> bool:
        """Whether the program ended while the step was run."""
        return self.outcome == Outcome.ERROR and self.cause == Cause.CRASHED

    @property
    def window(self) -> tuple[int, int] | None:
        """Its measured window, the end excluded; all of it where it has no bounds.

        Of a step that was cut off it is what was measured; None where it never ran.
        """
        start = self.start_ns if self.window_start_ns is None else self.window_start_ns
        end = self.end_ns if self.window_end_ns is None else self.window_end_ns
        return None if start is None or end is None else (start, end)

    @property
    def never_began(self) -> bool:
        """Whether the program ended before the step was begun."""
        return self.outcome == Outcome.SKIPPED and self.cause == Cause.CRASHED


class Basis(StrEnum):
    """What a result is made of, where that is not what its name promises."""

    USUAL = ""
    MEAN_POWER = "mean power"  # an energy: mean power times the time, no integrator's
    PRINTED = "printed"  # quoted from print: the note is what stands there
    ONE_OF_SEVERAL = "one of several"  # of one source, while others measure it, too


FORMULAS = 9
"""The version of how results are computed, which each keeps: one more where a formula
changes, and what it changes goes into `app.analysis.again.verify.LATER`."""


@dataclass(frozen=True, slots=True)
class Result:
    """One value of a step, with what it was made of."""

    name: str  # as in `instruments.metric`, or of a part, such as "iops.dev01"
    value: float | None  # in `unit`; None where too little was measured
    unit: str  # unit of the value
    start_ns: int  # start of the window it is quoted over
    end_ns: int  # end of it
    n_valid: int | None = None  # samples that were values; None where none are counted
    n_expected: int | None = None  # samples that the nominal periods promise
    origin: str = ""  # the channels, document or computation it comes from
    note: str = ""  # how it was averaged, and what is missing
    # what it is made of, where that is not what its name promises
    basis: str = Basis.USUAL
    # for so long a meter was over range, so that it is too low
    over_range_s: float = 0.0
    # standard uncertainty by the limits of error of the meters, which rows of the same
    # meters share; None where it is not known
    u_meter: float | None = None
    # the same by scatter, or by what the meter cannot tell apart
    u_scatter: float | None = None
    # the last clock offset that was known then, by its number; None before version 7
    offset_id: int | None = None
    # the version of the formulas it was computed by; None before version 10
    formulas: int | None = FORMULAS
    step_id: int = 0  # the step, once it is stored
    # the channels it was computed from; they are not stored
    channels: tuple[Channel, ...] = field(default=(), kw_only=True)
    # in `unit`, what the readings of its meter cannot tell apart; not stored
    resolution: float = field(default=0.0, kw_only=True)


@dataclass(frozen=True, slots=True)
class EventRow:
    """Something that happened; level is info, warning or error."""

    id: int
    t_ns: int
    level: str
    source: str
    message: str


@dataclass(frozen=True, slots=True)
class GapRow:
    """A time without values of one channel, and why."""

    channel_name: str
    start_ns: int
    end_ns: int
    reason: str
    detail: str

    @property
    def shown_reason(self) -> str:
        """The reason as it is said to a person; the code has its name of old."""
        return "missed readings" if self.reason == Status.MISSED else self.reason


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """A time in which a device called its own value warn or crit."""

    channel_name: str
    start_ns: int
    end_ns: int
    level: str


@dataclass(frozen=True, slots=True)
class OffsetRow:
    """How much later than stored the readings of a source belong."""

    source: str
    offset_ns: int
    spread_ns: int
    method: str


@dataclass(frozen=True, slots=True)
class ClockPair:
    """Both clocks, read at the same moment."""

    boot_id: str  # which boot of the computer it was
    monotonic_ns: int  # the session's own time
    realtime_ns: int  # what the wall clock said, in ns since 1970
    # how much later the session's time is than the kernel's CLOCK_MONOTONIC of that
    # boot; 0 until a restart of the computer
    offset_ns: int = 0


@dataclass(frozen=True, slots=True)
class ArtefactRow:
    """A raw output that was kept; its content is had by `Session.artefact`."""

    step_id: int | None
    name: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True)
class JournalRow:
    """What the program did to the bench or to the file."""

    t_ns: int
    action: str
    detail: str


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """A note, tag or mark, added by hand at any time."""

    id: int  # number in the file
    realtime_ns: int  # when it was written, wall clock
    author: str  # who wrote it
    kind: str  # "note", "tag" or "mark"
    text: str  # what it says
    start_ns: int | None  # monotonic time it points at, or None for the whole session
    end_ns: int | None  # end of the span it points at, or None


@dataclass(frozen=True, slots=True)
class InventoryRow:
    """One fact about a host or a device."""

    kind: str
    name: str
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One line of a list of sessions; `error` says why a file cannot be read.

    `changed` says that a finished file is not what was recorded any more; None
    where nobody looked (see `looked_through`). `unclean` counts the rows whose disk had
    another user.

    `started` is wall-clock nanoseconds since 1970, `size` is in bytes; of `steps`
    `done` were run to their end.
    """

    path: Path
    name: str = ""
    dut: str = ""
    started: int = 0
    duration_s: float = 0.0
    steps: int = 0
    verdict: str | None = None
    outcome: str = ""
    simulated: bool = False
    state: str = ""
    size: int = 0
    changed: bool | None = None
    error: str = ""
    unclean: int = 0
    published: bool = False
    operator: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    starred: bool = False
    done: int = 0

    @property
    def reason(self) -> str:
        """Why it cannot be read, for a place where its path stands beside."""
        return self.error.removeprefix(f"{self.path}: ")

    @property
    def judged(self) -> str:
        """Its verdict; where it has none, what it is or how it stands."""
        return self.verdict or ("published" if self.published else self.state)
