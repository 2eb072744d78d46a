"""Whether values of two sessions differ by more than chance and meters explain."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.analysis.repeat import quantile
from app.analysis.uncertainty import COVERAGE

LEVEL = math.erf(COVERAGE / math.sqrt(2))
"""Confidence that belongs to the coverage factor 2: 95.45 % (GUM table G.2)."""


class Judgement(StrEnum):
    """What can be said of a difference."""

    DISTINGUISHABLE = "distinguishable"
    NOT_DISTINGUISHABLE = "not distinguishable"
    ONE_RUN = "of one run each"  # how far runs scatter is not known
    NO_LIMITS = "meter error not known"
    OTHER_TERMS = "at other terms"  # figures by another tariff, PUE or duty


@dataclass(frozen=True, slots=True)
class Doubt:
    """How far off a value may be, in its unit.

    Attributes:
        meter: Standard uncertainty by the meters, 0 of what a program counts; None
            where it is not known.
        scatter: Standard uncertainty by scatter; None where it is not known.
        meters: Which meters these are; none where they cannot be told from others.
        freedom: Degrees of freedom of the scatter of runs; infinite within one run.
        is_offset: Whether the error of a meter is an offset, as of dB and degrees: it
            is the same in two values of the same meters, also where it is not known.
    """

    meter: float | None
    scatter: float | None
    meters: frozenset[str] = frozenset()
    freedom: float = math.inf
    is_offset: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """What can be said of one difference.

    Attributes:
        judgement: What it is.
        uncertainty: Its expanded uncertainty, in the unit of the values.
        p: How likely a difference as large is without any cause, after `holm`.
    """

    judgement: Judgement
    uncertainty: float | None = None
    p: float | None = None


def judgement_word(judged: Judged | None) -> str:
    """Say what a difference is; "" where there is none to judge."""
    return "" if judged is None else str(judged.judgement)


WORDS = max(map(len, Judgement))
"""Letters of the longest of these words."""

Pair = tuple[float | None, Doubt | None, Doubt | None]
"""A difference, and how well both of its values are known."""


def judge(pairs: Sequence[Pair]) -> list[Judged | None]:
    """Judge the differences of one metric in all rows that are compared.

    Returns:
        None where a value lacks, or nothing at all is known of its uncertainty.
    """
    found = [_judged(*pair) for pair in pairs]
    adjusted = iter(holm([one.p for one in found if one and one.p is not None]))
    for place, one in enumerate(found):
        if one is not None and one.p is not None:
            p = next(adjusted)
            is_same = p >= 1 - LEVEL
            word = Judgement.NOT_DISTINGUISHABLE if is_same else one.judgement
            found[place] = replace(one, p=p, judgement=word)
    return found


def holm(chances: Sequence[float]) -> list[float]:
    """Adjust probabilities for their number.

    With m of them the k-th smallest is multiplied by m - k + 1, and none becomes less
    than a smaller one: at a level a, one difference or more is found where there is
    none with a probability of at most a (Holm, "A simple sequentially rejective
    multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
    """
    adjusted, least = [0.0] * len(chances), 0.0
    for done, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        least = max(least, min(1.0, (len(chances) - done) * chances[place]))
        adjusted[place] = least
    return adjusted


def _judged(
    difference: float | None, first: Doubt | None, other: Doubt | None
) -> Judged | None:
    """Judge one difference by itself.

    Scatter adds as squares (GUM 5.1.2). So do the errors of different meters; that of
    one meter is the same in both values, of which only the difference of the two stays
    (GUM 5.2.2, correlation 1). Where both are means of runs this is Welch's t, with
    the degrees of freedom of Welch and Satterthwaite, in which a limit of error counts
    with infinitely many (Welch, Biometrika 34, 1947; GUM G.4.1).
    """
    if difference is None or first is None or other is None:
        return None
    meter = _meter_of(first, other)
    if meter is None:
        return Judged(Judgement.NO_LIMITS)
    scatters = (first.scatter or 0.0, other.scatter or 0.0)
    standard = math.hypot(meter, *scatters)
    if first.scatter is None or other.scatter is None:
        # What is known is but a part of it; more can only hide the difference.
        known = COVERAGE * standard
        if known and abs(difference) <= known:
            return Judged(Judgement.NOT_DISTINGUISHABLE, known)
        return Judged(Judgement.ONE_RUN)
    parts = zip(scatters, (first.freedom, other.freedom), strict=True)
    below = sum(scatter**4 / freedom for scatter, freedom in parts)
    freedom = standard**4 / below if below else math.inf
    expanded = _factor(freedom) * standard
    # Of two counts without any uncertainty only equal ones are the same.
    p = float(not difference)
    if standard:
        p = _chance(abs(difference) / standard, freedom)
    return Judged(Judgement.DISTINGUISHABLE, expanded, p)


def _meter_of(first: Doubt, other: Doubt) -> float | None:
    """Get the standard uncertainty of a difference by its meters; None if not known."""
    is_one = bool(first.meters) and first.meters == other.meters
    if is_one and first.is_offset and other.is_offset:
        return 0.0
    if first.meter is None or other.meter is None:
        return None
    if is_one:
        return first.meter - other.meter
    return math.hypot(first.meter, other.meter)


def _factor(freedom: float) -> float:
    # (1 + level) / 2: a difference may be beyond either end.
    return COVERAGE if math.isinf(freedom) else quantile((1 + LEVEL) / 2, freedom)


def _chance(t: float, freedom: float) -> float:
    """Get the probability of a value further from 0 than t, on either side."""
    if math.isinf(freedom):
        return math.erfc(t / math.sqrt(2))
    # Only here: every command that shows a session would wait for scipy.
    from scipy.special import stdtr  # type: ignore[import-untyped]  # noqa: PLC0415

    return 2 * float(stdtr(freedom, -t))
