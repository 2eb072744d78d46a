"""What a run will take, from what earlier sessions of the same device tell."""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from app.bench.model import Bench, Cost
from app.campaign.run.schedule import labels_of
from app.plan.campaign import Campaign
from app.plan.estimate import Estimate, Known, Span, Total, estimate
from app.plan.verdict import Outcome
from app.record.store import Session, sessions
from instruments.durations import format_duration
from instruments.errors import BenchError


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


_MOST_SESSIONS = 12
"""The newest of them; older ones would tell of a device as it was."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """One figure, and what it rests on."""

    name: str
    value: str
    basis: str


def foresee(
    campaign: Campaign, bench: Bench, folder: Path, left: Collection[str] = ()
) -> list[Forecast]:
    """Estimate duration, bytes written, energy and cost of a run.

    Reads sessions of the folder; not for the GUI thread.

    Args:
        campaign: The plan.
        bench: The bench; only sessions of its device under test count.
        folder: Where earlier sessions are.
        left: Labels of the rows that a run which was cut off has left, () for all.
    """
    rows = [
        (label, step)
        for label, step in campaign.runs
        if not left or campaign.loop or not {*left}.isdisjoint(labels_of(label, step))
    ]
    with contextlib.ExitStack() as opened:
        found = [opened.enter_context(one) for one in _earlier(bench, folder)]
        estimated = estimate(campaign, earlier_rates(found), left=rows)
    return [*_of(estimated), _cost(estimated.energy, bench.cost)]


def forecast_text(forecasts: Sequence[Forecast]) -> str:
    """Write forecasts for the terminal, a line each."""
    width = max(len(forecast.name) for forecast in forecasts)
    return "\n".join(
        f"{forecast.name:<{width}}  {forecast.value} ({forecast.basis})"
        for forecast in forecasts
    )


def forecast_json(forecasts: Sequence[Forecast]) -> list[dict[str, str]]:
    """Write forecasts as plain values."""
    return [asdict(forecast) for forecast in forecasts]


def _earlier(bench: Bench, folder: Path) -> Iterator[Session]:
    """Open the newest finished sessions of the device."""
    try:
        listed = sessions(folder)
    except BenchError:
        return
    fitting = [
        one
        for one in listed
        if one.dut == bench.dut.name
        and one.simulated == bench.is_simulated
        and one.state == "complete"
        and not one.error
    ]
    for summary in fitting[:_MOST_SESSIONS]:
        with contextlib.suppress(BenchError):
            yield Session.open(summary.path)


def _of(estimated: Estimate) -> Iterator[Forecast]:
    duration = format_duration(round(estimated.duration_s))
    yield Forecast("Duration", duration, estimated.duration_basis)
    for name, total in (("Written", estimated.written), ("Energy", estimated.energy)):
        yield Forecast(name, total.amount, total.basis)


def _cost(energy: Total, cost: Cost) -> Forecast:
    """Make money of energy, with the price and the PUE of the bench."""
    price = cost.price_per_kwh
    if price is None:
        basis = "the bench has no price_per_kwh in [cost]"
        return Forecast("Cost", "unknown", basis)
    basis = f"at {price:g} {cost.currency} for a kWh"
    basis += f" and a PUE of {cost.pue:g}" if cost.pue != 1 else ""
    if energy.span is None:
        return Forecast("Cost", "unknown", "the energy is unknown")
    factor = price * cost.pue / 1000
    money = _money(Span(energy.span.low * factor, energy.span.high * factor))
    prefix = "about" if energy.known == energy.runs else "at least"
    return Forecast("Cost", f"{prefix} {money} {cost.currency}", basis)


def _money(span: Span) -> str:
    low, high = (f"{value:.2g}" for value in (span.low, span.high))
    return low if low == high else f"{low} to {high}"
