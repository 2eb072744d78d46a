"""The table of a session as it would be with another window, rule or clock offset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.analysis.again.rows import Row, results_again, row_of, steady_rounds_of
from app.analysis.repeat import HALF_WIDTH, MEAN
from app.analysis.steady.rounds import Rounds, quantities_of, rounds_within
from app.analysis.steady.state import (
    METHODS,
    SteadyState,
    SteadyWatch,
    first_round,
    results_of,
)
from app.plan.steady import ENGINES as CAN_BE_STEADY
from app.plan.steady import QUANTITIES
from app.record.imports.again import ToldAgain, told_again
from app.record.store import Result, Session, StepRow, Window
from instruments.durations import parse_duration
from instruments.errors import BadInput
from instruments.files.foreign_text import stored_table
from instruments.reading import SECOND
from instruments.settings import did_you_mean

NOT_GIVEN = "the window chosen gives no such result"
"""Why a result is not there that its data gave in the run."""

_NOT_KEPT = "its source data is not kept"
_OTHER_ROUNDS = (
    "it covers the rounds that the run judged; choose a rule to judge them again"
)
_OF_ROWS = "it is of all repeats, as they are stored"
_START = "a start-up is measured as a whole, from before power was switched on"


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of a load's window, its ramp excluded.

    Attributes:
        start_s: Where it begins, in seconds from the start of that window; what is
            negative counts from its end.
        end_s: Where it ends, alike; None for the end of the window.
    """

    start_s: float = 0.0
    end_s: float | None = None

    @classmethod
    def parse(cls, text: str) -> "Cut":
        """Read FROM..TO, such as "30s..", "..-10s", "-60s.." or "30s..90s".

        Raises:
            ValueError: It is none.
        """
        first, dots, last = text.partition("..")
        if not dots:
            raise ValueError('it has no ".." in it')
        start_s, end_s = _signed(first) or 0.0, _signed(last)
        if end_s is not None and (start_s < 0) == (end_s < 0) and end_s <= start_s:
            raise ValueError("it ends before it begins")
        return cls(start_s, end_s)

    def of(self, whole: Window) -> Window | None:
        """Get the part of a window; None where it does not lie within it."""
        start, end = whole[0], whole[1]
        first = (end if self.start_s < 0 else start) + round(self.start_s * SECOND)
        last = end
        if self.end_s is not None:
            last = (end if self.end_s <= 0 else start) + round(self.end_s * SECOND)
        return (first, last) if start <= first < last <= end else None


def _signed(text: str) -> float | None:
    """Read a duration with or without a sign; None for no text."""
    text = text.strip()
    if not text:
        return None
    return -parse_duration(text[1:]) if text[0] == "-" else parse_duration(text)


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What is to be other than it was in the run.

    Attributes:
        cut: The part of each load that is measured; None for the one of the run.
        rule: The rule of steady state, one of METHODS; what it finds steady is
            measured. "" for what the run found.
        round_s: Length of its rounds; 0 for those of the run, else of the rule.
        offsets: Clock offsets in ns by source, in place of those of the run.
        is_latest: Whether all clock offsets count that the file has by now, and not
            only those that the run knew as a row ended.
        rows: Labels of the rows, or of what their repeats share; none for all.
    """

    cut: Cut | None = None
    rule: str = ""
    round_s: float = 0.0
    offsets: Mapping[str, int] = field(default_factory=dict)
    is_latest: bool = False
    rows: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One result, as it is stored and as it would be.

    Attributes:
        name: The name of the result.
        stored: As it is stored; None where it is not.
        again: As it is otherwise; None where that cannot be said.
        why: Why it has no value otherwise; "" where it has, or never had one.
    """

    name: str
    stored: Result | None
    again: Result | None
    why: str = ""

    @property
    def values(self) -> tuple[float | None, float | None]:
        """Both values."""
        stored = None if self.stored is None else self.stored.value
        return stored, None if self.again is None else self.again.value

    @property
    def unit(self) -> str:
        """The unit of both."""
        known = self.stored or self.again
        return known.unit if known is not None else ""

    @property
    def differs(self) -> bool:
        """Whether one value is not the other, to the last bit."""
        stored, again = self.values
        return stored != again


@dataclass(frozen=True, slots=True)
class RowOtherwise:
    """A row of the table, and what it would be.

    Attributes:
        step: The row.
        window: What is measured of it otherwise; None where it cannot be computed.
        cells: Its results.
        why: What is to be said of all of it; "" for nothing.
        whole: The window of its load, its ramp excluded; None where it has none.
        row: What is kept of it, with the clock offsets that count otherwise.
    """

    step: StepRow
    window: Window | None
    cells: Sequence[Cell]
    why: str = ""
    whole: Window | None = None
    row: Row | None = None

    @property
    def results(self) -> list[Result]:
        """What it results in otherwise."""
        return [cell.again for cell in self.cells if cell.again is not None]


def recompute(session: Session, other: Otherwise) -> list[RowOtherwise]:
    """Compute the rows of a session otherwise; nothing is stored.

    Raises:
        BadInput: A row, a source or a rule is not known.
    """
    steps = [step for step in session.steps() if _is_wanted(step, other)]
    _check(session, other, steps)
    told = told_again(session)
    return [_otherwise(session, step, other, told) for step in steps]


def _is_wanted(step: StepRow, other: Otherwise) -> bool:
    return not other.rows or bool({step.label, step.series} & {*other.rows})


def _check(session: Session, other: Otherwise, steps: Sequence[StepRow]) -> None:
    labels = {step.label for step in session.steps()}
    series = {step.series for step in steps}
    _known("row", [r for r in other.rows if r not in series], labels, session)
    sources = {source.name for source in session.sources()}
    _known("source", [*other.offsets], sources, session)
    _known("rule", [other.rule] if other.rule else [], set(METHODS), session)


def _known(what: str, wanted: Sequence[str], known: set[str], session: Session) -> None:
    for name in wanted:
        if name not in known:
            raise BadInput(
                f'there is no {what} "{name}"{did_you_mean(name, known)}',
                where=str(session.path),
                way_out=f"Expected one of {', '.join(sorted(known))}.",
            )


def _otherwise(
    session: Session, step: StepRow, other: Otherwise, told: ToldAgain
) -> RowOtherwise:
    stored = session.results(step.id)
    row = row_of(session, step, told)
    if row is None or not stored:
        return _blank(step, stored, "nothing was measured of it")
    after = None if other.is_latest else row.offset_id
    asked = replace(row, offset_id=after, instead=other.offsets)
    try:
        window, steady, why = _window(asked, other)
        again = results_again(asked, window, steady)
        known = {result.name: result for result in again}
        names = {one.name for one in stored}
    except BadInput as error:
        return _blank(step, stored, error.what)
    computed = _computed(row) if names - known.keys() else {*known}
    is_same = window in (None, row.window)
    cells = [
        Cell(
            one.name,
            one,
            known.get(one.name),
            _why(
                one,
                known.get(one.name),
                is_kept=one.name in computed,
                is_same=is_same,
            ),
        )
        for one in stored
    ]
    cells += [
        Cell(name, None, result)
        for name, result in known.items()
        if name not in names and result.value is not None
    ]
    return RowOtherwise(step, window or row.window, cells, why, row.whole, asked)


def _computed(row: Row) -> set[str]:
    """Name what can be computed again as it was in the run."""
    try:
        return {result.name for result in results_again(row)}
    except BadInput:
        return set()


def _blank(step: StepRow, stored: Sequence[Result], why: str) -> RowOtherwise:
    return RowOtherwise(step, None, [Cell(r.name, r, None, why) for r in stored], why)


def _why(stored: Result, again: Result | None, *, is_kept: bool, is_same: bool) -> str:
    """Say why a result has no value otherwise; "" where it has, or never had one.

    Args:
        stored: As it is stored.
        again: As it is otherwise.
        is_kept: Whether it can be computed again as it was in the run.
        is_same: Whether the window is that of the run.
    """
    if stored.value is None or (again is not None and again.value is not None):
        return ""
    if again is not None:
        return again.note or f"{again.n_valid or 0} of {again.n_expected} samples"
    if stored.name in (MEAN, HALF_WIDTH):
        return _OF_ROWS
    is_steady = stored.name.partition(".")[0] in ("steady", "steady_rounds")
    if is_steady and not is_same:
        return _OTHER_ROUNDS
    return NOT_GIVEN if is_kept else _NOT_KEPT


def _window(
    row: Row, other: Otherwise
) -> tuple[Window | None, Sequence[Result] | None, str]:
    """Get what of a row is measured otherwise, what a rule says of it, and remarks.

    Raises:
        BadInput: It cannot be measured so.
    """
    engine = row.step.engine
    if engine == "startup" and (other.cut or other.rule):
        return None, None, _START
    part = other.cut.of(row.whole) if other.cut is not None else None
    if other.cut is not None and part is None:
        seconds = (row.whole[1] - row.whole[0]) / SECOND
        raise BadInput(f"the window is not within its {seconds:.3f} s")
    if not other.rule:
        return part, None, ""
    if engine not in CAN_BE_STEADY:
        return (
            part,
            None,
            f"a step with the engine {engine} has no single rate to judge",
        )
    return _steady(row, part, other)


def _kept(row: Row, name: str) -> float:
    """Get a number of the rounds that the run judged; 0 where it judged none."""
    told = steady_rounds_of(row).get(name)
    return told if isinstance(told, int | float) and told >= 1 else 0.0


def _steady(
    row: Row, part: Window | None, other: Otherwise
) -> tuple[Window | None, Sequence[Result], str]:
    """Judge the rounds of a row by a rule until it is steady, as a run does."""
    session, method = row.session, METHODS[other.rule]
    round_s = other.round_s or _kept(row, "round_s") or method.round_s
    length = round(round_s * SECOND)
    names = stored_table(row.step.plan, "steady").get("quantities")
    names = [n for n in QUANTITIES if n in names] if isinstance(names, list) else []
    whole = part or row.whole
    begin = int(_kept(row, "begin_ns"))
    # Where the load was slow to start the run counted rounds from before its window.
    if other.cut or not (row.step.start_ns or 0) <= begin < whole[1]:
        begin = whole[0]
    count = rounds_within((begin, whole[1]), length)
    with session.with_offsets(row.offset_id, row.instead):
        chosen = quantities_of(names, session, is_load=row.step.engine != "idle")
        source, state = Rounds(session, begin), SteadyState(False, {}, 0)
        watch = SteadyWatch(replace(method, round_s=round_s), chosen)
        for number in range(count):
            end = begin + (number + 1) * length
            state = watch.add(source.means((end - length, end)))
            if state.steady:
                start = begin + (first_round(state) - 1) * length
                window = max(start, whole[0]), min(end, whole[1])
                return window, results_of(state, window), ""
            if state.is_over:
                break
    if not state.rounds:
        seconds = (whole[1] - whole[0]) / SECOND
        why = f"its {seconds:.3f} s hold no round of {round_s:g} s"
        return part, (), why
    why = f"not steady in {state.rounds} rounds by {method.name}: {state.told}"
    return part, results_of(state, whole), why
