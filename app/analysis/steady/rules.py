"""Rules for a steady state, each on the means of rounds of one quantity."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.analysis.samples import Floats
from app.analysis.steady.finding import (
    Finding,
    Measures,
    Tolerance,
    judged,
    too_few,
)

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


def slope_of(values: Floats) -> float:
    """Get the slope of the least-squares line, in the values' unit a step."""
    steps = np.arange(values.size) - (values.size - 1) / 2
    return float((steps * values).sum() / (steps**2).sum())
