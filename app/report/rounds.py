"""Tables of what was run in rounds: the tracking variable, and means of the window."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.analysis.steady.matrix import Matrix, Tracked, matrices
from app.plan.campaign import stored_campaign
from app.plan.passes import of_pass
from app.record.store import Session
from app.report.table import STEP, Cell, Column, Row, Table, column_of, number_of
from instruments.metric import BY_NAME

_MEANS = ("power_w", "iops", "bandwidth_mb_s", "latency_mean_ms")
_LONGEST = "latency_max_ms"
"""A mean of percentiles would be none; the longest of all rounds is the longest."""

_COLUMNS = tuple(column_of(BY_NAME[name]) for name in (*_MEANS, _LONGEST))
Judged = Sequence[tuple[Matrix, Tracked]]


def judged_rounds(session: Session) -> Judged:
    """Judge what a session ran in rounds, as far as it got."""
    campaign = stored_campaign(session.info.campaign)
    runs = campaign.runs if campaign is not None else ()
    judged = ((matrix, matrix.judge(session)) for matrix in matrices(runs))
    return [(matrix, found) for matrix, found in judged if found.values]


def means_of_rounds(
    judged: Judged, rows: Mapping[str, Row]
) -> dict[str, dict[str, float]]:
    """Get the means over the rounds of the window, by the label of the first round.

    A result that a round of the window lacks has none.
    """
    means: dict[str, dict[str, float]] = {}
    for matrix, tracked in judged:
        first, last = tracked.window
        for label, _ in matrix.rows:
            own = [rows.get(of_pass(label, n), {}) for n in range(first, last + 1)]
            means[label] = {}
            for name in (*_MEANS, _LONGEST):
                values = [v for row in own if (v := number_of(row, name)) is not None]
                if len(values) == len(own):
                    mean = max(values) if name == _LONGEST else float(np.mean(values))
                    means[label][name] = mean
    return means


def rounds_tables(
    judged: Judged, means: Mapping[str, Mapping[str, float]]
) -> list[tuple[str, Table]]:
    """Make two tables of each matrix, with their titles."""
    tables = []
    for matrix, tracked in judged:
        first, last = tracked.window
        lines: list[tuple[Cell, ...]] = [
            (label, *(means[label].get(column.key) for column in _COLUMNS))
            for label, _ in matrix.rows
        ]
        state = "steady" if tracked.finding.steady else "not steady"
        title = f"Means of rounds {first} to {last}, {state}: {matrix.track}"
        # No one row is behind them: their keys are of no result.
        heads = [Column(c.head, f"{c.key} of rounds", c.decimals) for c in _COLUMNS]
        tables += [(title, Table((STEP, *heads), tuple(lines))), _tracking(tracked)]
    return tables


def _tracking(tracked: Tracked) -> tuple[str, Table]:
    """Make the table of the tracking variable, a line a round."""
    metric, (first, _) = BY_NAME[tracked.plan.of], tracked.window
    line = tracked.line
    lines: list[tuple[Cell, ...]] = []
    for number, value in enumerate(tracked.values, 1):
        fit = share = None
        if line is not None and tracked.mean and number >= first:
            fit = line[0] + (line[1] - line[0]) * (number - first) / (
                len(tracked.in_window) - 1
            )
            share = 100 * value / tracked.mean
        cell = None if np.isnan(value) else value
        lines.append((of_pass(tracked.label, number), cell, fit, share))
    columns = (
        STEP,
        column_of(metric),
        Column(f"Best-fit line ({metric.unit})", "fit", metric.decimals),
        Column("Of the window's mean (%)", "share", 1),
    )
    return f"Tracking variable: {tracked.label}", Table(columns, tuple(lines))


def rounds_notes(judged: Judged) -> list[str]:
    """Say how each matrix came out, but where its last row says it: not steady."""
    found = (tracked for _, tracked in judged)
    return [one.sentence for one in found if one.finding.steady or not one.is_over]


def titled(judged: Judged, labels: Sequence[str]) -> str:
    """Say for a title which rounds the means of some rows are of; "" for none."""
    for matrix, tracked in judged:
        if {label for label, _ in matrix.rows} & set(labels):
            first, last = tracked.window
            state = "" if tracked.finding.steady else ", not steady"
            return f", mean of rounds {first} to {last}{state}"
    return ""


def rounds_values(
    judged: Judged, means: Mapping[str, Mapping[str, float]]
) -> list[dict[str, object]]:
    """Get what is in the tables as plain values."""
    return [
        {
            "track": tracked.label,
            "of": tracked.plan.of,
            "most": tracked.plan.most,
            "values": [None if np.isnan(v) else v for v in tracked.values],
            "steady": tracked.finding.steady,
            "window": list(tracked.window),
            "mean": tracked.mean,
            "line": tracked.line and list(tracked.line),
            "told": tracked.sentence,
            "means": {label: dict(means[label]) for label, _ in matrix.rows},
        }
        for matrix, tracked in judged
    ]
