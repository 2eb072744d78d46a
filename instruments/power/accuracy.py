"""What is known of the accuracy of a power analyser: limits of error, term by term."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from instruments.power.options import USUAL_PERCENT, USUAL_SOURCE

Floats = npt.NDArray[np.float64]

USUAL_CREST_FACTOR = 3.0


class TermKind(StrEnum):
    """What a term of the limit of error goes with."""

    READING = "reading"
    RANGE = "range"
    PHASE = "phase"
    FREQUENCY = "frequency"
    TEMPERATURE = "temperature"
    AGE = "age"


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the limit of error of active power.

    Attributes:
        kind: What it goes with.
        amount: In percent of the reading or range, or in degrees; see
            resources/accuracy/hmc8015.toml.
        source: Where it comes from, for the report.
        verified: Whether somebody has read it there.
        low: From where on, in Hz or degC, nothing is added.
        high: Up to where, in Hz, degC or months, nothing is added.
    """

    kind: TermKind
    amount: float
    source: str
    verified: bool = False
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the samples of a window were measured under; arrays have one row a sample.

    Attributes:
        power: Active power in W.
        ranges: Voltage range x current range in VA; None where it was not recorded.
        apparent: Apparent power in VA; None where it was not recorded.
        crest_factor: The meter's setting.
        frequency: Of the mains in Hz; None where it was not recorded.
        temperature: Of the room in degC; None where it is not known.
        age_days: Since the calibration; None where its day is not known.
        volts: Mean voltage and mean voltage range in V; None where not recorded.
        amperes: Mean current and mean current range in A; None where not recorded.
    """

    power: Floats
    ranges: Floats | None = None
    apparent: Floats | None = None
    crest_factor: float = USUAL_CREST_FACTOR
    frequency: Floats | None = None
    temperature: float | None = None
    age_days: float | None = None
    volts: tuple[float, float] | None = None
    amperes: tuple[float, float] | None = None


def limit_of(term: Term, under: Conditions) -> Floats | None:
    """Compute what a term adds to the limit of error of each sample, in W.

    Returns:
        None where what it goes with is not known.
    """
    return _LIMITS[term.kind](term, under)


def _reading(term: Term, under: Conditions) -> Floats:
    return np.asarray(term.amount / 100 * np.abs(under.power))


def _range(term: Term, under: Conditions) -> Floats | None:
    if under.ranges is None:
        return None
    # A range covers peaks twice as high with a crest factor of 6, and its share is
    # taken twice (assumed).
    share = term.amount / 100 * under.crest_factor / USUAL_CREST_FACTOR
    return np.asarray(share * under.ranges)


def _phase(term: Term, under: Conditions) -> Floats | None:
    if under.apparent is None:
        return None
    # dP = S sin(phi) dphi, and S sin(phi) is the reactive power.
    reactive = np.sqrt(np.maximum(0, under.apparent**2 - under.power**2))
    return np.asarray(np.radians(term.amount) * reactive)


def _frequency(term: Term, under: Conditions) -> Floats | None:
    if under.frequency is None:
        return None
    outside = (under.frequency < term.low) | (under.frequency > term.high)
    return np.where(outside, _reading(term, under), 0.0)


def _temperature(term: Term, under: Conditions) -> Floats | None:
    if under.temperature is None:
        return None
    beyond = max(term.low - under.temperature, under.temperature - term.high, 0.0)
    return _reading(term, under) * beyond


def _age(term: Term, under: Conditions) -> Floats | None:
    if under.age_days is None:
        return None
    years = max(0.0, under.age_days / 365.25 - term.high / 12)
    return _reading(term, under) * years


_LIMITS: Mapping[TermKind, Callable[[Term, Conditions], Floats | None]] = {
    TermKind.READING: _reading,
    TermKind.RANGE: _range,
    TermKind.PHASE: _phase,
    TermKind.FREQUENCY: _frequency,
    TermKind.TEMPERATURE: _temperature,
    TermKind.AGE: _age,
}


def with_bench(terms: Sequence[Term], keys: Mapping[str, object]) -> tuple[Term, ...]:
    """Put in what a bench says of its meter in place of what is known of the model.

    Args:
        terms: Of the model.
        keys: The meter's keys in bench.toml: accuracy_reading and accuracy_range in %,
            accuracy_source. What a driver put in for want of them says nothing of its
            own: the model has it, and whether somebody has read it.
    """
    by_kind = {term.kind: term for term in terms}
    given = keys.get("accuracy_source", USUAL_SOURCE)
    is_usual = given == USUAL_SOURCE
    source = "the bench" if is_usual else str(given)
    for kind in (TermKind.READING, TermKind.RANGE):
        percent = keys.get(f"accuracy_{kind}")
        if isinstance(percent, int | float) and (
            not is_usual or percent != USUAL_PERCENT
        ):
            is_read = not (is_usual or source.endswith("unverified"))
            by_kind[kind] = Term(kind, float(percent), source, is_read)
    return tuple(by_kind.values())
