"""Rules for a steady state, each on the means of rounds of one quantity."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.analysis.samples import Floats


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much a quantity may vary and drift and still be steady.

    Shares of the mean suit rates and power. A temperature in degC has no zero that
    means anything, so it gets its own, in kelvin.

    Attributes:
        range: Greatest minus smallest, or the greatest deviation.
        slope: The drift; see each rule.
        is_share: Whether both are shares of the mean, or in the quantity's unit.
    """

    range: float
    slope: float
    is_share: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of one quantity.

    Attributes:
        steady: Whether it is steady now.
        why: One sentence with figures: why not yet, or why it is.
        rounds: The rounds that were judged, first and last, counted from 1; None
            where there are too few.
    """

    steady: bool
    why: str
    rounds: tuple[int, int] | None = None


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

    tolerance: Tolerance = Tolerance(0.20, 0.10)
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

    tolerance: Tolerance = Tolerance(0.05, 0.003)
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
    """

    tolerance: Tolerance = Tolerance(0.075, 0.075)
    last: int = 7
    parts: int = 25

    @property
    def needed(self) -> int:
        """How many rounds it needs."""
        return self.parts

    def judge(self, means: Sequence[float], unit: str) -> Finding:
        """Judge the last parts; see `Rule`."""
        missing = too_few(means, self.parts, whole=True)
        if missing:
            return Finding(False, missing)
        edges = np.round(np.linspace(0, len(means), self.parts + 1)).astype(int)
        every = np.array(
            [
                np.mean(means[first:last])
                for first, last in itertools.pairwise(edges.tolist())
            ]
        )
        tail = every[-self.last :]
        span = (int(edges[-self.last - 1]) + 1, len(means))
        values = Measures(
            float(np.abs(tail - tail[-1]).max()),
            abs(slope_of(tail)) * (self.last - 1),
            float(tail[-1]),
        )
        return judged(
            values, self.tolerance, unit, span, ("distance from the last part", "rise")
        )


@dataclass(frozen=True, slots=True)
class Measures:
    """What a rule has measured: a range, a slope, and the mean both refer to."""

    range: float
    slope: float
    mean: float


def slope_of(values: Floats) -> float:
    """Get the slope of the least-squares line, in the values' unit a step."""
    steps = np.arange(values.size) - (values.size - 1) / 2
    return float((steps * values).sum() / (steps**2).sum())


def too_few(means: Sequence[float], needed: int, *, whole: bool = False) -> str:
    """Say that rounds are missing, or have no value; "" where all is there."""
    if len(means) < needed:
        return f"{len(means)} of {needed} rounds so far"
    first = 0 if whole else len(means) - needed
    gaps = [n for n in range(first, len(means)) if math.isnan(means[n])]
    if gaps:
        return f"round {gaps[-1] + 1} has no value"
    return ""


def judged(
    found: Measures,
    tolerance: Tolerance,
    unit: str,
    span: tuple[int, int],
    names: tuple[str, str],
) -> Finding:
    """Compare what was measured with a tolerance, and say it in a sentence."""
    if tolerance.is_share and found.mean == 0:
        return Finding(False, "the mean is 0, so nothing is a share of it", span)
    scale = abs(found.mean) if tolerance.is_share else 1.0
    parts, steady = [], True
    for name, value, most in (
        (names[0], found.range / scale, tolerance.range),
        (names[1], found.slope / scale, tolerance.slope),
    ):
        kept = value <= most
        steady = steady and kept
        sign = "within" if kept else "above"
        parts.append(
            (
                kept,
                f"{name} {_shown(value, tolerance, unit)} is {sign} "
                f"{_shown(most, tolerance, unit)}",
            )
        )
    told = [text for kept, text in parts if kept == steady]
    rounds = f"rounds {span[0]} to {span[1]}"
    return Finding(steady, f"{' and '.join(told)} ({rounds})", span)


def _shown(value: float, tolerance: Tolerance, unit: str) -> str:
    if tolerance.is_share:
        return f"{100 * value:.3g} %"
    return f"{value:.3g} {'K' if unit == 'degC' else unit}".strip()
