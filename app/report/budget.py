"""What the uncertainties of a row are made of, term by term."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from app.analysis.results import by_device, of_meters
from app.analysis.uncertainty import Budget, budget_of
from app.record.store import Result, Session
from app.report.expanded import standard
from instruments.base import DUT

KEY, PARTS_KEY = "uncertainty_budget", "uncertainty_parts"
"""The keys of a row under which stand the budget of each mean power, and of each figure
both parts of its standard uncertainty."""


def budgets_of(session: Session, results: Iterable[Result]) -> dict[str, Budget]:
    """Get what the uncertainty of each mean power of a row is made of, by its name.

    It is worked out of the samples anew, as they were taken for the row.

    Args:
        session: The session.
        results: Of the row.
    """
    feeds = by_device(session)
    found: dict[str, Budget] = {}
    for result in results:
        device, _, own = result.name.rpartition(".")
        if own != "power_w" or result.u_meter is None:
            continue
        channels = of_meters(session, feeds.get(device or DUT, ()))
        with session.with_offsets(result.offset_id):
            budget = budget_of(session, channels, (result.start_ns, result.end_ns))
        if budget is not None:
            found[result.name] = budget
    return found


def with_budgets(
    session: Session, rows: Iterable[Mapping[str, object]]
) -> list[dict[str, object]]:
    """Add to rows of a report what their uncertainties are made of."""
    labels = {step.label: step.id for step in session.steps()}
    return [
        {**row, **_of_row(session, session.results(labels[str(row["step"])]), row)}
        for row in rows
    ]


def _of_row(
    session: Session, results: Sequence[Result], row: Mapping[str, object]
) -> dict[str, object]:
    budgets = budgets_of(session, results)
    parts = standard(results, row)
    return {
        PARTS_KEY: {
            name: {"u_meter": meter, "u_scatter": scatter}
            for name, (meter, scatter) in parts.items()
        },
        KEY: {name: values_of(budget) for name, budget in budgets.items()},
    }


def values_of(budget: Budget) -> dict[str, Any]:
    """Get a budget as plain values, in W.

    Each term has what it goes with, its limit of error, the standard uncertainty that
    it makes, its source, and whether somebody has read it there.
    """
    return {
        "terms": [
            {**asdict(term), "standard_w": term.standard_w} for term in budget.terms
        ],
        "not_included": list(budget.unknown),
        "limit_w": budget.limit_w,
        "meter_w": budget.meter_w,
        "scatter_w": budget.scatter_w,
        "unseen_w": budget.unseen_w,
    }


def terms_text(budget: Budget) -> list[str]:
    """Write each term of a meter's limit of error in a line, and what is left out."""
    lines = [f"{term.name} {term.limit_w:.4g} W, {term.told}" for term in budget.terms]
    lacking = ", ".join(budget.unknown)
    return lines + [f"not included, as nothing is known of it: {lacking}"] * bool(
        lacking
    )
