"""Verifying a session: every result computed again, and compared bit for bit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from app import version
from app.analysis.again.rows import results_again, row_of
from app.analysis.load_part import LATENCIES, MOVED, RATES
from app.plan.limits import NEAR
from app.record.imports.again import told_again
from app.record.store import Result, Session, StepRow
from instruments.errors import BadInput
from instruments.metric import (
    BOTH,
    BY_DIRECTION,
    PERCENTILES,
    mean_name,
    percentile_name,
)

_COUNTS = ("n_valid", "n_expected")
_BASIS = ("unit", "start_ns", "end_ns", "basis", "over_range_s")
_UNCERTAINTIES = ("u_meter", "u_scatter")


class Agreement(StrEnum):
    """What computing a result again has shown."""

    SAME = "same"
    VALUE = "another value"
    BASIS = "another unit, window, basis or uncertainty"
    COUNT = "other numbers of samples"
    GONE = "no longer has a value"
    NEW = "a value now, none when it was recorded"
    MISSING = "not stored, though its samples give it"
    ADDED = "not computed by the version that recorded it"
    FORMULA = "computed by an earlier formula"
    NOT_KEPT = "what it was made of is not kept"
    FIGURE = "not computed again: imported as a figure"
    DAMAGED = "the output it was made of cannot be read"

    @property
    def differs(self) -> bool:
        """Whether the stored result is not what the session's data give."""
        return self not in NO_DIFFERENCE


NO_DIFFERENCE = (
    Agreement.SAME,
    Agreement.NOT_KEPT,
    Agreement.FIGURE,
    Agreement.ADDED,
    Agreement.FORMULA,
)
"""What contradicts nothing that is stored."""


_OF_POWER = ("value", *_COUNTS)

_ENERGIES = ("energy_wh", "energy_by_mean_wh")

_POWER = ("power_w", "power_error_w", "apparent_va", "lambda", *_ENERGIES)

_OF_SAMPLES = (
    *_POWER,
    "power_peak_w",
    *(f"startup_peak_{ms}ms_w" for ms in (100, 200, 500, 1000, 5000)),
    *("noise_db", "noise_u_db", "startup_noise_db", "startup_noise_max_db"),
    *("ambient_c", "drive_min_c", "drive_max_c"),
)

_BY_DISK = (
    *(f"{what}_read_bytes" for what in ("foreign", "cached", "outside")),
    *(f"{what}_write_bytes" for what in ("foreign", "cached", "outside")),
    *("read_block_bytes", "write_block_bytes", "foreign_percent"),
)

_TOTALS = ("iops", "bandwidth_mb_s", mean_name(BOTH))

_PERCENTILES = tuple(
    percentile_name(of, percent) for of in BY_DIRECTION for percent in PERCENTILES
)

_TO_READY = ("time_to_ready_s", "energy_to_ready_wh")

LATER: Mapping[int, tuple[str, Mapping[str, Sequence[str]]]] = {
    1: (
        "means of power are over time, and energy reaches to the edges of the window",
        {**dict.fromkeys(_POWER, _OF_POWER), "duration_s": ("value",)},
    ),
    2: (
        "readings that resemble each other count as fewer in an uncertainty by "
        "scatter, a start-up is over once power stays where it is, and neither a "
        "misread reading of an integrator nor one of several that contradict each "
        "other at one moment counts",
        {
            "": ("u_scatter",),
            **dict.fromkeys(_OF_SAMPLES, (*_OF_POWER, "u_meter")),
            **dict.fromkeys(_TO_READY, ("value", "start_ns", "end_ns", *_COUNTS)),
            "startup_steps": ("value",),
        },
    ),
    3: (
        "documents of a load count with as much of them as lies in a part of it, a "
        "device is ready once all of it answers that did before it was off, and power "
        "tells whether an integrator was misread or set back",
        {
            **dict.fromkeys(("energy_wh", "power_w"), (*_OF_POWER, *_UNCERTAINTIES)),
            **dict.fromkeys(_TO_READY, ("value", "start_ns", "end_ns", *_COUNTS)),
            "startup_steps": ("value",),
            **dict.fromkeys((*RATES, *LATENCIES), ("value", *_COUNTS)),
            **dict.fromkeys(MOVED, ("value", *_COUNTS)),
            **dict.fromkeys(
                (*_BY_DISK, "steady.performance", "steady_rounds"), ("value",)
            ),
        },
    ),
    4: (
        "power goes straight from reading to reading over the edges of the window, and "
        "a reading beside a gap tells nothing of it; what cannot be read at all to the "
        "end of a start, or sleeps since then, is not ready; energy is not taken from "
        "an integrator that counts too coarse for the window; of a part of a rest no "
        "disk is traced; and of imports of fio no percentile is above the longest I/O, "
        "and reads and writes are added up over the longest of their times, and not "
        "where one only verified the other",
        {
            **dict.fromkeys(_TO_READY, ("value", "start_ns", "end_ns", *_COUNTS)),
            "startup_steps": ("value",),
            **dict.fromkeys((*_POWER, "power_peak_w"), ("value", *_UNCERTAINTIES)),
            "energy_wh": (*_OF_POWER, *_UNCERTAINTIES, "basis"),
            **dict.fromkeys(MOVED, _COUNTS),
            **dict.fromkeys(("steady.power", "steady_rounds", NEAR), ("value",)),
            **dict.fromkeys(_PERCENTILES, ("value",)),
            **dict.fromkeys(_TOTALS, ("value", "unit", *_COUNTS)),
        },
    ),
    5: (
        "what is not seen between readings of power is in the uncertainty of its mean, "
        "and of energy that follows from it",
        dict.fromkeys(("power_w", *_ENERGIES), ("u_scatter",)),
    ),
    6: (
        "no fewer readings are expected than there are, as their number in a window "
        "depends on where in a period it begins",
        {"": ("n_expected",)},
    ),
    7: (
        "where the bench gives no accuracy of an HMC8015, its file of accuracy does",
        {
            "power_error_w": ("value",),
            **dict.fromkeys((*_POWER, "power_peak_w"), ("u_meter",)),
        },
    ),
    8: (
        "the scatter of lambda's own readings is in its uncertainty, that of apparent "
        "power in its own, and what is not seen between its readings in that of a peak",
        dict.fromkeys(("lambda", "apparent_va", "power_peak_w"), ("u_scatter",)),
    ),
    9: (
        "what lacks of power at an edge of the window counts as what lacks within it, "
        "the mean stands for a gap but seldom in the middle of what it may be, a feed "
        "is known between two readings that follow each other, energy to ready is cut "
        "at both edges, and an integrator that stood still says nothing where power is "
        "not known",
        {
            **dict.fromkeys(_POWER, ("value", "u_meter", "u_scatter", "basis")),
            "power_peak_w": _UNCERTAINTIES,
            "energy_to_ready_wh": ("value",),
            **dict.fromkeys(("steady.power", "steady_rounds", NEAR), ("value",)),
        },
    ),
}
"""By each version of the formulas since the first, which is 0, what it computes
otherwise: in words, and which fields of which results, "" for all of them."""

_LACKS = {
    "cooldown_reached": "the time at which the cool-down was last checked",
    "detected_s": "the moments of a prompt; its journal has tenths of a second",
}


def lacking(session: Session, step: StepRow, stored: Result) -> str:
    """Say what would be needed to compute a result again that cannot be.

    Args:
        session: The session.
        step: The row.
        stored: Its result.
    """
    if what := _LACKS.get(stored.name.partition(".")[0]):
        return what
    outputs = [kept.name for kept in session.artefacts() if kept.step_id == step.id]
    if stored.origin and any(name in stored.origin for name in outputs):
        return f"what is needed of {stored.origin} beside it"
    return f"what {step.engine} said or counted" + f" ({stored.origin})" * bool(
        stored.origin
    )


@dataclass(frozen=True, slots=True)
class Verified:
    """One stored result, and what it is when computed again.

    Attributes:
        step: Its row.
        stored: As it is stored; None where it should be, and is not.
        again: As it was computed now; None where it could not be.
        agreement: What the comparison says.
        lacks: What would be needed to compute it again, where it cannot be.
    """

    step: StepRow
    stored: Result | None
    again: Result | None
    agreement: Agreement
    lacks: str = ""

    @property
    def name(self) -> str:
        """The name of the result."""
        known = self.stored or self.again
        return known.name if known is not None else ""

    @property
    def values(self) -> tuple[float | None, float | None]:
        """The stored value and the one computed again, None where there is none."""
        stored = None if self.stored is None else self.stored.value
        return stored, None if self.again is None else self.again.value


class Again:
    """The results of a session, each row computed again once.

    Args:
        session: The session, which is not changed.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._told = told_again(session)
        self._may_be_older: bool | None = None
        self._rows: dict[int, Mapping[str, Result] | None] = {}

    def of(self, step: StepRow) -> Mapping[str, Result] | None:
        """Get the results of a row by name; None where its output is damaged."""
        if step.id not in self._rows:
            self._rows[step.id] = self._computed(step)
        return self._rows[step.id]

    def agreement(self, step: StepRow, stored: Result) -> Agreement:
        """Compare a stored result with what it is when computed again."""
        again = self.of(step)
        if again is None:
            return Agreement.DAMAGED
        found = compare(stored, again.get(stored.name))
        if found.differs and stored.name in again:
            return self._by_formula(stored, again[stored.name], found)
        info = self._session.info
        if found is Agreement.NOT_KEPT and (info.is_imported or info.is_published):
            return Agreement.DAMAGED if self._told.is_damaged else Agreement.FIGURE
        return found

    def _by_formula(self, stored: Result, again: Result, found: Agreement) -> Agreement:
        """Tell whether a result differs only by what a later formula changed.

        Of a file that was changed after its recording nobody can tell.
        """
        names = {
            name
            for number, (_, fields) in LATER.items()
            if number > formulas_of(stored)
            for result in ("", stored.name, stored.name.rpartition(".")[2])
            for name in fields.get(result, ())
        }
        masked: dict[str, Any] = {name: getattr(again, name) for name in names}
        if compare(replace(stored, **masked), again) is not Agreement.SAME:
            return found
        if self._may_be_older is None:
            self._may_be_older = _is_as_it_was(self._session)
        return Agreement.FORMULA if self._may_be_older else found

    def _computed(self, step: StepRow) -> Mapping[str, Result] | None:
        try:
            row = row_of(self._session, step, self._told)
            told = self._told.results.get(step.id, [])
            found = told if row is None else results_again(row)
        except BadInput:
            return None
        return {result.name: result for result in found}


def verify(session: Session) -> list[Verified]:
    """Compute all results of a session again, and compare each with what is stored.

    Args:
        session: The session, which is not changed.

    Returns:
        One entry a stored result, and one that is not stored, in the order of the rows.
    """
    again = Again(session)
    found = [
        one for step in session.steps() for one in _verify_step(session, step, again)
    ]
    is_missing = any(one.agreement is Agreement.MISSING for one in found)
    if is_missing and _is_as_it_was(session):
        return [_added(one) for one in found]
    return found


def _is_as_it_was(session: Session) -> bool:
    """Tell whether what is not stored was never computed, rather than taken out.

    The hash says so; a session that was cut off has none, but perhaps its version does.
    """
    if session.sha256():
        return session.is_unchanged() is True
    return session.info.app_version != version()


def _added(one: Verified) -> Verified:
    is_missing = one.agreement is Agreement.MISSING
    return replace(one, agreement=Agreement.ADDED) if is_missing else one


def _verify_step(session: Session, step: StepRow, again: Again) -> list[Verified]:
    stored, computed = session.results(step.id), again.of(step) or {}
    known = {result.name for result in stored}
    found = []
    for one in stored:
        agreement = again.agreement(step, one)
        is_kept = agreement is not Agreement.NOT_KEPT
        lacks = "" if is_kept else lacking(session, step, one)
        found.append(Verified(step, one, computed.get(one.name), agreement, lacks))
    return found + [
        Verified(step, None, result, Agreement.MISSING)
        for name, result in computed.items()
        if name not in known and result.value is not None
    ]


def formulas_of(result: Result) -> int:
    """Get the version of the formulas of a result; the first ones did not say so."""
    if result.formulas is not None:
        return result.formulas
    return 0 if result.offset_id is None else 1


def compare(stored: Result, again: Result | None) -> Agreement:
    """Compare a stored result with what it is when computed again."""
    if again is None:
        return Agreement.NOT_KEPT
    if (stored.value is None) != (again.value is None):
        return Agreement.GONE if again.value is None else Agreement.NEW
    if stored.value != again.value:
        return Agreement.VALUE
    if any(getattr(stored, name) != getattr(again, name) for name in _COUNTS):
        return Agreement.COUNT
    # Of before version 7 no uncertainties are stored.
    names = _BASIS if stored.offset_id is None else (*_BASIS, *_UNCERTAINTIES)
    same = all(getattr(stored, name) == getattr(again, name) for name in names)
    return Agreement.SAME if same else Agreement.BASIS
