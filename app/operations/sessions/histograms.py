"""Histograms of latency of a session's loads: as text, as values, as CSV."""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app.analysis.interrupted import open_session
from app.analysis.latency import LatencyHistogram, histogram_of
from app.analysis.tail import KEY, WORDS, Tail, tail
from app.record.store import Session
from app.report.table import Cell, Column, Table
from app.report.text import aligned
from instruments.errors import BadInput
from instruments.files.foreign_text import cell
from instruments.metric import BOTH, PERCENTILES, READ, WRITE
from instruments.settings import did_you_mean

_WAYS = (READ, WRITE)
_A_DECADE = 8
"""Lines of a text for each decade of latency."""


def _found(session: Session, label: str) -> dict[str, LatencyHistogram]:
    """Find the histograms of a session, or that of one row.

    Raises:
        BadInput: There is no such row, or no histogram.
    """
    steps = {step.label: step for step in session.steps()}
    if label and label not in steps:
        raise BadInput(
            f'there is no row "{label}"{did_you_mean(label, steps)}',
            where=str(session.path),
            way_out=f"Rows: {', '.join(steps)}.",
        )
    chosen = [steps[label]] if label else list(steps.values())
    made = {step.label: histogram_of(session, step) for step in chosen}
    found = {name: one for name, one in made.items() if one is not None}
    if not found:
        raise BadInput(
            f'"{label}" has no histogram' if label else "no row has a histogram",
            where=str(session.path),
            way_out="Those of fio are kept with rows that were measured as a whole, or "
            "on one host; of imported ones, where fio wrote json+.",
        )
    return found


def histograms_text(path: Path, label: str) -> str:
    """Write percentiles and a histogram of each load; raises BadInput for none."""
    with open_session(path) as session:
        found = _found(session, label)
    return "\n".join(line for one in found.items() for line in _lines(*one))


def _lines(label: str, found: LatencyHistogram) -> list[str]:
    edges = found.edges_ms(_A_DECADE)
    counts = [found.grouped(edges, way) for way in _WAYS]
    rows: list[tuple[Cell, ...]] = [
        (f"{low:.4g}", f"{high:.4g}", *each)
        for low, high, *each in zip(edges[:-1], edges[1:], *counts, strict=True)
        if any(each)
    ]
    heads = ("From (ms)", "to (ms)", "Reads", "Writes")
    columns = tuple(Column(head, head) for head in heads)
    values = found.percentiles(BOTH, PERCENTILES)
    percentiles = ", ".join(f"{p:g} % {value:.4g} ms" for p, value in values.items())
    return [
        f"{label}: completion latency of {sum(found.bins(BOTH).values())} I/Os",
        f"  {percentiles}",
        *_remarks(found),
        "",
        *aligned(Table(columns, tuple(rows))),
        "",
    ]


def _remarks(found: LatencyHistogram) -> Iterator[str]:
    """Say which percentiles are of too few I/Os, kind by kind."""
    thin = _thin(found, BOTH)
    for kind, words in WORDS.items():
        if percents := [f"{p:g} %" for p, of_it in thin.items() if of_it is kind]:
            yield f"  {', '.join(percents)}: {words}"


def histograms_json(path: Path, label: str) -> dict[str, Any]:
    """Get the histograms as plain values, with every bucket of fio."""
    with open_session(path) as session:
        found = _found(session, label)
    return {
        "file": str(path),
        "latency": "completion",
        "steps": {
            name: {
                "window_ns": list(one.window),
                "outputs": one.parts,
                "percentiles_ms": {
                    of: {
                        f"{p:g}": v for p, v in one.percentiles(of, PERCENTILES).items()
                    }
                    for of in (BOTH, *one.ways)
                },
                KEY: {
                    of: {f"{p:g}": kind for p, kind in _thin(one, of).items()}
                    for of in (BOTH, *one.ways)
                },
                "buckets": [
                    {"ns": value, **counts} for value, counts in _buckets(one).items()
                ],
            }
            for name, one in found.items()
        },
    }


def _thin(found: LatencyHistogram, of: str) -> dict[float, Tail]:
    """Find the percentiles that rest on too few I/Os."""
    count = sum(found.bins(of).values())
    return {p: few for p in PERCENTILES if (few := tail(p, count)) is not None}


def histograms_csv(path: Path, label: str) -> str:
    """Write every bucket of fio: step, value in ns, reads, writes."""
    with open_session(path) as session:
        found = _found(session, label)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["step", "completion_ns", "reads", "writes"])
    for name, one in found.items():
        rows.writerows(
            [cell(name), value, *counts.values()]
            for value, counts in _buckets(one).items()
        )
    return text.getvalue()


def _buckets(found: LatencyHistogram) -> Mapping[int, Mapping[str, int]]:
    both = {"reads": found.bins(READ), "writes": found.bins(WRITE)}
    return {
        value: {name: bins.get(value, 0) for name, bins in both.items()}
        for value in sorted({*both["reads"], *both["writes"]})
        if any(bins.get(value, 0) for bins in both.values())
    }
