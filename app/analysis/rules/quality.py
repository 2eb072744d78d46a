"""The quality of a row: one figure from 0 to 100, that of its worst part."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.analysis.coverage import JUDGED, WORDS
from app.analysis.integrator import integrated
from app.analysis.power import LEAST_FED_W, UNEQUAL
from app.analysis.rules.row_figures import RowRecord, Spread, spread_of
from app.analysis.rules.run_figures import figure_of
from app.analysis.rules.throttling import throttling_of
from app.analysis.samples import channels_of
from app.analysis.scatter import random_of_mean
from app.analysis.steady.state import BY_FIO
from app.analysis.uncertainty import COVERAGE
from app.plan.cleanness import MOST_FOREIGN
from app.plan.gates import Measure
from app.plan.verdict import Outcome

WHOLE = 100.0

_DRIFT = 0.10
"""Of the mean over the window: the rise that the steady state of SSS-PTS allows."""

_SCATTER = 0.01
"""Of the mean: expanded uncertainty that the gate lets through."""

_OVER = 0.01
"""Of the window over range. [judged]"""

_RANGE_USED = 0.10
"""Of a current range that mean current has to use. [judged]"""

_CLOCK_MS = 200.0
"""As the gate of the clocks."""

_FEW = 5
"""Of fewer expected readings one that lies beside the window is not a lack."""


class Part(StrEnum):
    """What the quality of a row is made of."""

    COVERAGE = "coverage"
    DRIFT = "drift"
    SCATTER = "scatter"
    OVER_RANGE = "over range"
    UNDER_RANGE = "under range"
    THROTTLING = "throttling"
    FOREIGN = "foreign I/O"
    STEADY = "steady"
    CACHE = "cache"
    CLOCK = "clock"


ABOUT: Mapping[Part, str] = {
    Part.COVERAGE: "share of the samples missing from the least complete result",
    Part.DRIFT: "rise of power's best-fit line over the window, relative to its mean",
    Part.SCATTER: "relative uncertainty (k = 2) of mean power but for its meter's",
    Part.OVER_RANGE: "share of the window in which power was over range",
    Part.UNDER_RANGE: "mean current as a share of its range: 50 at 10 %, 100 from 20 %",
    Part.THROTTLING: "0 where a counter of throttling grew, else 100",
    Part.FOREIGN: "what others did on the disk: 50 where a row stops being clean",
    Part.STEADY: "100 where all that was to be steady was, else 0",
    Part.CACHE: "0 where a cache answered for the disk, 50 where it may have, else 100",
    Part.CLOCK: "remaining clock offset of load hosts",
}
"""What each is made by."""

LIMITS: Mapping[Part, tuple[float, str]] = {
    Part.COVERAGE: (WHOLE * (1 - JUDGED), "%"),
    Part.DRIFT: (WHOLE * _DRIFT, "%"),
    Part.SCATTER: (WHOLE * _SCATTER, "%"),
    Part.OVER_RANGE: (WHOLE * _OVER, "%"),
    Part.CLOCK: (_CLOCK_MS, "ms"),
}
"""At how much of it 50 are left, with the unit; 0 at twice that."""


@dataclass(frozen=True, slots=True)
class Quality:
    """How well a row was measured.

    Attributes:
        parts: Each from 0 to 100; None where nothing shows it.
        spread: How power went in the window; None without a reading.
        throttled: By counter of throttling by how much it grew, in the unit of its
            channel; None where it is not known whether any did.
    """

    parts: Mapping[Part, float | None]
    spread: Spread | None
    throttled: Mapping[str, float] | None

    @property
    def worst(self) -> Part | None:
        """The part that holds it back; None where none does, or none is known."""
        lacking = {k: v for k, v in self.parts.items() if v is not None and v < WHOLE}
        return min(lacking, key=lambda part: lacking[part]) if lacking else None

    @property
    def figure(self) -> float | None:
        """That of its worst part: no good part makes up for a bad one."""
        return min((v for v in self.parts.values() if v is not None), default=None)


def quality_of(row: RowRecord) -> Quality:
    """Compute the parts of a row."""
    spread = spread_of(row)
    parts = {part: find(row) for part, find in _OF_ROW.items()}
    parts[Part.DRIFT] = _drift(row, spread)
    parts[Part.SCATTER] = _scatter(row, spread)
    throttling = throttling_of(row)
    throttled = throttling.grown if throttling.is_known else None
    if throttled is not None:
        parts[Part.THROTTLING] = 0.0 if throttled else WHOLE
    return Quality({part: parts.get(part) for part in Part}, spread, throttled)


def _left(amount: float, limit: float) -> float:
    """Get 100 where nothing is amiss, 50 at a limit, 0 at twice that."""
    return WHOLE * min(1.0, max(0.0, 1 - amount / (2 * limit)))


def _coverage(row: RowRecord) -> float | None:
    if row.outcome in (Outcome.ERROR, Outcome.ABORTED):
        return 0.0  # It did not come to its end.
    power = row.value("power_w")
    if row.power and (power is None or power < LEAST_FED_W):
        return 0.0  # Of a meter that was there, whatever its readings say.
    if _contradicts(row):
        return 0.0  # One of the two is wrong, and nobody knows which.
    shares = [
        (result.n_valid or 0) / result.n_expected if result.value is not None else 0.0
        for name in WORDS
        if (result := row.results.get(name)) is not None
        and result.n_expected
        and (result.n_expected >= _FEW or result.value is None)
    ]
    return _left(1 - min(shares), 1 - JUDGED) if shares else None


def _contradicts(row: RowRecord) -> bool:
    """Tell whether an integrator says something else than power does.

    A difference of less than its readings can tell is none, see the gate `energy`.
    """
    off = figure_of(row, Measure.ENERGY)
    if isinstance(off, float):
        return abs(off) > WHOLE * UNEQUAL
    energy = row.results.get("energy_wh")
    if energy is None or energy.value is not None or not row.power:
        return False
    counters = channels_of(row.feeds, "Wh", "Wh")
    return any(integrated(row.session, one, row.window).falls for one in counters)


def _drift(row: RowRecord, spread: Spread | None) -> float | None:
    if spread is None or spread.slope_w_per_s is None or spread.mean_w <= 0:
        return None
    return _left(abs(spread.slope_w_per_s) * row.seconds / spread.mean_w, _DRIFT)


def _scatter(row: RowRecord, spread: Spread | None) -> float | None:
    if spread is None or spread.mean_w <= 0:
        return None
    power = row.results.get("power_w")
    standard = power.u_scatter if power is not None else None
    if standard is None:  # of meters whose error is not known
        standard = random_of_mean(row.power)
    if standard is None:
        return None
    return _left(COVERAGE * standard / spread.mean_w, _SCATTER)


def _over_range(row: RowRecord) -> float | None:
    power = row.results.get("power_w")
    if power is None or not row.seconds:
        return None
    return _left(power.over_range_s / row.seconds, _OVER)


def _under_range(row: RowRecord) -> float | None:
    currents = {part.channel.source: part for part in row.samples("I", "A")}
    shares = [
        float(currents[part.channel.source].values.mean() / part.values.mean())
        for part in row.samples("I_range", "A")
        if part.channel.source in currents
        and currents[part.channel.source].values.size
        and part.values.size
        and part.values.mean() > 0
    ]
    if not shares:
        return None
    return WHOLE * min(1.0, max(0.0, min(shares) / (2 * _RANGE_USED)))


def _foreign(row: RowRecord) -> float | None:
    parts = [
        _left(value, most)
        for name, most in MOST_FOREIGN.items()
        if (value := row.value(name)) is not None
    ]
    return min(parts, default=None)


def _steady(row: RowRecord) -> float | None:
    names = [n for n in row.results if n.startswith("steady.") or n == BY_FIO]
    judged = [row.value(name) for name in names]
    return (WHOLE if all(judged) else 0.0) if judged else None


def _cache(row: RowRecord) -> float | None:
    if any(name.startswith("cached_") for name in row.results):
        return 0.0
    buffered = row.value("buffered")
    return None if buffered is None else WHOLE / 2 if buffered else WHOLE


def _clock(row: RowRecord) -> float | None:
    figure = figure_of(row, Measure.CLOCK)
    return _left(figure, _CLOCK_MS) if isinstance(figure, float) else None


_OF_ROW: Mapping[Part, Callable[[RowRecord], float | None]] = {
    Part.COVERAGE: _coverage,
    Part.OVER_RANGE: _over_range,
    Part.UNDER_RANGE: _under_range,
    Part.FOREIGN: _foreign,
    Part.STEADY: _steady,
    Part.CACHE: _cache,
    Part.CLOCK: _clock,
}
