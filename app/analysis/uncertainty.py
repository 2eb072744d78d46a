"""How far off the power of a step may be: by what its meter promises, and by scatter.

A limit of error becomes a standard uncertainty by dividing by sqrt(3), as any value
within it is as likely as another (GUM 4.3.7); terms of different causes are added as
squares (GUM 5.1.2). The error of a meter is the same in each sample, so it does not
shrink with their number.
"""

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

import numpy as np

from app.analysis.ambient import ambient_channels, chosen_ambient
from app.analysis.feeds import nearest, result_of, summed, together
from app.analysis.peak import highest_window
from app.analysis.power import PEAK_WINDOW_S
from app.analysis.samples import Floats, Samples, channels_of, samples_of
from app.analysis.scatter import (
    mean_uncertainty,
    random_of_mean,
    unseen_by_counter,
    unseen_in_mean,
)
from app.bench.accuracy import FOLDER, fixed_ranges, parse_accuracy
from app.record.store import Result, Session, SourceRow, Window
from instruments.errors import BadInput
from instruments.files.foreign_text import stored_toml
from instruments.power.accuracy import (
    USUAL_CREST_FACTOR,
    Conditions,
    Term,
    TermKind,
    limit_of,
    with_bench,
)
from instruments.reading import SECOND, Channel
from resources import read_text

COVERAGE = 2.0
"""Expanded uncertainties are twice the standard ones: some 95 % (GUM 6.3.3)."""

_ENERGIES = ("energy_wh", "energy_by_mean_wh")
_LIKE_POWER = ("power_w", "power_peak_w", *_ENERGIES)
"""What is proportional to power."""

_FILE = re.compile(r"[a-z0-9_]{1,40}\.toml")


@dataclass(frozen=True, slots=True)
class BudgetTerm:
    """One term of the uncertainty of a mean power.

    Attributes:
        name: What it goes with.
        limit_w: Its limit of error in W, all meters of the device together.
        source: Where that comes from.
        verified: Whether somebody has read it there.
    """

    name: str
    limit_w: float
    source: str
    verified: bool

    @property
    def standard_w(self) -> float:
        """Its standard uncertainty in W."""
        return self.limit_w / math.sqrt(3)

    @property
    def told(self) -> str:
        """Its source, and that nobody has read it there where that is so."""
        is_told = self.verified or self.source.endswith("unverified")
        return self.source + ", unverified" * (not is_told)


@dataclass(frozen=True, slots=True)
class Budget:
    """The uncertainty of the mean power of one device over a window.

    Attributes:
        power: The samples of each meter.
        terms: What the meters promise.
        unknown: Kinds of terms of which nothing is known: they are not included.
        scatter_w: Standard uncertainty of the mean by scatter; None for few samples.
        unseen_w: The same by what is not seen between readings.
        beside: Both of other results by their names, in the unit of each; of a peak
            what is not seen alone.
        apparent_share: Relative standard uncertainty of the mean apparent power by the
            meters; None where voltage, current or their ranges were not recorded.
    """

    power: Sequence[Samples]
    terms: Sequence[BudgetTerm]
    unknown: Sequence[str]
    scatter_w: float | None
    unseen_w: float | None = None
    beside: Mapping[str, float | None] = field(default_factory=dict)
    apparent_share: float | None = None

    @property
    def limit_w(self) -> float:
        """The limit of error in W, all terms at their worst."""
        return sum(term.limit_w for term in self.terms)

    @property
    def meter_w(self) -> float:
        """The standard uncertainty in W that all rows of these meters share."""
        return math.sqrt(sum(term.standard_w**2 for term in self.terms))

    @property
    def source(self) -> str:
        """Where the terms come from, in a line."""
        return "; ".join(dict.fromkeys(term.told for term in self.terms))


def budget_of(
    session: Session, feeds: Sequence[Channel], window: Window
) -> Budget | None:
    """Work out the uncertainty of the mean power of one device.

    Limits of several feeds are added up at their worst.

    Args:
        session: The session.
        feeds: All channels of the meters of one device.
        window: Start and end in monotonic ns.

    Returns:
        None where there is no power, or nothing is known of one of its meters.
    """
    sources = {source.name: source for source in session.sources()}
    power = [samples_of(session, c, window) for c in channels_of(feeds, "P", "W")]
    found: dict[str, list[BudgetTerm]] = {}
    unknown: set[str] = set()
    shares: list[float | None] = []
    for part in power:
        meter = [c for c in feeds if c.source == part.channel.source]
        errors = _errors(session, sources[part.channel.source], meter, part, window)
        if errors is None:
            return None
        for limit in errors.limits:
            found.setdefault(limit.name, []).append(limit)
        unknown |= errors.unknown
        shares.append(errors.apparent_share)
    if not found:
        return None
    summed = [
        replace(each[0], limit_w=sum(term.limit_w for term in each))
        for each in found.values()
    ]
    known = [share for share in shares if share is not None]
    return Budget(
        power,
        summed,
        sorted(unknown),
        mean_uncertainty([part.values for part in together(power)]),
        unseen_in_mean(power),
        _beside(session, feeds, power, window),
        max(known) if len(known) == len(power) else None,
    )


@dataclass(frozen=True, slots=True)
class _Errors:
    """What is known of the errors of one meter over a window."""

    limits: Sequence[BudgetTerm]
    unknown: Set[str]  # kinds of terms without a limit
    apparent_share: float | None  # see _apparent_share


def _errors(
    session: Session,
    source: SourceRow,
    channels: Sequence[Channel],
    power: Samples,
    window: Window,
) -> _Errors | None:
    """Get the limits of error of one meter; None where too little is known of it."""
    terms = terms_of(session, source)
    if not terms or not power.values.size:
        return None
    under = _conditions(session, source, channels, power, window)
    limits = [(term, limit_of(term, under)) for term in terms]
    without = {term.kind for term, limit in limits if limit is None}
    if TermKind.RANGE in without:
        return None  # The largest term of a small load.
    known = [
        BudgetTerm(term.kind, float(limit.mean()), term.source, term.verified)
        for term, limit in limits
        if limit is not None
    ]
    unknown = without | (set(TermKind) - {term.kind for term in terms})
    return _Errors(known, set(map(str, unknown)), _apparent_share(terms, under))


def terms_of(session: Session, source: SourceRow) -> tuple[Term, ...]:
    """Get what was known of a meter when the session was recorded."""
    name = f"{source.driver}.toml"
    try:
        text = session.artefact(f"{FOLDER}/{name}").decode("utf-8", "replace")
    except BadInput:  # A session of before such files were kept.
        if not _FILE.fullmatch(name):  # A foreign file may call a driver anything.
            return ()
        try:
            text = read_text(FOLDER, name)
        except OSError:
            return ()
    try:
        return with_bench(parse_accuracy(text, name, source.model), source.keys)
    except BadInput:  # The pre-flight has warned of it.
        return ()


def error_results(budget: Budget | None, window: Window) -> list[Result]:
    """Make the result that is the limit of error of the mean power."""
    if budget is None:
        return []
    parts = budget.power
    note = budget.source
    return [result_of("power_error_w", budget.limit_w, "W", window, parts, note=note)]


def with_uncertainty(results: Sequence[Result], budget: Budget | None) -> list[Result]:
    """Put standard uncertainties to the results of one device's power.

    What is proportional to power has its relative uncertainty by the meter: peaks and
    energies. Readings of P and S share their errors of voltage and current, so that
    lambda and S have those of both, at their worst. Energy does not scatter, but what
    is not seen between readings counts: of power, or of its integrator at both edges of
    the window, as it does beside the scatter of a mean power that is energy over time.

    Args:
        results: Of one device, by the names of report_table.
        budget: Of the device; None where nothing is known of its meters.
    """
    power = next((r.value for r in results if r.name == "power_w"), None)
    if budget is None or not power:
        return list(results)
    share = budget.meter_w / abs(power)
    apparent = share if budget.apparent_share is None else budget.apparent_share
    shares = dict.fromkeys(_LIKE_POWER, share)
    if budget.apparent_share is not None:
        shares["apparent_va"] = apparent
        shares["lambda"] = math.hypot(share, apparent)
    return [
        replace(
            result,
            u_meter=shares[result.name] * abs(result.value),
            u_scatter=_not_of_meter(result, budget),
        )
        if result.name in shares and result.value is not None
        else result
        for result in results
    ]


def _not_of_meter(result: Result, budget: Budget) -> float | None:
    """Get the standard uncertainty of a result that its meter's errors are no part of.

    What an integrator counted between two readings of power is seen.
    """
    scatter_w = budget.scatter_w if result.name == "power_w" else None
    if result.resolution:
        return math.hypot(unseen_by_counter(result.resolution), scatter_w or 0.0)
    if scatter_w is not None:
        return math.hypot(scatter_w, budget.unseen_w or 0.0)
    if result.name in _ENERGIES and budget.unseen_w is not None:
        return budget.unseen_w * (result.end_ns - result.start_ns) / SECOND / 3600
    return budget.beside.get(result.name)


def _beside(
    session: Session,
    feeds: Sequence[Channel],
    power: Sequence[Samples],
    window: Window,
) -> dict[str, float | None]:
    """Get what is not of the meter in the uncertainties of a peak, of S and of lambda.

    A peak is what was highest, and scatters about nothing; but how high it was is not
    seen between the readings that it is the mean of. Lambda is a ratio of means: its
    readings differ from it by (P - lambda S) over the mean of S.
    """
    found: dict[str, float | None] = {}
    peak = highest_window([(part.times, part.values) for part in power], PEAK_WINDOW_S)
    if peak is not None:
        at = [replace(one, window=peak.window) for one in power]
        around = [one.holding(one.all_times, one.all_values) for one in at]
        found["power_peak_w"] = unseen_in_mean(around)
    apparent = [samples_of(session, c, window) for c in channels_of(feeds, "S", "VA")]
    both = together([*power, *apparent])
    watts, beside = summed(both[: len(power)]), summed(both[len(power) :])
    if watts is None or beside is None:
        return found
    found["apparent_va"] = random_of_mean(apparent)
    volt_amperes = beside.all_values[nearest(beside.all_times, watts.all_times)]
    mean = float(watts.holding(watts.all_times, volt_amperes).weighed.mean)
    if mean > 0:
        ratio = watts.weighed.mean / mean
        off = (watts.all_values - ratio * volt_amperes) / mean
        found["lambda"] = random_of_mean([watts.holding(watts.all_times, off)])
    return found


def _apparent_share(terms: Sequence[Term], under: Conditions) -> float | None:
    """Get the relative standard uncertainty of S = U I by one meter.

    Its terms of reading and range are taken to hold for voltage and current alike, as
    data sheets give them for U, I and P.
    """
    if under.volts is None or under.amperes is None:
        return None
    total = 0.0
    for value, ranged in (under.volts, under.amperes):
        if not value > 0:
            return None
        for term in terms:
            if term.kind is TermKind.READING:
                total += (term.amount / 100) ** 2
            elif term.kind is TermKind.RANGE:
                crest = under.crest_factor / USUAL_CREST_FACTOR
                total += (term.amount / 100 * crest * ranged / value) ** 2
    return math.sqrt(total / 3)


def _conditions(
    session: Session,
    source: SourceRow,
    own: Sequence[Channel],
    power: Samples,
    window: Window,
) -> Conditions:
    """Gather what the samples of one meter were measured under."""

    def at(quantity: str, unit: str) -> Floats | None:
        for channel in channels_of(own, quantity, unit):
            found = samples_of(session, channel, window)
            if found.values.size:
                places = np.searchsorted(found.times, power.times, side="right") - 1
                return found.values[np.maximum(places, 0)]
        return None

    voltage, current = at("U_range", "V"), at("I_range", "A")
    if voltage is None and current is None:
        fixed = fixed_ranges(source.driver, source.keys, _label_at(session, window[0]))
        if fixed is not None:
            voltage, current = (np.full(power.times.size, one) for one in fixed)
    volts, amperes = at("U", "V"), at("I", "A")
    crest = source.keys.get("crest_factor", USUAL_CREST_FACTOR)
    return Conditions(
        power.values,
        None if voltage is None or current is None else voltage * current,
        at("S", "VA"),
        float(crest) if isinstance(crest, int | float) else USUAL_CREST_FACTOR,
        at("f", "Hz"),
        _room(session, window),
        _age_days(session, source),
        _means(volts, voltage),
        _means(amperes, current),
    )


def _room(session: Session, window: Window) -> float | None:
    """Get the mean temperature around the bench in degC; None where none was read."""
    chosen = chosen_ambient(session.info.bench)
    channels = ambient_channels(session.channels(), chosen)
    means = [samples_of(session, channel, window).mean for channel in channels]
    known = [mean for mean in means if mean is not None]
    return sum(known) / len(known) if known else None


def _label_at(session: Session, moment: int) -> str:
    """Get the label in the plan of the step that ran at a moment, "" for none."""
    for step in session.steps():
        start, end = step.start_ns, step.end_ns
        if start is not None and start <= moment and (end is None or moment < end):
            return str(stored_toml(step.plan).get("label", step.label))
    return ""


def _means(values: Floats | None, ranges: Floats | None) -> tuple[float, float] | None:
    if values is None or ranges is None:
        return None
    return float(values.mean()), float(ranges.mean())


def _age_days(session: Session, source: SourceRow) -> float | None:
    day = source.keys.get("calibrated")
    try:
        day = day if type(day) is date else date.fromisoformat(str(day or ""))
    except ValueError:
        return None
    began = datetime.fromtimestamp(session.info.realtime_ns / SECOND, UTC)
    return float((began.date() - day).days)
