"""Steady state judged on performance, power and temperature together."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from app.analysis.samples import Floats
from app.analysis.steady.finding import Finding, Measures, Tolerance, judged, too_few

SSS_PTS = Tolerance(0.20, 0.10)
FIO_LIKE = Tolerance(0.05, 0.003)
LAST_PARTS = Tolerance(0.075, 0.075)


class Rule(Protocol):
    """Judges the means of rounds; `judge` may be asked again after each round."""

    @property
    def needed(self) -> int:
        """How many rounds it needs before it can say yes."""
        ...

    def judge(self, means: Sequence[float], unit: str) -> Finding:
        """Judge what there is of one quantity; NaN is a round without a value."""
        ...


@dataclass(frozen=True, slots=True)
class WindowRule:
    """The window of SNIA's SSS-PTS: the last five rounds, their range and their slope.

    Steady where the range is at most 20 % of the mean and the least-squares line
    rises by at most 10 % of the mean over the window, which is its slope times one
    less than the rounds (SNIA Solid State Storage Performance Test Specification,
    "steady state"; the same constants in TKperf's StdyState).
    """

    tolerance: Tolerance = SSS_PTS
    rounds: int = 5

    @property
    def needed(self) -> int:
        """How many rounds it needs."""
        return self.rounds

    def judge(self, means: Sequence[float], unit: str) -> Finding:
        """Judge the last rounds; see `Rule`."""
        missing = too_few(means, self.rounds)
        if missing:
            return Finding(False, missing)
        last = np.array(means[-self.rounds :])
        span = (len(means) - self.rounds + 1, len(means))
        values = Measures(
            float(np.ptp(last)),
            abs(slope_of(last)) * (self.rounds - 1),
            float(last.mean()),
        )
        return judged(values, self.tolerance, unit, span, ("range", "rise"))


@dataclass(frozen=True, slots=True)
class SlopeRule:
    """The rule of fio's `steadystate` option, on our rounds.

    With a slope the least-squares line may rise by so much a round; with a deviation
    no round may lie further from the mean (fio's HOWTO, `steadystate`: iops_slope and
    iops). It is not SSS-PTS: there the rise over the whole window counts.
    """

    tolerance: Tolerance = FIO_LIKE
    rounds: int = 10

    @property
    def needed(self) -> int:
        """How many rounds it needs."""
        return self.rounds

    def judge(self, means: Sequence[float], unit: str) -> Finding:
        """Judge the last rounds; see `Rule`."""
        missing = too_few(means, self.rounds)
        if missing:
            return Finding(False, missing)
        last = np.array(means[-self.rounds :])
        span = (len(means) - self.rounds + 1, len(means))
        mean = float(last.mean())
        values = Measures(float(np.abs(last - mean).max()), abs(slope_of(last)), mean)
        return judged(
            values, self.tolerance, unit, span, ("deviation", "slope a round")
        )


@dataclass(frozen=True, slots=True)
class LastOfRule:
    """7 of 25: the whole run in 25 parts, of which the last seven have to agree.

    After the idea of MinIO warp's autoterm: the parts grow with the run, so a drift
    keeps it from ending. Each of the last seven may lie 7.5 % from the last one; the
    rise over the seven counts as the slope and has the same limit here.

    A part is the mean of its rounds that have a value, half of them at least: one that
    was lost early is of no part that is compared, and later of one that grows.
    """

    tolerance: Tolerance = LAST_PARTS
    last: int = 7
    parts: int = 25

    @property
    def needed(self) -> int:
        """How many rounds it needs."""
        return self.parts

    def judge(self, means: Sequence[float], unit: str) -> Finding:
        """Judge the last parts; see `Rule`."""
        if len(means) < self.parts:
            return Finding(False, too_few(means, self.parts))
        edges = np.round(np.linspace(0, len(means), self.parts + 1)).astype(int)
        edges = edges[-self.last - 1 :].tolist()
        parts = [np.array(means[first:end]) for first, end in itertools.pairwise(edges)]
        if any(2 * np.isnan(part).sum() > part.size for part in parts):
            return Finding(False, too_few(means, len(means) - edges[0]))
        tail = np.array([np.nanmean(part) for part in parts])
        span = (edges[0] + 1, len(means))
        values = Measures(
            float(np.abs(tail - tail[-1]).max()),
            abs(slope_of(tail)) * (self.last - 1),
            float(tail[-1]),
        )
        return judged(
            values, self.tolerance, unit, span, ("distance from the last part", "rise")
        )


def slope_of(values: Floats) -> float:
    """Get the slope of the least-squares line, in the values' unit a step."""
    steps = np.arange(values.size) - (values.size - 1) / 2
    return float((steps * values).sum() / (steps**2).sum())


KELVIN = Tolerance(2.0, 1.0, is_share=False)
"""Of a temperature over a window: a range of 2 K, a rise of 1 K. [judged]"""

_KELVIN_A_ROUND = Tolerance(1.0, 0.1, is_share=False)


@dataclass(frozen=True, slots=True)
class Method:
    """A way to judge: a rule for shares, one for temperatures, and the rounds.

    Attributes:
        name: How a campaign calls it.
        title: How it is shown.
        rule: For rates and power.
        thermal: For temperatures.
        round_s: Length of a round in seconds.
        most: After so many rounds it is said that none was reached; 0 for no end.
    """

    name: str
    title: str
    rule: Rule
    thermal: Rule
    round_s: float
    most: int = 25

    def rule_for(self, unit: str) -> Rule:
        """Get the rule for a quantity in a unit."""
        return self.thermal if unit == "degC" else self.rule


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            "sss-pts",
            "SSS-PTS window: 5 rounds, range 20 %, slope 10 %",
            WindowRule(),
            WindowRule(KELVIN),
            60.0,
        ),
        Method(
            "fio-slope",
            "as fio's steadystate: slope and deviation of 10 rounds",
            SlopeRule(),
            SlopeRule(_KELVIN_A_ROUND),
            10.0,
            most=0,
        ),
        Method(
            "7-of-25",
            "as warp's autoterm: the last 7 of 25 parts agree",
            LastOfRule(),
            LastOfRule(KELVIN),
            10.0,
            most=0,
        ),
        # Five rounds of half an hour are told of the Emerald specification for devices
        # (2025) at second hand; its limits were not to be had, so the window's hold.
        Method(
            "5x30min",
            "5 rounds of 30 minutes, performance and power (Emerald-like)",
            WindowRule(),
            WindowRule(KELVIN),
            1800.0,
        ),
    )
}
"""The choices; constants marked [judged] or second hand are said to be so above."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing that has to be steady: "performance" in 1/s, "power" in W."""

    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class SteadyState:
    """How it stands after some rounds.

    Attributes:
        steady: Whether every quantity is steady.
        findings: Of each quantity; `why` says why not yet, with figures.
        rounds: How many rounds were seen.
        reached: The round after which all were steady for the first time, from 1.
        is_over: Whether the method's last round has passed without it.
    """

    steady: bool
    findings: Mapping[str, Finding]
    rounds: int
    reached: int | None = None
    is_over: bool = False

    @property
    def told(self) -> str:
        """Say of which quantities it was not steady, or of all why it is."""
        return "; ".join(
            f"{name}: {finding.why}"
            for name, finding in self.findings.items()
            if finding.steady == self.steady
        )

    @property
    def why(self) -> str:
        """Say in one line why not yet, or that it is."""
        if self.steady:
            head = "steady"
        elif self.is_over:
            head = f"steady state not reached in {self.rounds} rounds"
        else:
            head = "not yet steady"
        return f"{head}; {self.told}" if self.told else head


@dataclass
class SteadyWatch:
    """Takes the means of round after round; live, or all of a stored session's.

    Attributes:
        method: How it is judged.
        quantities: What has to be steady, all at once.
        means: The means so far, of each quantity.
        reached: The round after which all were steady for the first time.
    """

    method: Method
    quantities: Sequence[Quantity]
    means: dict[str, list[float]] = field(default_factory=dict)
    reached: int | None = None

    def __post_init__(self) -> None:
        for quantity in self.quantities:
            self.means.setdefault(quantity.name, [])

    def add(self, round_means: Mapping[str, float]) -> SteadyState:
        """Take the means of one more round; a quantity left out has no value."""
        for quantity in self.quantities:
            value = round_means.get(quantity.name, float("nan"))
            self.means[quantity.name].append(value)
        state = self.state()
        if state.steady and self.reached is None:
            self.reached = state.rounds
            return self.state()
        return state

    def state(self) -> SteadyState:
        """Judge what there is."""
        findings = {
            quantity.name: self.method.rule_for(quantity.unit).judge(
                self.means[quantity.name], quantity.unit
            )
            for quantity in self.quantities
        }
        rounds = max((len(means) for means in self.means.values()), default=0)
        steady = bool(findings) and all(f.steady for f in findings.values())
        most = self.method.most
        over = bool(most) and rounds >= most and self.reached is None and not steady
        return SteadyState(steady, findings, rounds, self.reached, over)
