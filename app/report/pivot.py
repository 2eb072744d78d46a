"""Tables of two axes: a sweep over two options, or configurations by workload."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from app.calc.crossing import SIZES
from app.plan.axes import Axis
from app.plan.campaign import Campaign, stored_campaign
from app.plan.step import Step
from app.record.store import Session
from app.report.forms.records import Record, records_of
from app.report.rounds import Judged, titled
from app.report.table import Row, Titled
from instruments.metric import BANDWIDTH, BY_NAME, IOPS, Metric
from workloads.fio_job import direction

_METRICS = (BANDWIDTH, IOPS, BY_NAME["power_w"])
# Wider tables run off a printed page.
_MOST_COLUMNS = 10

Records = Mapping[str, Record]


def pivots(
    session: Session,
    rows: Sequence[Row],
    judged: Judged = (),
    means: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Titled]:
    """Make the tables of a session's sweeps and configurations, each with its title.

    A step that sweeps two options has one for its bandwidth, and where it is random one
    for its IOPS, in each configuration. All other steps have tables of configurations.

    Args:
        session: The session.
        rows: Of its report.
        judged: What was run in rounds: its tables are of the means of the window.
        means: These, by label.
    """
    campaign = stored_campaign(session.info.campaign)
    if campaign is None:
        return []
    records = {one.label: one for one in records_of(session, rows)}
    for label, values in (means or {}).items():
        records[label] = Record({**values, "step": ""}, {})  # no one row is behind it
    tables: list[Titled] = []
    rest = []
    for step in campaign.steps:
        if not step.enabled or not step.is_measured:
            continue
        if (axes := _axes(step)) is not None:
            tables += _sweep(step, axes, campaign, records, judged)
        # The rows of a cool-down are no results.
        elif not step.teardown and step.engine != "cooldown":
            rest.append(step)
    return tables + _configured(rest, campaign, records)


def _axes(step: Step) -> tuple[Axis, Axis] | None:
    """Get the axis for the rows of a table, a size or the longer one, and the other."""
    if step.sweep is None or step.repeat != 1 or step.repeats is not None:
        return None
    axes = [axis for axis in step.sweep.axes if len(axis.values) > 1]
    if len(axes) != 2 or len(step.sweep.axes) != 2:
        return None
    down, across = sorted(
        axes, key=lambda one: (one.option not in SIZES, -len(one.values))
    )
    return (down, across) if len(across.values) <= _MOST_COLUMNS else None


def _sweep(
    step: Step,
    axes: tuple[Axis, Axis],
    campaign: Campaign,
    records: Records,
    judged: Judged,
) -> list[Titled]:
    down, across = axes
    points = list(step.sweep.points(step.label)) if step.sweep is not None else []
    is_random = direction(step.options).startswith("rand")
    tables = []
    for name, prefix in _configurations(campaign).items():
        own = {
            f"{prefix}{point.label}": {
                down.option: point.options[down.option],
                across.option: f"{across.option} {point.options[across.option]}",
            }
            for point in points
        }
        for metric in _METRICS[: 2 if is_random else 1]:
            title = (
                f"{metric.head} of {step.engine} over {down.option} and {across.option}"
            )
            title += f", {name}" if name else ""
            title += titled(judged, list(own))
            lines = down.option, across.option
            tables += _table(title, metric, lines, own, records, head=down.option)
    return tables


def _configured(
    steps: Sequence[Step], campaign: Campaign, records: Records
) -> list[Titled]:
    """Make a table a metric: workloads down, or across where there are fewer."""
    prefixes = _configurations(campaign)
    labels = [label for step in steps for label, _ in step.runs]
    if len(prefixes) < 2 or not labels:
        return []
    lines, columns = ("configuration", "workload"), len(labels)
    if len(labels) > _MOST_COLUMNS or len(prefixes) < len(labels):
        lines, columns = ("workload", "configuration"), len(prefixes)
    if columns > _MOST_COLUMNS:
        return []
    rows = {
        f"{prefix}{label}": {"workload": label, "configuration": name}
        for name, prefix in prefixes.items()
        for label in labels
    }
    tables = (
        _table(f"{metric.head} by configuration", metric, lines, rows, records)
        for metric in _METRICS
    )
    return list(chain.from_iterable(tables))


def _table(
    title: str,
    metric: Metric,
    axes: tuple[str, str],
    rows: Mapping[str, Mapping[str, str]],
    records: Records,
    *,
    head: str = "",
) -> list[Titled]:
    """Make a table of two axes.

    Args:
        title: Its title.
        metric: What stands in it.
        axes: The facts of its lines and of its columns.
        rows: By the labels of all rows that may stand in it what they are by.
        records: What there is of them.
        head: Of the first column.
    """
    from app.report.forms.form import FormColumn, FormTable, Rows  # noqa: PLC0415  (slow)
    from app.report.forms.tables import tables_of  # noqa: PLC0415

    column = FormColumn(metric.name, metric.head, metric.unit, metric.decimals, None)
    down, across = axes
    form = FormTable(
        title, Rows.ALL, (), (down,), (across,), head, (column,), (), turned=False
    )
    lacking = Record({"step": ""}, {})
    own = [replace(records.get(one, lacking), facts=by) for one, by in rows.items()]
    return tables_of(form, own)


def _configurations(campaign: Campaign) -> dict[str, str]:
    """Get what labels of rows begin with, by the name of each configuration."""
    if campaign.configurations is None:
        return {"": ""}
    labels = [one.label("") for one in campaign.configurations.all()]
    return {label.removesuffix(": "): label for label in labels}
