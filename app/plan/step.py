"""A step: one row of the report table, as a frozen plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from app.plan.limits import Limit
from app.plan.matrix import Matrix
from app.plan.phases import PHASES
from app.plan.repeats import RepeatPlan, numbered
from app.plan.rounds import LEAST, RoundsPlan
from app.plan.steady import SteadyPlan
from workloads.engines import LOADS

ENGINES = (*LOADS, *PHASES)
"""Engines of this version; further ones of the design are refused by name."""

RESTING = ("idle", "cooldown")
"""Engines of rows without a load: nobody is to use the target meanwhile."""


class Role(StrEnum):
    """What a row stands for where other figures are derived from it."""

    IDLE = "idle"  # the device is ready, nothing is asked of it
    OFF = "off"
    BACKGROUND = "background"  # of the noise: the device is silent
    CALIBRATION = "calibration"  # of the sound meter: its calibrator is on it
    LOAD = "load"
    SATURATION = "saturation"  # a load that writes until the device has no fresh room


def roles_of(engine: str) -> tuple[Role, ...]:
    """Get the roles that a step of an engine may have."""
    if engine in LOADS:
        return (Role.LOAD, Role.SATURATION)
    resting = (Role.IDLE, Role.OFF, Role.BACKGROUND, Role.CALIBRATION)
    return resting if engine == "idle" else ()


EACH, TOGETHER = "each", "together"
DEVICES = (EACH, TOGETHER)
"""A job on each of several targets, or one job on all of them as an array."""


@dataclass(frozen=True, slots=True)
class Step:
    """One row of the report table.

    Attributes:
        label: What the row is called.
        engine: One of ENGINES.
        runtime_s: Length of the measured window in seconds; 0 where only the
            operator or the device says when it is over.
        ramp_s: Seconds before it that are recorded but not measured.
        repeat: How many times the step is run.
        enabled: Runs as part of the campaign.
        limits: Limits on its results.
        options: The engine's own options, spelled as the engine spells them.
        sweep: Options that take several values; each combination is a run.
        teardown: Whether it is run at the end whatever happened before.
        devices: What a fio step does with several targets, one of DEVICES.
        rampdown_s: Seconds at the end of its window that are not measured.
        steady: How it is judged to be steady, where it ends with that; `runtime_s`
            is its longest time then.
        repeats: When it has been repeated often enough, where a result decides that.
        rounds: When its sweep has been run often enough, where a row of it decides.
        needs: Labels of rows before it that have to be done, else it is not run.
        role: What it stands for, None where the plan does not say.
    """

    label: str
    engine: str
    runtime_s: float
    ramp_s: float = 0.0
    repeat: int = 1
    enabled: bool = True
    limits: tuple[Limit, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    sweep: Matrix | None = None
    teardown: bool = False
    devices: str = EACH
    rampdown_s: float = 0.0
    steady: SteadyPlan | None = None
    repeats: RepeatPlan | None = None
    rounds: RoundsPlan | None = None
    needs: tuple[str, ...] = ()
    role: Role | None = None

    @property
    def duration_s(self) -> float:
        """Planned length of one run of the step in seconds."""
        kind = PHASES.get(self.engine)
        extra = kind.extra_s(self.options) if kind is not None else 0.0
        return self.ramp_s + self.runtime_s + extra

    @property
    def least_rounds(self) -> int:
        """How often each of its rows is run at least."""
        return 1 if self.rounds is None else LEAST

    @property
    def least_s(self) -> float:
        """Planned length of all runs of one of its rows, at least, in seconds."""
        return self.duration_s * self.least_rounds

    @property
    def is_load(self) -> bool:
        """Whether it puts a load on something."""
        return self.engine in LOADS

    @property
    def on_target(self) -> bool:
        """Whether it reads or writes the target."""
        if self.is_load:
            return LOADS[self.engine].on_target
        return PHASES[self.engine].on_target

    @property
    def asks(self) -> bool:
        """Whether it waits for a word of the operator."""
        return not self.is_load and PHASES[self.engine].asks(self.options)

    @property
    def is_measured(self) -> bool:
        """Whether it has a measured window, and so results."""
        return self.is_load or PHASES[self.engine].measured

    @property
    def most_rows(self) -> int:
        """How many rows it may come to, without writing them out."""
        points = self.sweep.size if self.sweep is not None else 1
        again = self.repeats or self.rounds
        return points * (again.most if again is not None else self.repeat)

    @property
    def runs(self) -> tuple[tuple[str, "Step"], ...]:
        """The step with sweep and repeats written out: (label of the row, step).

        Where a result decides on repeats these are as many as there are at least; of
        rounds it is the first one.
        """
        if self.repeats is not None:
            once = self._points()
            return tuple(
                (numbered(label, number), step)
                for number in range(1, self.repeats.least + 1)
                for label, step in once
            )
        if self.sweep is None and self.repeat > 1:
            return tuple(
                (f"{self.label} ({number}/{self.repeat})", self)
                for number in range(1, self.repeat + 1)
            )
        return self._points()

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that its rows may have."""
        if self.repeats is None:
            return tuple(label for label, _ in self.runs)
        numbers = range(1, self.repeats.most + 1)
        return tuple(numbered(p, n) for n in numbers for p, _ in self._points())

    def _points(self) -> tuple[tuple[str, "Step"], ...]:
        """Get the step at each point of its sweep, as often as it is repeated."""
        if self.sweep is None:
            return ((self.label, self),)
        return tuple(
            (label, self._at(point.label, point.options))
            for label, point in self.sweep.runs(self.label, self.repeat)
        )

    def _at(self, label: str, options: Mapping[str, str]) -> "Step":
        """Get the step at one point of its sweep."""
        merged = {**self.options, **options}
        return replace(self, label=label, repeat=1, options=merged, sweep=None)
