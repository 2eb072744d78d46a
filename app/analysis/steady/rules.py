"""Rules for a steady state: what each measures of the rounds, and how it says it."""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from app.analysis.samples import Floats


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much a quantity may vary and drift and still be steady.

    Shares of the mean suit rates and power. A temperature in degC has no zero that
    means anything, so it gets its own, in kelvin.
    """

    range: float  # greatest minus smallest, or the greatest deviation
    slope: float  # the drift; see each rule
    # whether both are shares of the mean, or in the quantity's unit
    is_share: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of one quantity."""

    steady: bool  # whether it is steady now
    why: str  # one sentence with figures: why not yet, or why it is
    # the rounds that were judged, first and last, counted from 1; None where there
    # are too few
    rounds: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Measures:
    """What a rule has measured: a range, a slope, and the mean both refer to.

    A slope below 0 falls; it is judged without its sign and told with it.
    """

    range: float
    slope: float
    mean: float


SSS_PTS = Tolerance(0.20, 0.10)
FIO_LIKE = Tolerance(0.05, 0.003)
LAST_PARTS = Tolerance(0.075, 0.075)


@dataclass(frozen=True, slots=True)
class Rule(ABC):
    """Judges the means of the last rounds."""

    names: ClassVar[tuple[str, str]] = ("range", "rise")

    tolerance: Tolerance  # how much they may vary and drift
    rounds: int  # how many rounds it needs before it can say yes

    def judge(self, means: Sequence[float], unit: str) -> Finding:
        """Judge one quantity so far; NaN is a round without a value."""
        missing = _too_few(means, self.rounds)
        if missing:
            return Finding(False, missing)
        values = self._measures(np.array(means[-self.rounds :]))
        span = (len(means) - self.rounds + 1, len(means))
        return _judged(values, self.tolerance, unit, span, self.names)

    @abstractmethod
    def _measures(self, last: Floats) -> Measures:
        """Measure range and slope of the rounds that are compared."""


@dataclass(frozen=True, slots=True)
class WindowRule(Rule):
    """The window of SNIA's SSS-PTS: the last five rounds, their range and their slope.

    Steady where the range is at most 20 % of the mean and the least-squares line
    rises or falls by at most 10 % of the mean over the window, which is its slope
    times one less than the rounds (SNIA Solid State Storage Performance Test
    Specification, "steady state"; the same constants in TKperf's StdyState).
    """

    tolerance: Tolerance = SSS_PTS
    rounds: int = 5

    def _measures(self, last: Floats) -> Measures:
        return Measures(float(np.ptp(last)), _rise(last), float(last.mean()))


@dataclass(frozen=True, slots=True)
class SlopeRule(Rule):
    """The rule of fio's `steadystate` option, on our rounds.

    With a slope the least-squares line may rise or fall by so much a round; with a
    deviation no round may lie further from the mean (fio's HOWTO, `steadystate`:
    iops_slope and iops). It is not SSS-PTS: there the rise over the whole window
    counts.
    """

    names: ClassVar[tuple[str, str]] = ("deviation", "slope a round")

    tolerance: Tolerance = FIO_LIKE
    rounds: int = 10

    def _measures(self, last: Floats) -> Measures:
        mean = float(last.mean())
        return Measures(float(np.abs(last - mean).max()), _slope(last), mean)


@dataclass(frozen=True, slots=True)
class LastOfRule(Rule):
    """7 of 25: the whole run in 25 parts, of which the last seven have to agree.

    After the idea of MinIO warp's autoterm: the parts grow with the run, so a drift
    keeps it from ending. Each of the last seven may lie 7.5 % from the last one; the
    rise over the seven counts as the slope and has the same limit here.

    A part is the mean of its rounds that have a value, half of them at least: one that
    was lost early is of no part that is compared, and later of one that grows.
    """

    names: ClassVar[tuple[str, str]] = ("distance from the last part", "rise")

    tolerance: Tolerance = LAST_PARTS
    rounds: int = 25
    last: int = 7

    def judge(self, means: Sequence[float], unit: str) -> Finding:
        """Judge the last parts; see `Rule`."""
        if len(means) < self.rounds:
            return Finding(False, _too_few(means, self.rounds))
        edges = np.round(np.linspace(0, len(means), self.rounds + 1)).astype(int)
        edges = edges[-self.last - 1 :].tolist()
        parts = [np.array(means[first:end]) for first, end in itertools.pairwise(edges)]
        if any(2 * np.isnan(part).sum() > part.size for part in parts):
            return Finding(False, _too_few(means, len(means) - edges[0]))
        values = self._measures(np.array([np.nanmean(part) for part in parts]))
        span = (edges[0] + 1, len(means))
        return _judged(values, self.tolerance, unit, span, self.names)

    def _measures(self, last: Floats) -> Measures:
        away = float(np.abs(last - last[-1]).max())
        return Measures(away, _rise(last), float(last[-1]))


def _slope(values: Floats) -> float:
    """Get the slope of the least-squares line, in the values' unit a step."""
    steps = np.arange(values.size) - (values.size - 1) / 2
    return float((steps * values).sum() / (steps**2).sum())


def _rise(values: Floats) -> float:
    return _slope(values) * (values.size - 1)


def _too_few(means: Sequence[float], needed: int) -> str:
    """Say that rounds are missing, or have no value; "" where all is there."""
    if len(means) < needed:
        return f"{len(means)} of {needed} rounds so far"
    first = len(means) - needed
    gaps = [n for n in range(first, len(means)) if math.isnan(means[n])]
    if gaps:
        return f"round {gaps[-1] + 1} has no value"
    return ""


def _judged(
    found: Measures,
    tolerance: Tolerance,
    unit: str,
    span: tuple[int, int],
    names: tuple[str, str],
) -> Finding:
    """Compare what was measured with a tolerance, and say it in a sentence."""
    if tolerance.is_share and found.mean == 0:
        return Finding(False, "the mean is 0, so there are no shares of it", span)
    scale = abs(found.mean) if tolerance.is_share else 1.0
    wide, drift = found.range / scale, found.slope / scale
    is_narrow, is_level = wide <= tolerance.range, abs(drift) <= tolerance.slope
    range_, slope = (
        _shown(most, tolerance, unit) for most in (tolerance.range, tolerance.slope)
    )
    steady = is_narrow and is_level
    parts = (
        (
            is_narrow,
            f"{names[0]} {_shown(wide, tolerance, unit)} is "
            f"{'within' if is_narrow else 'above'} {range_}",
        ),
        (
            is_level,
            f"{names[1]} {_shown(drift, tolerance, unit, sign='+')} is "
            f"{'within' if is_level else 'beyond'} ±{slope}",
        ),
    )
    sentences = [text for kept, text in parts if kept == steady]
    rounds = f"rounds {span[0]} to {span[1]}"
    return Finding(steady, f"{' and '.join(sentences)} ({rounds})", span)


def _shown(value: float, tolerance: Tolerance, unit: str, *, sign: str = "") -> str:
    sign *= bool(value)
    if tolerance.is_share:
        return f"{100 * value:{sign}.3g} %"
    return f"{value:{sign}.3g} {'K' if unit == 'degC' else unit}".strip()
