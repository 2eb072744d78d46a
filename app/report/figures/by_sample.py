"""Figures made of samples and histograms: latency, noise and fans, slots."""

from collections.abc import Iterator, Sequence

import numpy as np

from app.analysis.again.rows import row_of
from app.analysis.latency import histogram_of
from app.analysis.samples import Samples, samples_of
from app.record.store import Window
from app.report.figures.cases import Case, session_colours, source_of, title_of
from app.report.figures.figure import Axis, Figure, Floats, Series, Shape
from app.report.slots import rows_of_slots
from instruments.files.foreign_text import MISSHAPEN
from instruments.metric import BOTH
from instruments.reading import SECOND, Channel
from workloads.fio.kept import counted_between
from workloads.fio.output import together

_CELLS = 80
"""Stretches of time of a heat map, at most."""

_A_DECADE = 8
_BIN_S = 10.0
"""Noise and fans are compared by their means over so long."""

_FEWEST = 3
_NS_A_MS = 1e6


def histogram_figure(cases: Sequence[Case], labels: Sequence[str]) -> Figure | None:
    """Draw the latencies of steps in shares of their I/Os, so that lengths compare."""
    found = [
        (case, f"{case.letter} {label}", histogram)
        for case in cases
        for label in labels
        if label in case.steps
        if (histogram := histogram_of(case.session, case.steps[label])) is not None
    ]
    if not found:
        return None
    every = np.unique(np.concatenate([one.edges_ms() for *_, one in found]))
    colours = session_colours([case.place for case, *_ in found], len(cases))
    series = []
    for (_, name, histogram), colour in zip(found, colours, strict=True):
        counts = histogram.grouped(every, BOTH)
        shares = 100 * counts / max(float(counts.sum()), 1.0)
        series.append(Series(name, every, shares, Shape.STEPS, colour=colour))
    return Figure(
        title_of("Latency", cases),
        "Shares of all I/Os from submission to completion, 16 bars a decade.",
        Axis("Completion latency (ms)", is_log=True),
        Axis("Share of I/Os (%)"),
        tuple(series),
        source=source_of(cases),
    )


def heat_figure(cases: Sequence[Case], labels: Sequence[str]) -> Figure | None:
    """Draw how the latencies of a step lie over time, of the first session with any.

    Each column is what fio counted between two of its documents.
    """
    for case in cases:
        for label in labels:
            figure = _heat_of(case, label)
            if figure is not None:
                return figure
    return None


def _heat_of(case: Case, label: str) -> Figure | None:
    step = case.steps.get(label)
    row = row_of(case.session, step) if step is not None else None
    if row is None:
        return None
    try:
        parts = counted_between(row.outputs, row.whole, _CELLS)
    except MISSHAPEN:
        return None
    columns = [
        (part.window, together(list(part.counters.values())).bins) for part in parts
    ]
    values = [ns for _, bins in columns for ns, count in bins.items() if count > 0]
    if len(columns) < 2 or not values:
        return None
    low, high = (np.log10(max(end(values), 1) / _NS_A_MS) for end in (min, max))
    first, last = np.floor(low * _A_DECADE), np.floor(high * _A_DECADE) + 1
    edges = 10 ** (np.arange(first, last + 1) / _A_DECADE)
    cells = np.full((edges.size - 1, len(columns)), np.nan)
    for place, (_, bins) in enumerate(columns):
        ms = np.array(list(bins), dtype=np.float64) / _NS_A_MS
        counts = np.maximum(np.array(list(bins.values()), dtype=np.float64), 0)
        found, _ = np.histogram(ms, edges, weights=counts)
        total = found.sum()
        known = found > 0
        cells[known, place] = np.log10(found[known] / total * 100 + 1e-9)
    start = columns[0][0][0]
    x = [(window[0] - start) / SECOND for window, _ in columns]
    x.append((columns[-1][0][1] - start) / SECOND)
    return Figure(
        f"Latency over time: {case.letter} {label}",
        "Darker cells hold a larger share of the I/Os that were done in their stretch "
        "of time, by the logarithm of the share; stretches lie between documents of "
        "fio.",
        Axis("Time since the start of the load (s)", span=(x[0], x[-1])),
        Axis("Completion latency (ms)", is_log=True),
        (
            Series(
                "lg of the share of I/Os in %",
                np.array(x),
                edges,
                Shape.HEAT,
                colour=case.place,
                cells=cells,
            ),
        ),
        source=source_of([case]),
    )


def noise_figure(cases: Sequence[Case], labels: Sequence[str]) -> Figure | None:
    """Draw the noise over the speed of the fans, both as means of ten seconds.

    Args:
        cases: The sessions.
        labels: Of the steps that count; none for all of the sessions.
    """
    series = []
    for case in cases:
        windows = list(_windows(case, labels))
        fans = [c for c in case.session.channels() if c.quantity == "fan"]
        noise = [c for c in case.session.channels() if c.quantity == "LAeq"]
        pairs = [
            pair for window in windows for pair in _binned(case, fans, noise, window)
        ]
        if len(pairs) >= _FEWEST:
            both = np.array(pairs)
            series.append(
                Series(
                    case.letter, both[:, 0], both[:, 1], Shape.POINTS, colour=case.place
                )
            )
    if not series:
        return None
    return Figure(
        title_of("Noise against fan speed", cases),
        "Each point is ten seconds: the energy mean of the sound level over the mean "
        "speed of all fans. Ten seconds in which either is missing are excluded.",
        Axis("Mean fan speed (1/min)"),
        Axis("LAeq (dB(A))", from_zero=False),
        tuple(series),
        source=source_of(cases),
    )


def _windows(case: Case, labels: Sequence[str]) -> Iterator[Window]:
    if not labels:
        first, last = case.session.extent()
        yield first, last + 1
    for label in labels:
        step = case.steps.get(label)
        if step is not None and step.window is not None:
            yield step.window


def _binned(
    case: Case, fans: Sequence[Channel], noise: Sequence[Channel], window: Window
) -> Iterator[tuple[float, float]]:
    """Yield mean speed and mean level of each stretch in which both were read."""
    if not fans or not noise:
        return
    speeds = [_means(samples_of(case.session, one, window), window) for one in fans]
    levels = _means(samples_of(case.session, noise[0], window), window, by_energy=True)
    count = min(levels.size, *(one.size for one in speeds))
    speed = np.mean([one[:count] for one in speeds], axis=0)
    for x, y in zip(speed, levels[:count], strict=True):
        if np.isfinite(x) and np.isfinite(y):
            yield float(x), float(y)


def _means(samples: Samples, window: Window, *, by_energy: bool = False) -> Floats:
    length = round(_BIN_S * SECOND)
    count = int((window[1] - window[0]) // length)
    place = (samples.times - window[0]) // length
    inside = place < count
    values = samples.values[inside]
    values = 10 ** (values / 10) if by_energy else values
    sums = np.bincount(place[inside], values, count)[:count]
    numbers = np.bincount(place[inside], minlength=count)[:count].astype(np.float64)
    numbers[numbers == 0] = np.nan
    means = sums / numbers
    return np.asarray(10 * np.log10(means) if by_energy else means, dtype=np.float64)


def slots_figure(cases: Sequence[Case], labels: Sequence[str]) -> Figure | None:
    """Draw the mean temperature of each slot over a step, sessions side by side."""
    maps = []
    for case in cases:
        for window in list(_windows(case, labels))[:1]:
            slots = [
                c
                for c in case.session.channels()
                if c.quantity == "temperature" and c.location.startswith("slot")
            ]
            means = {
                c.location: samples_of(case.session, c, window).mean for c in slots
            }
            known = {name: mean for name, mean in means.items() if mean is not None}
            if known:
                rows = rows_of_slots(case.session.info.bench, list(means))
                maps.append((case, rows, known))
    if not maps:
        return None
    wide = max(len(row) for _, rows, _ in maps for row in rows)
    high = max(len(rows) for _, rows, _ in maps)
    # One picture of all, so that one colour is one temperature in all of them.
    cells = np.full((high, (wide + 1) * len(maps) - 1), np.nan)
    names = np.full(cells.shape, "", dtype=object)
    for number, (_, rows, known) in enumerate(maps):
        for line, row in enumerate(rows):
            for place, slot in enumerate(row):
                if slot in known:
                    at = high - 1 - line, number * (wide + 1) + place
                    cells[at] = known[slot]
                    names[at] = f"{known[slot]:.1f}"
    edges = np.arange(cells.shape[1] + 1, dtype=np.float64)
    ticks = tuple(
        ((wide + 1) * number + wide / 2, f"{case.letter} {case.session.info.name}")
        for number, (case, _, _) in enumerate(maps)
    )
    label = labels[0] if labels else "all of each session"
    return Figure(
        f"Slots: {label}",
        "Mean temperature of each slot in \N{DEGREE SIGN}C; one colour is one "
        "temperature in all sessions. Slots without a value are excluded.",
        Axis("", ticks=ticks, span=(0.0, float(edges[-1]))),
        Axis("", ticks=((-1.0, ""),), span=(0.0, float(high))),
        (
            Series(
                "",
                edges,
                np.arange(high + 1, dtype=np.float64),
                Shape.HEAT,
                colour=1,
                cells=cells,
                names=tuple(str(name) for name in names.ravel()),
            ),
        ),
        source=source_of([case for case, _, _ in maps]),
    )
