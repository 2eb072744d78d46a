"""How well the values of a report's rows are known, and the means of repeated rows."""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from app.analysis.derived import FACTS
from app.analysis.repeat import HALF_WIDTH, MEAN, mean_interval, quantile
from app.analysis.significance import Doubt
from app.plan.passes import of_pass
from app.plan.verdict import Cause, Outcome
from app.record.store import Basis, Result, Session, StepRow
from app.report.expanded import by_rest, standard
from app.report.table import Row, number_of
from instruments.base import DUT
from instruments.files.foreign_text import stored_table, stored_toml
from instruments.metric import CELSIUS, DECIBEL, METRICS, Metric
from instruments.reading import SECOND

_COMPARED = tuple(metric for metric in METRICS if metric.is_compared)
_SECTIONS = ("power", "noise", "thermal")
_OF_ONE_RUN = ("iops_per_w", "mb_s_per_w", "power_peak_w")
"""How the rates in them, or what was highest, scatter is not known of one run."""

Doubts = dict[str, dict[str, Doubt]]


@dataclass(frozen=True, slots=True)
class Series:
    """The mean of a step that was repeated.

    Attributes:
        row: It as a row of the report.
        doubts: How well its values are known.
        labels: The rows it is the mean of.
    """

    row: Row
    doubts: Mapping[str, Doubt]
    labels: tuple[str, ...]

    @property
    def label(self) -> str:
        """What the row of the mean is called."""
        return str(self.row["step"])


def doubts_of(session: Session, rows: Sequence[Row]) -> Doubts:
    """Tell how well the values of each row are known, by its label."""
    labels = {step.id: step.label for step in session.steps()}
    results: dict[str, list[Result]] = {}
    for result in session.results():
        results.setdefault(labels[result.step_id], []).append(result)
    meters = {section: _meters(session, section) for section in _SECTIONS}
    return {
        label: _doubts(row, results.get(label, []), meters)
        for row in rows
        if (label := str(row["step"]))
    }


def _doubts(
    row: Row, results: Sequence[Result], meters: Mapping[str, frozenset[str]]
) -> dict[str, Doubt]:
    known = standard(results, row) | _energy_between_runs(results)
    noise_u = next((r.value for r in results if r.name == "noise_u_db"), None)
    doubts = {}
    for metric in _COMPARED:
        name = metric.name
        if number_of(row, name) is None:
            continue
        if name in known:
            meter, scatter = known[name]
            scatter = None if name in _OF_ONE_RUN else scatter
            doubts[name] = Doubt(meter, scatter, meters["power"])
        elif doubt := _doubt_of(metric, noise_u, meters):
            doubts[name] = doubt
    return doubts


def _doubt_of(
    metric: Metric, noise_u: float | None, meters: Mapping[str, frozenset[str]]
) -> Doubt | None:
    """Tell how well a value is known by its kind alone; None where nothing is said."""
    if metric.unit == DECIBEL:
        return Doubt(None, noise_u, meters["noise"], is_offset=True)
    if metric.unit == CELSIUS:
        return Doubt(None, None, meters["thermal"], is_offset=True)
    if metric.is_metered:
        return Doubt(None, None)
    return Doubt(0.0, None) if metric.is_counted else None


def _energy_between_runs(
    results: Sequence[Result],
) -> dict[str, tuple[float, float | None]]:
    """Get the standard uncertainties of energy that compare it with another run.

    The energy of one window does not scatter. But it is power x time: what scatters
    power from run to run scatters energy as long as the window is.
    """
    named = {result.name: result for result in results}
    power, energy = named.get("power_w"), named.get("energy_wh")
    if power is None or energy is None or energy.u_meter is None:
        return {}
    scatter = None
    if power.u_scatter is not None:
        hours = (energy.end_ns - energy.start_ns) / SECOND / 3600
        scatter = power.u_scatter * hours
        # Mean power that is energy over time has the integrator's edges in it, and
        # energy that is power x time what power has.
        is_of_other = power.origin.startswith(f"{energy.origin}, ")
        if not is_of_other and energy.basis != Basis.MEAN_POWER:
            scatter = math.hypot(energy.u_scatter or 0.0, scatter)
    return {energy.name: (energy.u_meter, scatter)}


def _meters(session: Session, section: str) -> frozenset[str]:
    """Tell the meters of the device from others; none where one is nameless.

    One that was calibrated since may have been adjusted: it is another one.
    """
    meters = [
        source
        for source in session.sources()
        if source.section == section and source.measures == DUT
    ]
    if not all(meter.serial for meter in meters):
        return frozenset()
    return frozenset(
        f"{one.driver} {one.serial} {one.simulated} {one.keys.get('calibrated')}"
        for one in meters
    )


def series_in(session: Session, rows: Sequence[Row], doubts: Doubts) -> list[Series]:
    """Get the means of all steps that were run more than once, by the same plan.

    Rows that were not done, or did not get steady, have no part in them.

    Args:
        session: The session.
        rows: Of its report.
        doubts: See `doubts_of`.
    """
    by_label = {str(row["step"]): row for row in rows}
    series_list = [
        _series(session, name, steps, by_label, doubts)
        for name, steps in _repeated(session, by_label)
    ]
    return [series for series in series_list if series.doubts]


def _series(
    session: Session,
    name: str,
    steps: Sequence[StepRow],
    rows: Mapping[str, Row],
    doubts: Doubts,
) -> Series:
    """Make the row of the means of the runs of one plan."""
    last = {result.name: result for result in session.results(steps[-1].id)}
    labels = [step.label for step in steps if _counts(step, last)]
    means = _means(labels, rows, doubts)
    # The run judged its own mean, maybe at another level: that one stands.
    for result, (mean, scatter, freedom) in _stored_mean(last, steps[-1]).items():
        if result in means:
            doubt = replace(means[result][1], scatter=scatter, freedom=freedom)
            means[result] = mean, doubt
    row = {
        "step": f"{name} (mean of runs)",
        "verdict": f"{len(labels)} runs",
        **(
            {key: rows[labels[0]].get(key) for key in ("engine", FACTS)}
            if labels
            else {}
        ),
        **{result: mean for result, (mean, _) in means.items()},
    }
    known = {result: doubt for result, (_, doubt) in means.items()}
    return Series(row, known, tuple(step.label for step in steps))


def _repeated(
    session: Session, labels: Container[str]
) -> list[tuple[str, list[StepRow]]]:
    """Get the steps that are repeated by one plan, with what their series is called."""
    members: dict[tuple[str, str], list[StepRow]] = {}
    for step in session.steps():
        series = of_pass(step.series, step.pass_number)
        if step.label in labels and series != step.label:
            plan = {k: v for k, v in stored_toml(step.plan).items() if k != "label"}
            members.setdefault((series, repr(plan)), []).append(step)
    return [(series, steps) for (series, _), steps in members.items()]


def _means(
    labels: Sequence[str], rows: Mapping[str, Row], doubts: Doubts
) -> dict[str, tuple[float, Doubt]]:
    """Get the means of all results that two runs or more have."""
    means = {}
    shared = by_rest(rows[labels[0]]) if labels else {}
    for name in dict.fromkeys(name for label in labels for name in doubts[label]):
        runs = [label for label in labels if name in doubts[label]]
        values = [number_of(rows[label], name) or 0.0 for label in runs]
        known = [doubts[label][name] for label in runs]
        mean = _mean(values, known, shared.get(name, 0.0))
        if mean is not None:
            means[name] = mean
    return means


def _counts(step: StepRow, last: Mapping[str, Result]) -> bool:
    """Tell whether a row has values that count.

    The last one may be an ERROR only because the mean is not known well.
    """
    is_last = MEAN in last and step.id == last[MEAN].step_id
    return step.outcome == Outcome.DONE and (is_last or step.cause != Cause.UNREACHED)


def _mean(
    values: Sequence[float], doubts: Sequence[Doubt], shared: float
) -> tuple[float, Doubt] | None:
    """Get the mean of some runs, with the errors that all share: of meters, at rest."""
    if len(values) < 2:
        return None
    interval = mean_interval(values)
    limits = [one.meter for one in doubts if one.meter is not None]
    meter = sum(limits) / len(limits) if len(limits) == len(doubts) else None
    freedom = len(values) - 1
    scatter = math.hypot(interval.standard or 0.0, shared)
    doubt = replace(doubts[0], meter=meter, scatter=scatter, freedom=freedom)
    return interval.mean, doubt


def _stored_mean(
    last: Mapping[str, Result], step: StepRow
) -> dict[str, tuple[float, float, float]]:
    """Get mean, standard uncertainty and degrees of freedom as the run stored them."""
    mean, half = last.get(MEAN), last.get(HALF_WIDTH)
    count = mean.n_valid if mean is not None else None
    if mean is None or half is None or not count or count < 2:
        return {}
    if mean.value is None or half.value is None:
        return {}
    level = number_of(stored_table(step.plan, "repeats"), "level") or 95.0
    scatter = half.value / quantile((1 + level / 100) / 2, count - 1)
    return {mean.origin: (mean.value, scatter, count - 1)}
