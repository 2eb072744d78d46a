"""Verifying a session: every result computed again, and compared bit for bit."""

from dataclasses import dataclass
from enum import StrEnum

from app.analysis.again import results_again, row_of
from app.record.store import Result, Session, StepRow
from instruments.errors import BadInput


class Agreement(StrEnum):
    """What computing a result again has shown."""

    SAME = "same"
    VALUE = "another value"
    COUNT = "other numbers of samples"
    GONE = "no value any more"
    NEW = "a value now, none when it was recorded"
    NOT_KEPT = "what it was made of is not kept"
    DAMAGED = "the output it was made of cannot be read"

    @property
    def differs(self) -> bool:
        """Whether the stored result is not what the session's data give."""
        return self not in (Agreement.SAME, Agreement.NOT_KEPT)


@dataclass(frozen=True, slots=True)
class Verified:
    """One stored result, and what it is when computed again.

    Attributes:
        step: Its row.
        stored: As it is stored.
        again: As it was computed now; None where it could not be.
        agreement: What the comparison says.
    """

    step: StepRow
    stored: Result
    again: Result | None
    agreement: Agreement


def verify(session: Session) -> list[Verified]:
    """Compute all results of a session again, and compare each with what is stored.

    Args:
        session: The session, which is not changed.

    Returns:
        One entry a stored result, in the order of the rows.
    """
    found = []
    for step in session.steps():
        found += _verify_step(session, step)
    return found


def _verify_step(session: Session, step: StepRow) -> list[Verified]:
    stored = session.results(step.id)
    try:
        row = row_of(session, step)
        again = {r.name: r for r in results_again(row)} if row is not None else {}
    except BadInput:
        return [Verified(step, one, None, Agreement.DAMAGED) for one in stored]
    return [
        Verified(step, one, again.get(one.name), compare(one, again.get(one.name)))
        for one in stored
    ]


def compare(stored: Result, again: Result | None) -> Agreement:
    """Compare a stored result with what it is when computed again."""
    if again is None:
        return Agreement.NOT_KEPT
    if (stored.value is None) != (again.value is None):
        return Agreement.GONE if again.value is None else Agreement.NEW
    if stored.value != again.value:
        return Agreement.VALUE
    counts = (stored.n_valid, stored.n_expected), (again.n_valid, again.n_expected)
    return Agreement.SAME if counts[0] == counts[1] else Agreement.COUNT
