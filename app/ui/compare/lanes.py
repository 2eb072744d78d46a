"""The open sessions that are compared, and how they lie on one time axis; no Qt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import ascii_uppercase

import numpy as np

from app.analysis.moments import Alignment, Lacking, clock_moment, moment_of
from app.record.store import StepRow
from app.report.chart.layout import Layout
from app.report.chart.panel import Panel, Row
from app.report.figures.cases import (
    COLOURS,
    cases_of,
    options_in,
    session_colours,
)
from app.ui.chart.data import apart_by_unit
from app.ui.chart.layers import Layer, gap_spans
from app.ui.session.record import Record, open_record
from instruments.errors import one_line
from instruments.reading import SECOND
from workloads.engines import LOADS

MOST = COLOURS
"""This many sessions, or steps of them, have their own colours."""

NAMES = tuple(ascii_uppercase[:MOST])

_LEAD_NS = 2 * SECOND
"""So much is shown before a step and after it."""

_COARSE = 8
"""Points that show whether there is anything at all."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What is laid over each other, and how.

    Attributes:
        labels: Of the steps.
        by: What lies at the same place.
        rows: Names of the rows of charts wanted; None for all.
        layout: The charts of a lab's own instead, None for those of every session.
        shifts: How much later a session is shown, in seconds, by its place.
        apart: Whether each session has its own charts.
        difference: Whether the differences to the first one are charted, too.
    """

    labels: tuple[str, ...] = ()
    by: Alignment = Alignment.STEP
    rows: tuple[str, ...] | None = None
    layout: Layout | None = None
    shifts: Mapping[int, float] = field(default_factory=dict)
    apart: bool = False
    difference: bool = False


@dataclass(frozen=True, slots=True)
class Lanes:
    """Open sessions; the first one is the baseline.

    Attributes:
        paths: The files.
        records: The open sessions.
    """

    paths: tuple[Path, ...] = ()
    records: tuple[Record, ...] = ()

    def without(self, kept: "Lanes | None") -> "Lanes":
        """Get those that another one does not share."""
        shared = () if kept is None else kept.records
        pairs = zip(self.paths, self.records, strict=True)
        own = [(path, one) for path, one in pairs if one not in shared]
        return Lanes(tuple(p for p, _ in own), tuple(one for _, one in own))

    def close(self) -> None:
        """Let go of all files."""
        for record in self.records:
            record.close()

    def steps(self) -> list[str]:
        """List the labels of the steps that were begun, those of most sessions first.

        A step that only one session has is listed, too.
        """
        every = [
            [step.label for step in record.session.steps() if step.start_ns is not None]
            for record in self.records
        ]
        labels = dict.fromkeys(label for own in every for label in own)
        counts = {one: sum(one in own for own in every) for one in labels}
        return sorted(labels, key=lambda one: -counts[one])

    def first_load(self) -> str:
        """Get the first step with a load; idle ones say little."""
        labels = self.steps()
        loads = {
            step.label
            for record in self.records
            for step in record.session.steps()
            if step.engine in LOADS
        }
        return next((one for one in labels if one in loads), next(iter(labels), ""))

    def has_sweep(self) -> bool:
        """Tell whether rows of one of them differ in one option alone."""
        return bool(options_in(cases_of([one.session for one in self.records])))

    def rows(self) -> list[str]:
        """List the rows of charts that one of them has."""
        names = [row.name for record in self.records for row in record.layer.rows]
        return list(dict.fromkeys(names))

    def layers(self, wanted: Arrangement) -> tuple[list[Layer], list[str]]:
        """Put the sessions on one time axis; runs in a worker.

        Returns:
            One layer for each session and step, at most `MOST`; and what is to be said
            of those that could not be laid where they should be.
        """
        layers: list[Layer] = []
        places: list[int] = []
        remarks: list[str] = []
        if not self.steps():  # nothing but whole sessions can be laid over each other
            wanted = replace(wanted, by=Alignment.CAMPAIGN)
        for place, record in enumerate(self.records):
            if lacking := _arranged(record, wanted.layout)[1]:
                said = "; ".join(one_line(one.rstrip(".")) for one in lacking)
                remarks.append(f"{NAMES[place]} lacks of the layout: {said}.")
            own = self._layers_of(place, record, wanted, remarks)
            places += [place] * len(own)
            layers += own
        if len(layers) > MOST:
            remarks.append(f"{MOST} of {len(layers)} are shown: tick fewer steps.")
        if wanted.difference and len(layers) < 2:
            remarks.append(
                "Tick a second session to see differences."
                if len(self.records) < 2
                else "There is no difference: only one session has these steps."
            )
        layers = self._coloured(layers[:MOST], places[:MOST])
        return _differing(_without_empty_rows(layers), wanted), remarks

    def _layers_of(
        self, place: int, record: Record, wanted: Arrangement, remarks: list[str]
    ) -> list[Layer]:
        """Get the layer of each step of a session; add what is to be said of them."""
        rows = self._rows(place, wanted)
        shift = round(wanted.shifts.get(place, 0.0) * SECOND)
        is_named = len(wanted.labels) > 1 and not wanted.by.is_whole
        layers = []
        for label, step in self._steps(record, wanted):
            name = f"{NAMES[place]} {one_line(label)}" if is_named else NAMES[place]
            origin = self._origin(record, step, wanted.by)
            if isinstance(origin, Lacking):
                remarks.append(
                    f"{name} has no {wanted.by} ({origin}): it begins with its step."
                )
                origin = (step and step.start_ns) or record.layer.start
            layer = _cut(record.layer, step)
            layers.append(replace(layer, rows=rows, origin=origin - shift, name=name))
        return layers

    def _coloured(self, layers: list[Layer], places: list[int]) -> list[Layer]:
        """Give each session its colour, also where the others lack the step."""
        count = len(self.records)
        if count == 1 and len(layers) == 1:
            return layers
        colours = session_colours(places, count)
        return [
            replace(one, lane=colour)
            for one, colour in zip(layers, colours, strict=True)
        ]

    def _steps(
        self, record: Record, wanted: Arrangement
    ) -> list[tuple[str, StepRow | None]]:
        """Get the wanted steps of a session; None for all of it."""
        if wanted.by.is_whole:
            return [("", None)]
        begun = [one for one in record.session.steps() if one.start_ns is not None]
        last = {step.label: step for step in begun}
        return [(label, last[label]) for label in wanted.labels if label in last]

    def _origin(
        self, record: Record, step: StepRow | None, by: Alignment
    ) -> int | Lacking:
        session = record.session
        if by is Alignment.CLOCK:
            first = min(
                one.session.info.realtime_ns
                + one.layer.start
                - one.session.info.monotonic_ns
                for one in self.records
            )
            return clock_moment(session, first)
        if by is Alignment.CAMPAIGN or step is None:
            return session.info.monotonic_ns
        return moment_of(session, step, by)

    def _rows(self, place: int, wanted: Arrangement) -> tuple[Row, ...]:
        each = [_arranged(record, wanted.layout)[0] for record in self.records]
        others = [row for rows in each[:place] + each[place + 1 :] for row in rows]
        known, names = apart_by_unit(each[place], others), wanted.rows
        return tuple(row for row in known if names is None or row.name in names)


def _arranged(
    record: Record, layout: Layout | None
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Get the rows of a session by a layout, and what it lacks for that."""
    arranger = record.layer.arranger
    if layout is None or arranger is None:
        return record.layer.rows, ()
    found = arranger.arrange(layout)
    return found.rows, found.lacking


def _cut(layer: Layer, step: StepRow | None) -> Layer:
    """Show a step with a little before and after it, or all."""
    if step is None or step.start_ns is None:
        return layer
    end = step.end_ns if step.end_ns is not None else layer.end
    return replace(
        layer,
        part=(step.start_ns, end),
        start=max(layer.start, step.start_ns - _LEAD_NS),
        end=min(layer.end, end + _LEAD_NS),
    )


def _without_empty_rows(layers: list[Layer]) -> list[Layer]:
    """Leave out the rows of charts that none has anything to draw in, not even a gap.

    Where that is every row, they stay: an empty chart says more than no chart.
    """
    filled = {row.name for one in layers for row in one.rows if _has_any(one, row)}
    if not filled:
        return layers
    return [
        replace(one, rows=tuple(row for row in one.rows if row.name in filled))
        for one in layers
    ]


def _has_any(layer: Layer, row: Row) -> bool:
    """Tell whether a session has a value or a gap of a row in what is compared."""
    span = layer.part or (layer.start, layer.end)
    names = dict.fromkeys(c.name for panel in row.panels for c in panel.channels)
    if any(
        np.isfinite(layer.session.trace(name, span, _COARSE).mean).any()
        for name in names
    ):
        return True
    left, right = ((t - layer.origin) / SECOND for t in span)
    gaps = gap_spans(layer, tuple(names))
    return any(gap.start < right and gap.end > left for gap in gaps)


def _differing(layers: Sequence[Layer], wanted: Arrangement) -> list[Layer]:
    """Add rows of differences, and give each session its own rows."""
    found = []
    for layer in layers:
        rows = list(layer.rows)
        if wanted.apart:
            rows = [
                replace(row, name=f"{row.name}, {layer.name}", group=row.name)
                for row in rows
            ]
        if wanted.difference and len(layers) > 1:
            first = layers[0].name
            rows = [
                one
                for shown, row in zip(rows, layer.rows, strict=True)
                for one in (
                    replace(shown, group=row.name),
                    Row(
                        f"{row.name}, less {first}",
                        tuple(_less(panel, first) for panel in row.panels),
                        group=row.name,
                    ),
                )
            ]
        found.append(replace(layer, rows=tuple(rows)))
    return found


def _less(panel: Panel, first: str) -> Panel:
    title = f"{panel.title} less {first}"
    return replace(panel, title=title, from_zero=False, less=panel.title)


def open_lanes(paths: Sequence[Path], known: Lanes) -> Lanes:
    """Open sessions, but those that are open already; runs in a worker.

    Where one fails, none that was opened here stays open.

    Raises:
        BadInput: One of them is not a session, damaged, or of a newer version.
    """
    have = dict(zip(known.paths, known.records, strict=True))
    fresh: dict[Path, Record] = {}
    try:
        for path in paths:
            if path not in have:
                fresh[path] = open_record(path)
    except BaseException:
        for record in fresh.values():
            record.close()
        raise
    return Lanes(tuple(paths), tuple({**have, **fresh}[path] for path in paths))
