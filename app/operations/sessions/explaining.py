"""Explain a cell of the report: its formula, its window and the samples behind it."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from app.analysis.interrupted import open_session
from app.analysis.samples import Samples
from app.report.explain import explain
from app.report.table import Column, Table
from app.report.text import aligned
from instruments.files.foreign_text import cell
from instruments.reading import SECOND

_COLUMNS = (
    Column("Channel", "channel"),
    Column("Unit", "unit"),
    Column("Readings", "readings"),
    Column("Expected", "expected"),
    Column("Mean", "mean", 4),
    Column("Lowest", "low", 4),
    Column("Highest", "high", 4),
)

_SHOWN = 120
"""Characters of a raw reply that are shown."""


def explain_text(path: Path, label: str, name: str) -> str:
    """Say for the terminal what a cell was made of; raises BadInput as `explain`."""
    with open_session(path) as session:
        found = explain(session, label, name)
        start, _ = session.extent()
    shown = "blank" if found.value is None else f"{found.value!r} {found.unit}".strip()
    seconds = [(moment - start) / SECOND for moment in found.window]
    lines = [
        f"{label}, {found.name}: {shown}",
        f"  What      {found.about or 'a result of its engine'}",
        f"  Window    {seconds[1] - seconds[0]:.3f} s, from {seconds[0]:.3f} s to "
        f"{seconds[1]:.3f} s after the first sample of the session",
    ]
    if found.formula:
        figures = [f"{found.figures.get(part, part)}" for part in found.formula]
        lines.append(f"  Formula   {' '.join(found.formula)} = {' '.join(figures)}")
    if found.stored is not None:
        lines.append(f"  From      {found.stored.origin}")
        lines += [f"  Note      {found.stored.note}"] * bool(found.stored.note)
        lines.append(f"  Again     {found.agreement}")
    if found.kept and not found.samples and not found.formula:
        lines.append(f"  Kept      {', '.join(found.kept)}")
    for source, replies in found.replies.items():
        if replies:
            first = replies[0].decode("utf-8", "replace").strip()[:_SHOWN]
            lines.append(
                f"  Replies   {len(replies)} of {source} are kept, the first: {first}"
            )
    if found.samples:
        cells = tuple(tuple(_figures(part).values()) for part in found.samples)
        lines += ["", *aligned(Table(_COLUMNS, cells))]
    return "\n".join([*lines, ""])


def explain_json(path: Path, label: str, name: str) -> dict[str, Any]:
    """Get what a cell was made of as plain values, all samples that count with it."""
    with open_session(path) as session:
        found = explain(session, label, name)
    stored = found.stored
    return {
        "file": str(path),
        "step": label,
        "result": found.name,
        "value": found.value,
        "unit": found.unit,
        "window_ns": list(found.window),
        "formula": " ".join(found.formula) or None,
        "figures": dict(found.figures),
        "origin": stored.origin if stored is not None else None,
        "note": stored.note if stored is not None else None,
        "agreement": found.agreement.name.lower(),
        "outputs": list(found.kept),
        "replies": {
            source: [reply.decode("utf-8", "replace") for reply in replies]
            for source, replies in found.replies.items()
        },
        "channels": [
            {
                **_figures(part),
                "times_ns": part.times.tolist(),
                "values": part.values.tolist(),
            }
            for part in found.samples
        ],
    }


def explain_csv(path: Path, label: str, name: str) -> str:
    """Write every sample that counts: channel, unit, time in ns, value."""
    with open_session(path) as session:
        found = explain(session, label, name)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["channel", "unit", "monotonic_ns", "value"])
    for part in found.samples:
        name, unit = cell(part.channel.name), cell(part.channel.unit)
        pairs = zip(part.times.tolist(), part.values.tolist(), strict=True)
        rows.writerows([name, unit, moment, value] for moment, value in pairs)
    return text.getvalue()


def _figures(part: Samples) -> dict[str, str | float | None]:
    values = part.values
    return {
        "channel": part.channel.name,
        "unit": part.channel.unit,
        "readings": values.size,
        "expected": part.expected,
        "mean": part.mean,
        "low": float(np.min(values)) if values.size else None,
        "high": float(np.max(values)) if values.size else None,
    }
