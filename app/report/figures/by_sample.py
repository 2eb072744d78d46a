"""Figures made of samples and histograms: latency, noise and fans, slots."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

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

_MOST_HEATS = 4
"""Maps below each other; more would be too low to be read."""

_LATENCY = "Completion latency (ms)"
_A_DECADE = 8
_BIN_S = 10.0
"""Noise and fans are compared by their means over so long."""

_FEWEST = 3
_NS_A_MS = 1e6


_Column = tuple[Window, Mapping[int, int]]
"""A stretch of time, and how many I/Os took how many nanoseconds in it."""


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
        "Shares of all I/Os from submission to completion, 16 bars a decade."
        + _not_drawn("has no histogram of these steps", cases, [c for c, *_ in found]),
        Axis(_LATENCY, is_log=True),
        Axis("Share of I/Os (%)"),
        tuple(series),
        source=source_of(cases),
    )


def heat_figure(cases: Sequence[Case], labels: Sequence[str]) -> Figure | None:
    """Draw how the latencies of steps lie over time, one below the other.

    Each column is what fio counted between two of its documents.
    """
    found = [
        (case, label, columns)
        for case in cases
        for label in labels
        if (columns := _columns_of(case, label))
    ]
    if not found:
        return None
    about = (
        "Stronger cells hold a larger share of the I/Os that completed in that stretch "
        "of time; stretches lie between documents of fio."
        + _not_drawn("has no histogram of these steps", cases, [c for c, *_ in found])
    )
    without_room = [f"{case.letter} {label}" for case, label, _ in found[_MOST_HEATS:]]
    if without_room:
        about += f" Not drawn for lack of room: {', '.join(without_room)}."
    return _heats(found[:_MOST_HEATS], about)


def _heats(
    drawn: Sequence[tuple[Case, str, Sequence[_Column]]], about: str
) -> Figure | None:
    """Draw maps one below the other: one shade is one share, one height one latency."""
    maps = [_heat_map(columns) for *_, columns in drawn]
    shades = Axis(
        "Share of I/Os (%)", is_log=True, span=_ends([cells for *_, cells in maps])
    )
    span = _ends([edges for _, edges, _ in maps])
    end = max(float(x[-1]) for x, *_ in maps)
    names = [f"{case.letter} {label}" for case, label, _ in drawn]
    figure = None
    # The lowest first: each takes the one below it.
    lowest_first = zip(drawn[::-1], names[::-1], maps[::-1], strict=True)
    for (case, *_), name, (x, edges, cells) in lowest_first:
        title = f"{name} (ms)" if len(drawn) > 1 else _LATENCY
        heat = Series(
            name, x, edges, Shape.HEAT, colour=case.place, cells=cells, shades=shades
        )
        figure = Figure(
            f"Latency over time: {', '.join(names)}",
            about,
            Axis("Time since the start of the load (s)", span=(0.0, end)),
            Axis(title, is_log=True, span=span),
            (heat,),
            source=source_of(list({c.letter: c for c, *_ in drawn}.values())),
            below=figure,
        )
    return figure


def _ends(parts: Sequence[Floats]) -> tuple[float, float]:
    """Get the lowest and the highest of some values; there is one at least."""
    every = np.concatenate([values[np.isfinite(values)] for values in parts])
    return float(every.min()), float(every.max())


def _columns_of(case: Case, label: str) -> list[_Column]:
    """Get what fio counted in each stretch of a load; nothing where none is kept."""
    step = case.steps.get(label)
    row = row_of(case.session, step) if step is not None else None
    if row is None:
        return []
    try:
        parts = counted_between(row.outputs, row.whole, _CELLS)
    except MISSHAPEN:
        return []
    columns = [
        (part.window, together(list(part.counters.values())).bins) for part in parts
    ]
    has_any = any(count > 0 for _, bins in columns for count in bins.values())
    return columns if len(columns) > 1 and has_any else []


def _heat_map(columns: Sequence[_Column]) -> tuple[Floats, Floats, Floats]:
    """Get seconds, edges in ms and the shares between them in %; NaN for none."""
    values = [ns for _, bins in columns for ns, count in bins.items() if count > 0]
    low, high = (np.log10(max(end(values), 1) / _NS_A_MS) for end in (min, max))
    first, last = np.floor(low * _A_DECADE), np.floor(high * _A_DECADE) + 1
    edges = 10 ** (np.arange(first, last + 1) / _A_DECADE)
    cells = np.full((edges.size - 1, len(columns)), np.nan)
    for place, (_, bins) in enumerate(columns):
        ms = np.array(list(bins), dtype=np.float64) / _NS_A_MS
        counts = np.maximum(np.array(list(bins.values()), dtype=np.float64), 0)
        found, _ = np.histogram(ms, edges, weights=counts)
        known = found > 0
        cells[known, place] = found[known] / found.sum() * 100
    start = columns[0][0][0]
    x = [(window[0] - start) / SECOND for window, _ in columns]
    x.append((columns[-1][0][1] - start) / SECOND)
    return np.array(x), edges, cells


def _not_drawn(why: str, cases: Sequence[Case], drawn: Sequence[Case]) -> str:
    """Name the sessions that a figure has nothing of; "" where it has all."""
    known = {case.letter for case in drawn}
    others = [case.letter for case in cases if case.letter not in known]
    return "".join(f" {letter} {why}." for letter in others)


def noise_figure(cases: Sequence[Case], labels: Sequence[str]) -> Figure | None:
    """Draw the noise over the speed of the fans, both as means of ten seconds.

    Args:
        cases: The sessions.
        labels: Of the steps that count; none for all of the sessions.
    """
    series, drawn = [], []
    for case in cases:
        windows = list(_windows(case, labels))
        fans = [c for c in case.session.channels() if c.quantity == "fan"]
        noise = [c for c in case.session.channels() if c.quantity == "LAeq"]
        pairs = [
            pair for window in windows for pair in _binned(case, fans, noise, window)
        ]
        if len(pairs) >= _FEWEST:
            both = np.array(pairs)
            drawn.append(case)
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
        "speed of all fans. Ten seconds in which either is missing are excluded."
        + _not_drawn("has no noise and fans together", cases, drawn),
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
    maps = [
        (case, rows, means)
        for case in cases
        for window in _windows(case, labels[:1])
        for rows, means in _slot_means(case, window)
    ]
    if not maps:
        return None
    wide = max(len(row) for _, rows, _ in maps for row in rows)
    high = max(len(rows) for _, rows, _ in maps)
    cells, names = _side_by_side([one[1:] for one in maps], high, wide)
    edges = np.arange(cells.shape[1] + 1, dtype=np.float64)
    ticks = tuple(
        ((wide + 1) * number + wide / 2, f"{case.letter} {case.session.info.name}")
        for number, (case, _, _) in enumerate(maps)
    )
    label = labels[0] if labels else "all of each session"
    return Figure(
        f"Slots: {label}",
        "Mean temperature of each slot; one shade is one temperature in all sessions. "
        "Slots without a value are excluded."
        + _not_drawn(
            "has no slot temperatures of this step", cases, [case for case, *_ in maps]
        ),
        Axis("", ticks=ticks, span=(0.0, float(edges[-1]))),
        Axis("", ticks=((-1.0, ""),), span=(0.0, float(high))),
        (
            Series(
                "Mean temperature (\N{DEGREE SIGN}C)",
                edges,
                np.arange(high + 1, dtype=np.float64),
                Shape.HEAT,
                colour=1,
                cells=cells,
                names=tuple(str(name) for name in names.ravel()),
                shades=Axis(
                    "Mean temperature (\N{DEGREE SIGN}C)",
                    span=(float(np.nanmin(cells)), float(np.nanmax(cells))),
                ),
            ),
        ),
        source=source_of([case for case, _, _ in maps]),
    )


_SlotMap = tuple[Sequence[Sequence[str]], Mapping[str, float]]
"""Rows of slots as they are mounted, and the mean temperatures that are known."""


def _slot_means(case: Case, window: Window) -> Iterator[_SlotMap]:
    """Yield the slots of a session over a window; nothing where none was read."""
    slots = [
        c
        for c in case.session.channels()
        if c.quantity == "temperature" and c.location.startswith("slot")
    ]
    means = {c.location: samples_of(case.session, c, window).mean for c in slots}
    known = {name: mean for name, mean in means.items() if mean is not None}
    if known:
        yield rows_of_slots(case.session.info.bench, list(means)), known


def _side_by_side(
    maps: Sequence[_SlotMap], high: int, wide: int
) -> tuple[Floats, NDArray[np.object_]]:
    """Put maps into one picture, so that one colour is one temperature in all."""
    cells = np.full((high, (wide + 1) * len(maps) - 1), np.nan)
    names = np.full(cells.shape, "", dtype=object)
    places = (
        (high - 1 - line, number * (wide + 1) + place, means[slot])
        for number, (rows, means) in enumerate(maps)
        for line, row in enumerate(rows)
        for place, slot in enumerate(row)
        if slot in means
    )
    for line, place, mean in places:
        cells[line, place] = mean
        names[line, place] = f"{mean:.1f}"
    return cells, names
