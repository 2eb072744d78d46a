"""What earlier sessions tell of the rows of a campaign that is about to start."""

from collections.abc import Iterable

from app.plan.estimate import Known, Span
from app.plan.verdict import Outcome
from app.record.store import Session


def earlier_rates(sessions: Iterable[Session]) -> dict[str, Known]:
    """Collect write rate and power by label, from the lowest to the highest found.

    Only steps that ran to their end count. The caller chooses sessions of the same
    device under test; another one would tell nothing.
    """
    watts: dict[str, list[float]] = {}
    rates: dict[str, list[float]] = {}
    seen: dict[str, set[str]] = {}
    for session in sessions:
        for step in session.steps():
            if step.outcome != Outcome.DONE:
                continue
            values = {r.name: r.value for r in session.results(step.id)}
            seen.setdefault(step.series, set()).add(str(session.path))
            power, rate = values.get("power_w"), values.get("write_mb_s")
            if power is not None:
                watts.setdefault(step.series, []).append(power)
            if rate is not None:
                rates.setdefault(step.series, []).append(rate * 1e6)
    return {
        label: Known(
            _span(rates.get(label)), _span(watts.get(label)), _basis(len(paths))
        )
        for label, paths in seen.items()
    }


def _basis(count: int) -> str:
    return "1 earlier session" if count == 1 else f"{count} earlier sessions"


def _span(values: list[float] | None) -> Span | None:
    return Span(min(values), max(values)) if values else None
