"""Tables of two axes: a sweep over two options, or configurations by workload."""

from collections.abc import Mapping, Sequence

from app.calc.crossing import SIZES
from app.plan.axes import Axis
from app.plan.campaign import Campaign, stored_campaign
from app.plan.step import Step
from app.record.store import Session
from app.report.rounds import Judged, titled
from app.report.table import Cell, Column, Row, Table, number_of
from instruments.metric import BANDWIDTH, BY_NAME, IOPS
from workloads.fio_job import direction

_METRICS = (BANDWIDTH, IOPS, BY_NAME["power_w"])
# Wider tables run off a printed page.
_MOST_COLUMNS = 10

Titled = tuple[str, Table]
Rows = Mapping[str, Row]


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
    by_label: dict[str, Row] = {str(row["step"]): row for row in rows}
    by_label |= {label: dict(values) for label, values in (means or {}).items()}
    steps = [step for step in campaign.steps if step.enabled and step.is_measured]
    swept = [step for step in steps if _axes(step) is not None]
    rest = [
        step
        for step in steps
        if step not in swept and not step.teardown and step.engine != "cooldown"
    ]
    found = [one for step in swept for one in _sweep(step, campaign, by_label, judged)]
    return found + _configured(rest, campaign, by_label)


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


def _sweep(step: Step, campaign: Campaign, rows: Rows, judged: Judged) -> list[Titled]:
    axes = _axes(step)
    if axes is None or step.sweep is None:
        return []
    down, across = axes
    points = {
        (point.options[down.option], point.options[across.option]): point.label
        for point in step.sweep.points(step.label)
    }
    columns = [f"{across.option} {value}" for value in across.values]
    is_random = direction(step.options).startswith("rand")
    tables = []
    for name, prefix in _configurations(campaign).items():
        labels = [
            [f"{prefix}{points[value, other]}" for other in across.values]
            for value in down.values
        ]
        for metric in _METRICS[: 2 if is_random else 1]:
            cells = [
                [_number(rows, one, metric.name) for one in line] for line in labels
            ]
            title = (
                f"{metric.head} of {step.engine} over {down.option} and {across.option}"
            )
            title += f", {name}" if name else ""
            title += titled(judged, [one for line in labels for one in line])
            tables += _table(
                title,
                columns,
                down.values,
                cells,
                corner=down.option,
                decimals=metric.decimals,
            )
    return tables


def _configured(steps: Sequence[Step], campaign: Campaign, rows: Rows) -> list[Titled]:
    """Make a table a metric: workloads down, or across where there are fewer."""
    prefixes = _configurations(campaign)
    labels = [label for step in steps for label, _ in step.runs]
    if len(prefixes) < 2 or not labels:
        return []
    tables = []
    for metric in _METRICS:
        down = {
            name: [f"{p}{label}" for label in labels] for name, p in prefixes.items()
        }
        columns = labels
        if len(labels) > _MOST_COLUMNS or len(prefixes) < len(labels):
            down = {one: [f"{p}{one}" for p in prefixes.values()] for one in labels}
            columns = list(prefixes)
        cells = [
            [_number(rows, one, metric.name) for one in line] for line in down.values()
        ]
        if len(columns) <= _MOST_COLUMNS:
            title = f"{metric.head} by configuration"
            decimals = metric.decimals
            tables += _table(title, columns, list(down), cells, decimals=decimals)
    return tables


def _configurations(campaign: Campaign) -> dict[str, str]:
    """Get what labels of rows begin with, by the name of each configuration."""
    if campaign.configurations is None:
        return {"": ""}
    labels = [one.label("") for one in campaign.configurations.all()]
    return {label.removesuffix(": "): label for label in labels}


def _number(rows: Rows, label: str, key: str) -> float | None:
    return number_of(rows.get(label, {}), key)


def _table(
    title: str,
    columns: Sequence[str],
    down: Sequence[str],
    cells: Sequence[Sequence[float | None]],
    *,
    corner: str = "",
    decimals: int,
) -> list[Titled]:
    """Make a table without what is empty; nothing where nothing is left."""
    places = [
        i for i in range(len(columns)) if any(line[i] is not None for line in cells)
    ]
    lines: list[tuple[Cell, ...]] = [
        (name, *(line[place] for place in places))
        for name, line in zip(down, cells, strict=True)
        if any(value is not None for value in line)
    ]
    if not lines:
        return []
    heads = tuple(Column(columns[place], columns[place], decimals) for place in places)
    return [(title, Table((Column(corner, "step"), *heads), tuple(lines)))]
