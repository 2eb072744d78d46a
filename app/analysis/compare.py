"""Two or more sessions side by side: rows matched by label, with differences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from app.analysis.derived import assumed_in
from app.analysis.row_load import LoadDifference, RowLoad, load_difference
from app.analysis.setup_facts import Facts
from app.analysis.significance import Doubt, Judged, Judgement, judge
from app.plan.cleanness import marks_of
from instruments.metric import BY_DIRECTION, METRICS, READ, WRITE, Metric

_COMPARED = tuple(metric for metric in METRICS if metric.is_compared)
_TOTALS = frozenset(("energy_wh", "files", "errors"))
"""They grow with the time that a row runs."""
_SHARES = {
    name: frozenset(one.name for one in BY_DIRECTION[name]) for name in (READ, WRITE)
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of one row in every session."""

    metric: Metric
    # one value a session, None where it was not measured
    values: tuple[float | None, ...]
    # for each session whether the value is made of too few samples
    thin: tuple[bool, ...] = ()
    # for each session whether it ran the load of the first one, if known
    like: tuple[bool | None, ...] = ()
    # for each session whether it is at the tariff, PUE and duty of the first one
    same_terms: tuple[bool, ...] = ()
    # for each further session what can be said of its difference to the first one
    judged: tuple[Judged | None, ...] = ()

    def against_first(self, index: int) -> float | None:
        """Get the difference of a session to the first one."""
        first, other = self.values[0], self.values[index]
        return None if first is None or other is None else other - first

    def judgement(self, index: int) -> Judged | None:
        """Get what can be said of the difference of a session to the first one."""
        return self.judged[index - 1] if self.judged else None

    def has_same_terms(self, index: int) -> bool:
        """Tell whether a session is at the tariff, PUE and duty of the first one."""
        return self.same_terms[index : index + 1] != (False,)

    def percent(self, index: int) -> float | None:
        """Get the difference of a session to the first one in percent of it.

        None where a percentage means nothing, as of another load.
        """
        if not self.metric.has_ratio or self.like[index : index + 1] == (False,):
            return None
        if not self.has_same_terms(index):
            return None
        difference, first = self.against_first(index), self.values[0]
        if difference is None or first is None or first <= 0:
            return None
        return 100 * difference / first


Compared = tuple[str, tuple[Difference, ...]]
"""A row: its label, and its differences."""

Doubts = Mapping[str, Mapping[str, Doubt]]
"""How well values are known, by the label of the row and the name of the metric."""


@dataclass(frozen=True, slots=True)
class About:
    """What has to be known of one session before its values are compared."""

    verdict: str = ""  # its verdict, or its state
    # whether it was cut off or changed after the run
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what is missing, thin or went wrong
    dut: str = ""  # what was measured
    bench: str = ""  # the bench it was measured on
    meters: int = 0  # how many power meters there were at it
    recording: str = ""  # boot, time and name of its start: of one recording alone
    # what it says of its set-up
    facts: Facts = field(default_factory=Facts)
    # what each load host or device did, a row for each of them and each step
    parts: Sequence[Mapping[str, object]] = ()
    currency: str = ""  # what its prices are in
    # by the name of a figure of a year or a price, what it is at
    terms: Mapping[str, str] = field(default_factory=dict)
    duty: float = 1.0  # share of the year under load; the device idles in the rest
    unclean: str = ""  # how many rows are not clean; "" where all are

    @property
    def judged(self) -> str:
        """The verdict, with how many rows are not clean."""
        return ", ".join(filter(None, (self.verdict, self.unclean)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several sessions side by side."""

    names: tuple[str, ...]  # one name a session, all different
    simulated: tuple[bool, ...]  # for each session whether it is simulated
    # (label, differences), in the order of the first session; rows that only others
    # have come after
    rows: tuple[Compared, ...]
    # of each row the step's verdict or outcome in every session, "" where a session
    # has no such row
    verdicts: tuple[tuple[str, ...], ...] = ()
    # of each row in what the loads of the sessions differ
    loads: tuple[LoadDifference, ...] = ()
    about: tuple[About, ...] = ()  # what has to be known of each session
    # sentences that say at which size which session is the faster one
    crossings: tuple[str, ...] = ()
    # of rows that are what one load host did: the label of its step, and the host
    hosts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # the verdicts as lists and reports write them, such as "PASS, not clean"
    judged: tuple[tuple[str, ...], ...] = ()


def compare_tables(
    names: Sequence[str],
    tables: Sequence[Sequence[Mapping[str, object]]],
    about: Sequence[About] = (),
    loads: Sequence[Mapping[str, RowLoad]] = (),
    doubts: Sequence[Doubts] = (),
) -> Comparison:
    """Match the rows of report tables by their labels.

    Args:
        names: What the sessions are called.
        tables: Their rows, as report_table has them.
        about: What has to be known of each session.
        loads: What ran in each row, by its label.
        doubts: How well the values of each session are known.
    """
    by_label = [{str(row["step"]): row for row in table} for table in tables]
    currencies = [one.currency for one in about]
    labels = list(dict.fromkeys(chain.from_iterable(by_label)))
    rows, differing = [], []
    for label in labels:
        load = load_difference([one.get(label) for one in loads])
        own = [rows_of.get(label) for rows_of in by_label]
        differing.append(load)
        found = _differences(own, load, currencies)
        rows.append((label, _without_repeats(found)))
    rows = _judged(rows, doubts)
    simulated = tuple(any(bool(r.get("simulated")) for r in t) for t in tables)
    verdicts = tuple(
        tuple(_verdict(rows_of.get(label)) for rows_of in by_label) for label in labels
    )
    judged = tuple(
        tuple(_judged_word(rows_of.get(label)) for rows_of in by_label)
        for label in labels
    )
    return Comparison(
        *(tuple(names), simulated, tuple(rows), verdicts),
        *(tuple(differing), tuple(about)),
        judged=judged,
    )


def _differences(
    rows: Sequence[Mapping[str, object] | None],
    load: LoadDifference,
    currencies: Sequence[str],
) -> list[Difference]:
    """Get each metric that any session has in a row; prices of one currency alone."""
    differences = []
    shared = _shared(currencies)
    for metric in (_priced(one, shared) for one in _COMPARED):
        values = tuple(_value(row, metric.name) for row in rows)
        if metric.is_money and any(currencies):
            priced = zip(values, currencies, strict=True)
            values = tuple(value if own == shared else None for value, own in priced)
        if any(value is not None for value in values):
            thin = tuple(_is_thin(row, metric.name) for row in rows)
            like = load.as_long if metric.name in _TOTALS else load.like
            terms = [row and assumed_in(metric.name, row) for row in rows]
            same = tuple(None in (terms[0], one) or one == terms[0] for one in terms)
            differences.append(Difference(metric, values, thin, like, same))
    return differences


def _priced(metric: Metric, currency: str | None) -> Metric:
    if not metric.is_money or not currency:
        return metric
    return replace(metric, head=f"{metric.head} ({currency})")


def _shared(currencies: Sequence[str]) -> str | None:
    """Get the currency that most sessions with prices share; None where none do.

    It is "" where no session says any.
    """
    counts = Counter(filter(None, currencies)).most_common() or [("", 0)]
    (first, count), *others = counts
    return None if count == 1 and others else first


def _judged(rows: Sequence[Compared], doubts: Sequence[Doubts]) -> list[Compared]:
    """Judge each metric of each further session, over all rows that have it."""
    if not doubts:
        return list(rows)
    of_metric: dict[str, list[tuple[str, Difference]]] = {}
    for label, differences in rows:
        for one in differences:
            of_metric.setdefault(one.metric.name, []).append((label, one))
    found = {
        (label, name): judgements
        for name, pairs in of_metric.items()
        for (label, _), judgements in zip(
            pairs, _judged_metric(name, pairs, doubts), strict=True
        )
    }
    return [
        (
            label,
            tuple(
                replace(one, judged=found[label, one.metric.name])
                for one in differences
            ),
        )
        for label, differences in rows
    ]


def _judged_metric(
    name: str, rows: Sequence[tuple[str, Difference]], doubts: Sequence[Doubts]
) -> list[tuple[Judged | None, ...]]:
    """Judge a metric of each further session in each row; all rows count together."""
    of_sessions = []
    for other in range(1, len(doubts)):
        changes = [
            one.against_first(other) if one.has_same_terms(other) else None
            for _, one in rows
        ]
        first, second = (
            [known.get(label, {}).get(name) for label, _ in rows]
            for known in (doubts[0], doubts[other])
        )
        judged = judge(list(zip(changes, first, second, strict=True)))
        for place, (_, one) in enumerate(rows):
            if not one.has_same_terms(other) and one.against_first(other) is not None:
                judged[place] = Judged(Judgement.OTHER_TERMS)
        of_sessions.append(judged)
    return list(zip(*of_sessions, strict=True))


def _without_repeats(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """Leave out reads and writes where only one is there: it is all of the load."""
    shares = [
        names
        for names in _SHARES.values()
        if any(
            difference.metric.name in names and any(difference.values)
            for difference in differences
        )
    ]
    repeats = frozenset[str]().union(*_SHARES.values()) if len(shares) < 2 else ()
    return tuple(
        difference
        for difference in differences
        if difference.metric.name not in repeats
    )


def _verdict(row: Mapping[str, object] | None) -> str:
    return str(row.get("verdict") or row.get("outcome") or "") if row else ""


def _judged_word(row: Mapping[str, object] | None) -> str:
    if row and (lost := row.get("lost")):  # a load host was, and in what says more
        return str(lost)
    marks = marks_of(row) if row and row.get("verdict") else ""
    return f"{_verdict(row)}{marks}"


def _is_thin(row: Mapping[str, object] | None, key: str) -> bool:
    return row is not None and key in str(row.get("thin") or "").split()


def _value(row: Mapping[str, object] | None, key: str) -> float | None:
    value = row.get(key) if row is not None else None
    return float(value) if isinstance(value, int | float) else None
