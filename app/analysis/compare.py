"""Two or more sessions side by side: rows matched by label, with differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from string import ascii_uppercase

from app.analysis.row_load import LoadDifference, RowLoad, load_difference
from app.analysis.significance import LEVEL, Doubt, Judged, Judgement, judge
from instruments.metric import BY_DIRECTION, METRICS, READ, WRITE, Metric
from instruments.sizes import counted

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
    # for each further session what can be said of its difference to the first one
    judged: tuple[Judged | None, ...] = ()

    def against_first(self, index: int) -> float | None:
        """Get the difference of a session to the first one."""
        first, other = self.values[0], self.values[index]
        return None if first is None or other is None else other - first

    def judgement(self, index: int) -> Judged | None:
        """Get what can be said of the difference of a session to the first one."""
        return self.judged[index - 1] if self.judged else None

    def percent(self, index: int) -> float | None:
        """Get the difference of a session to the first one in percent of it.

        None where a percentage means nothing, as of another load.
        """
        if not self.metric.has_ratio or self.like[index : index + 1] == (False,):
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
    # whether it was cut off, changed after the run, or has unclean rows
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what is missing, thin or went wrong
    dut: str = ""  # what was measured
    bench: str = ""  # the bench it was measured on
    meters: int = 0  # how many power meters there were at it
    recording: str = ""  # boot, time and name of its start: of one recording alone
    # what it says of its set-up, by what it is of
    facts: Mapping[str, str] = field(default_factory=dict)


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


def setups_told(comparison: Comparison) -> str:
    """Say what was measured, and how, where that is not the same in all sessions.

    Differences between them are then no doing of the device alone.
    """
    about = comparison.about
    if len({(one.dut, one.bench, one.meters) for one in about}) < 2:
        return ""
    benches = len({one.bench for one in about}) > 1
    sentences = []
    for letter, one in zip(ascii_uppercase, about, strict=False):
        meters = counted(one.meters, "meter") if one.meters else "no meters"
        place = f"on {one.bench}" if benches and one.bench else ""
        device = " ".join(filter(None, (one.dut, place)))
        sentences.append(f"{letter}: {', '.join(filter(None, (device, meters)))}")
    return "; ".join(sentences)


def same_recording_told(comparison: Comparison) -> str:
    """Say which sessions are one recording, such as a copy; "" where none are."""
    letters: dict[str, list[str]] = {}
    for letter, one in zip(ascii_uppercase, comparison.about, strict=False):
        letters.setdefault(one.recording, []).append(letter)
    letters.pop("", None)
    return "; ".join(
        f"{listed(same)} are copies of the same recording"
        for same in letters.values()
        if len(same) > 1
    )


def nothing_common_told(comparison: Comparison) -> str:
    """Say that no row is there twice, and what there is; "" where some are.

    Rows are matched by their labels.
    """
    own: list[list[str]] = [[] for _ in comparison.names]
    for (label, _), verdicts in zip(comparison.rows, comparison.verdicts, strict=True):
        having = [place for place, one in enumerate(verdicts) if one]
        if len(having) > 1:
            return ""
        for place in having:
            own[place].append(label)
    told = (
        f"{letter} has {listed(labels)}"
        for letter, labels in zip(ascii_uppercase, own, strict=False)
    )
    return (
        f"They have no step with the same label: {'; '.join(told)}. "
        "Choose sessions of one campaign to see differences."
    )


_MOST = 4
"""This many labels are named."""


def listed(labels: Sequence[str]) -> str:
    """Name the first few of these labels, and count the others."""
    more = f" and {len(labels) - _MOST} more" if len(labels) > _MOST else ""
    return f"{', '.join(labels[:_MOST])}{more}" if labels else "none"


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
    labels = list(dict.fromkeys(chain.from_iterable(by_label)))
    rows, differing = [], []
    for label in labels:
        load = load_difference([one.get(label) for one in loads])
        own = [rows_of.get(label) for rows_of in by_label]
        differing.append(load)
        rows.append((label, _without_repeats(_differences(own, load))))
    rows = _judged(rows, doubts)
    simulated = tuple(any(bool(r.get("simulated")) for r in t) for t in tables)
    verdicts = tuple(
        tuple(_verdict(rows_of.get(label)) for rows_of in by_label) for label in labels
    )
    return Comparison(
        *(tuple(names), simulated, tuple(rows), verdicts),
        *(tuple(differing), tuple(about)),
    )


def _differences(
    rows: Sequence[Mapping[str, object] | None], load: LoadDifference
) -> list[Difference]:
    """Get each metric that any session has in a row."""
    differences = []
    for metric in _COMPARED:
        values = tuple(_value(row, metric.name) for row in rows)
        if any(value is not None for value in values):
            thin = tuple(_is_thin(row, metric.name) for row in rows)
            like = load.as_long if metric.name in _TOTALS else load.like
            differences.append(Difference(metric, values, thin, like))
    return differences


def _judged(rows: Sequence[Compared], doubts: Sequence[Doubts]) -> list[Compared]:
    """Judge each metric of each further session, over all rows that have it."""
    if not doubts:
        return list(rows)
    of_metric: dict[str, list[tuple[int, Difference]]] = {}
    for number, (_, differences) in enumerate(rows):
        for one in differences:
            of_metric.setdefault(one.metric.name, []).append((number, one))
    found: dict[tuple[int, str], list[Judged | None]] = {}
    for name, places in of_metric.items():
        for other in range(1, len(doubts)):
            own = [
                [known.get(rows[number][0], {}).get(name) for number, _ in places]
                for known in (doubts[0], doubts[other])
            ]
            changes = [one.against_first(other) for _, one in places]
            pairs = list(zip(changes, *own, strict=True))
            for (number, _), judged in zip(places, judge(pairs), strict=True):
                found.setdefault((number, name), []).append(judged)
    return [
        (
            label,
            tuple(
                replace(one, judged=tuple(found[number, one.metric.name]))
                for one in differences
            ),
        )
        for number, (label, differences) in enumerate(rows)
    ]


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


def _is_thin(row: Mapping[str, object] | None, key: str) -> bool:
    return row is not None and key in str(row.get("thin") or "").split()


def _value(row: Mapping[str, object] | None, key: str) -> float | None:
    value = row.get(key) if row is not None else None
    return float(value) if isinstance(value, int | float) else None


def many_told(comparison: Comparison) -> str:
    """Say why a difference is not distinguishable that is beyond its uncertainty.

    Returns:
        "" where there is none.
    """
    beyond = [
        f"{label}, {one.metric.head}"
        for label, differences in comparison.rows
        for one in differences
        for place, judged in enumerate(one.judged, 1)
        if judged is not None and _is_beyond(one.against_first(place), judged)
    ]
    if not beyond:
        return ""
    return (
        f"Larger than its \N{PLUS-MINUS SIGN} but not distinguishable: "
        f"{listed(beyond)}. Each \N{PLUS-MINUS SIGN} covers one difference on its own; "
        "among as many as are compared here one may exceed it by chance, which p "
        "allows for (Holm)"
    )


def correction_told(comparison: Comparison) -> str:
    """Say how differences were judged; "" where of none the scatter is known."""
    judged = (
        one
        for _, differences in comparison.rows
        for difference in differences
        for one in difference.judged
    )
    if all(one is None or one.p is None for one in judged):
        return ""
    return (
        f"A difference counts at {100 * LEVEL:.2f} % confidence; p is corrected for as "
        "many rows as are compared of its quantity (Holm)"
    )


def _is_beyond(difference: float | None, judged: Judged) -> bool:
    is_same = judged.judgement is Judgement.NOT_DISTINGUISHABLE
    known = None not in (difference, judged.uncertainty)
    return is_same and known and abs(difference or 0) > (judged.uncertainty or 0)


_UNLIKE_LENGTHS = 0.05
"""Lengths that differ by more than this share of the longer one are told."""

# A sentence lists three by name; the table has the rest.
_MOST_ROWS = 3
_HOUR_S = 3600.0


def lengths_told(comparison: Comparison) -> list[str]:
    """Say which rows lasted differently long; their energies follow from that.

    How long a row lasted is its energy divided by its mean power.
    """
    sentences = []
    for label, differences in comparison.rows:
        by_name = {difference.metric.name: difference for difference in differences}
        energy, power = by_name.get("energy_wh"), by_name.get("power_w")
        lengths = _seconds(energy, power) if energy and power else []
        if lengths and min(lengths) < (1 - _UNLIKE_LENGTHS) * max(lengths):
            told = " and ".join(f"{length:.0f} s" for length in lengths)
            sentences.append(f"{label} ({told})")
    if not sentences:
        return []
    more = (
        f" and {len(sentences) - _MOST_ROWS} more"
        if len(sentences) > _MOST_ROWS
        else ""
    )
    rows = ", ".join(sentences[:_MOST_ROWS])
    return [f"Different durations: {rows}{more}. Compare power, not energy."]


def _seconds(energy: Difference, power: Difference) -> list[float]:
    """Get the length of a row in each session, nothing where one is not known."""
    found = [
        _HOUR_S * wh / watts
        for wh, watts in zip(energy.values, power.values, strict=True)
        if wh is not None and watts
    ]
    return found if len(found) == len(energy.values) else []
