"""Explain a cell of the report: its formula, its window and the samples behind it."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.analysis.interrupted import open_session
from app.analysis.samples import Samples
from app.analysis.uncertainty import COVERAGE
from app.report.budget import terms_text, values_of
from app.report.explain import explain
from app.report.explanation import Explanation
from app.report.table import Column, Table
from app.report.text import aligned
from instruments.errors import printable
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


_MOST_LINES = 2000
"""This many samples, and this many replies, the window shows, of each channel and of
each source as many; files have all."""


@dataclass(frozen=True, slots=True)
class Explained:
    """What a cell was made of, and that in words.

    Attributes:
        found: What it was made of.
        text: It as the terminal shows it.
        samples: The samples that count, one a line, with the seconds since the begin
            of the session, as in its charts; "" for none. Of power those are among them
            between which and the window it is known.
        replies: The raw replies in the window, one a line; "" for none.
    """

    found: Explanation
    text: str
    samples: str
    replies: str


def explained(path: Path, label: str, name: str) -> Explained:
    """Say for the window what a cell was made of; raises BadInput as `explain`."""
    with open_session(path) as session:
        found = explain(session, label, name)
        start = session.begin_ns
    most = _MOST_LINES // max(1, len(found.samples))
    counting = [(part.channel, _counting(found, part)) for part in found.samples]
    samples = [
        (
            [
                f"{(moment - start) / SECOND:10.3f} s  {channel.name}  {value!r} "
                f"{channel.printed_unit}"
                for moment, value, _ in own[:most]
            ],
            len(own),
        )
        for channel, own in counting
    ]
    most = _MOST_LINES // max(1, len(found.replies))
    replies = [
        (
            [
                f"{source}  {one.decode('utf-8', 'replace').strip()}"
                for one in kept[:most]
            ],
            len(kept),
        )
        for source, kept in found.replies.items()
    ]
    return Explained(found, _text(found, start), _listed(samples), _listed(replies))


def _listed(parts: Iterable[tuple[Sequence[str], int]]) -> str:
    """Write the lines of each part, and how many of it are not shown."""
    lines: list[str] = []
    for shown, total in parts:
        lines += map(printable, shown)
        more = total - len(shown)
        rest = f"... and {more} more: bayscope explain --csv or --json has all"
        lines += [rest] * (more > 0)
    return "\n".join(lines)


def explain_text(path: Path, label: str, name: str) -> str:
    """Say for the terminal what a cell was made of; raises BadInput as `explain`."""
    with open_session(path) as session:
        found = explain(session, label, name)
        start = session.begin_ns
    return _text(found, start)


def _text(found: Explanation, start: int) -> str:
    label = found.step.label
    shown = "blank" if found.value is None else f"{found.value!r} {found.unit}".strip()
    begin, end = ((moment - start) / SECOND for moment in found.window)
    lines = [
        f"{label}, {found.title}: {shown}",
        f"  What        {found.about or 'a result of its engine'}",
        f"  Window      {end - begin:.3f} s, from {begin:.3f} s to {end:.3f} s after "
        "the start of the session",
        *[f"  Blank       {found.lack}"] * bool(found.lack),
        *_formula(found),
        *_uncertainty(found),
    ]
    if found.stored is not None:
        lines.append(f"  From        {found.stored.origin}")
        lines += [f"  Note        {found.stored.note}"] * bool(found.stored.note)
        lines.append(f"  Recomputed  {found.agreement}")
    if found.kept and not found.samples and not found.formula:
        lines.append(f"  Kept        {', '.join(found.kept)}")
    lines += _replies(found)
    if found.samples:
        cells = tuple(tuple(_figures(part).values()) for part in found.samples)
        lines += ["", *aligned(Table(_COLUMNS, cells))]
    return "\n".join([*lines, ""])


def _formula(found: Explanation) -> Iterator[str]:
    if found.formula:
        figures = (str(found.figures.get(part, part)) for part in found.formula)
        yield f"  Formula     {' '.join(found.formula)} = {' '.join(figures)}"
    for one in found.sums:
        letters, numbers = one.lines
        yield from (f"  Formula     {letters}", f"              {numbers}")
        if one.edges:
            yield f"              {one.edges}"


def _replies(found: Explanation) -> Iterator[str]:
    for source, replies in found.replies.items():
        if replies:
            first = replies[0].decode("utf-8", "replace").strip()[:_SHOWN]
            count = f"{len(replies)} of {source} are kept"
            yield f"  Replies     {count}, the first: {first}"


def _uncertainty(found: Explanation) -> list[str]:
    shares = zip(("by meter", "by scatter"), found.uncertainty, strict=False)
    parts = [f"{name} {share:.4g}" for name, share in shares if share is not None]
    if not parts:
        return []
    whole = COVERAGE * math.hypot(*(share or 0.0 for share in found.uncertainty))
    amount = f"{whole:.4g} {found.unit}".rstrip()
    lines = [
        f"  Uncertainty ± {amount} (k = {COVERAGE:g}); standard: {', '.join(parts)}"
    ]
    terms = [] if found.budget is None else terms_text(found.budget)
    return lines + [f"  Limit of error  {term}" for term in terms]


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
        "lack": found.lack or None,
        "window_ns": list(found.window),
        "uncertainty": list(found.uncertainty),
        "uncertainty_budget": found.budget and values_of(found.budget),
        "formula": " ".join(found.formula) or None,
        "figures": dict(found.figures),
        "sums": [asdict(one) for one in found.sums],
        "origin": stored.origin if stored is not None else None,
        "note": stored.note if stored is not None else None,
        "agreement": found.agreement and found.agreement.name.lower(),
        "outputs": list(found.kept),
        "replies": {
            source: [reply.decode("utf-8", "replace") for reply in replies]
            for source, replies in found.replies.items()
        },
        "channels": [
            {
                **_figures(part),
                "times_ns": [moment for moment, _, _ in counting],
                "values": [value for _, value, _ in counting],
                "counts_s": [length for _, _, length in counting],
            }
            for part in found.samples
            for counting in (_counting(found, part),)
        ],
    }


def _counting(
    found: Explanation, part: Samples
) -> list[tuple[int, float, float | None]]:
    """Get time in ns and value of all that count, and of a mean by time for how long.

    The last reading before the window and the first one after it are among these.
    """
    if part.is_varying and any(one.by_time for one in found.sums):
        own = part.weighed.counting
        lengths: list[float | None] = (own.weights / SECOND).tolist()
        return list(zip(own.times.tolist(), own.values.tolist(), lengths, strict=True))
    pairs = zip(part.times.tolist(), part.values.tolist(), strict=True)
    return [(moment, value, None) for moment, value in pairs]


def explain_csv(path: Path, label: str, name: str) -> str:
    """Write every sample that counts: channel, unit, time in ns, value, how long."""
    with open_session(path) as session:
        found = explain(session, label, name)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["channel", "unit", "monotonic_ns", "value", "counts_s"])
    for part in found.samples:
        name, unit = cell(part.channel.name), cell(part.channel.unit)
        rows.writerows([name, unit, *one] for one in _counting(found, part))
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
