"""The statistics of a curve over a window, from the store and not from its drawing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.analysis.feeds import summed
from app.analysis.samples import (
    Floats,
    Samples,
    Times,
    cut_documents,
    reaching,
    samples_of,
)
from app.analysis.statistics import Statistics, pooled, statistics_of
from app.record.store import Session, Window
from app.report.chart.computed import computed_statistics
from app.report.chart.lines import drawn_trace
from app.report.chart.panel import Curve
from app.report.chart.plot import panels_of
from app.report.chart.scale import Scale, number, scale_of
from instruments.reading import SECOND, Channel

MINUTE_S, HOUR_S = 60.0, 3600.0

_TOTALS = {
    "W": Scale(1 / HOUR_S, "Wh", 4),
    "VA": Scale(1 / HOUR_S, "VAh", 4),
    "B/s": Scale(1e-6, "MB", 1),
}
"""What a quantity adds up to over time; of others a total means nothing."""

_POWER = scale_of("W")

HEADS = (
    "Curve",
    "Unit",
    "Mean",
    "Min",
    "Max",
    "\N{GREEK SMALL LETTER SIGMA}",
    "Slope/min",
    "Total",
    "n of n",
)
"""Of the columns of statistics as text."""


@dataclass(frozen=True, slots=True)
class CurveStatistics:
    """One line of a table of statistics.

    Attributes:
        curve: Whose they are.
        name: What it is called there.
        found: The figures; None where the window has no sample.
    """

    curve: Curve
    name: str
    found: Statistics | None

    @property
    def cells(self) -> tuple[str, ...]:
        """The figures as texts, in the order of `HEADS`; "" for what is not known."""
        curve, found = self.curve, self.found
        unit = curve.scale.unit
        if found is None:
            return (self.name, unit, *([""] * 6), "no samples")
        slope = None if found.slope is None else found.slope * MINUTE_S
        figures = (found.mean, found.low, found.high, found.sigma, slope)
        total = _TOTALS.get(curve.unit)
        return (
            self.name,
            unit,
            *(_text(curve.scale, value) for value in figures),
            total.full(found.total) if total and not curve.is_band else "",
            f"{found.n_valid} of {found.n_expected}",
        )

    def as_json(self) -> dict[str, object]:
        """Get them as plain values, in the unit that is shown; total as stored."""
        found, factor = self.found, self.curve.scale.factor
        head: dict[str, object] = {"curve": self.name, "unit": self.curve.scale.unit}
        if found is None:
            return head | {"n_valid": 0}
        total = _TOTALS.get(self.curve.unit)
        return head | {
            "mean": found.mean * factor,
            "min": found.low * factor,
            "max": found.high * factor,
            "sigma": None if found.sigma is None else found.sigma * factor,
            "slope_per_min": (
                None if found.slope is None else found.slope * factor * MINUTE_S
            ),
            "total": found.total * total.factor if total else None,
            "total_unit": total.unit if total else None,
            "n_valid": found.n_valid,
            "n_expected": found.n_expected,
        }


def _text(scale: Scale, value: float | None) -> str:
    """Write a figure; a small one, such as a slope, with more decimals."""
    if value is None:
        return ""
    shown = value * scale.factor
    decimals = scale.decimals
    while shown and decimals < 6 and abs(shown) < 10 ** (1 - decimals):
        decimals += 1
    return number(shown, decimals)


def curve_statistics(
    session: Session, curve: Curve, window: Window
) -> Statistics | None:
    """Get the statistics of all stored samples of a curve in a window.

    Of a sum only moments count at which all of its parts have a value; a band is what
    its parts come to together. None where there is no sample.
    """
    period = max(part.period_ns for part in curve.parts)
    if curve.is_sum:
        return statistics_of(
            lambda piece: summed([samples_of(session, p, piece) for p in curve.parts]),
            window,
            period,
        )
    if curve.maths is not None:
        return computed_statistics(session, curve, window)
    if curve.fine is not None:
        return _with_fine(session, curve.parts[0], curve.fine, window)
    parts = [
        statistics_of(partial(samples_of, session, part), window, part.period_ns)
        for part in curve.parts
    ]
    return pooled([part for part in parts if part is not None])


def _with_fine(
    session: Session, coarse: Channel, fine: Channel, window: Window
) -> Statistics | None:
    """Take the finer samples where they are, as the chart and the read-outs do."""

    def read(piece: Window) -> Samples | None:
        plain = samples_of(session, coarse, piece)
        reach = reaching(piece, max(coarse.period_ns, fine.period_ns))
        trace = drawn_trace(session, coarse, fine, reach, None)
        told = cut_documents(trace, piece, min(coarse.period_ns, fine.period_ns))
        if told is None or np.array_equal(told.times, plain.times):
            return plain
        times, values = told.times, told.mean
        spans = _lengths(times, told.spans)
        # What neither of them covers of the time that the load was to report.
        unknown = plain.expected * coarse.period_ns - float(spans.sum())
        missed = round(max(0.0, unknown) / fine.period_ns)
        channel = replace(coarse, period_ns=fine.period_ns)
        expected = times.size + missed
        return Samples(channel, times, values, expected, piece, spans)

    return statistics_of(read, window, min(coarse.period_ns, fine.period_ns))


def _lengths(times: Times, spans: Floats) -> Floats:
    """Get for how long each counts, in ns: no time twice where one ends in another."""
    ends = times + spans / 2
    before = np.r_[-np.inf, np.maximum.accumulate(ends)[:-1]]
    return np.clip(ends - np.maximum(times - spans / 2, before), 1.0, spans)


def session_statistics(
    session: Session, window: Window, titles: Sequence[str] = ()
) -> list[CurveStatistics]:
    """Get those of every curve of a session, or of the charts of some titles."""
    return [
        CurveStatistics(
            curve,
            f"{panel.title}: {curve.label}",
            curve_statistics(session, curve, window),
        )
        for panel in panels_of(session, titles or ("all",))
        for curve in panel.curves
    ]


def table_note(
    session: Session, window: Window, found: Sequence[CurveStatistics]
) -> str:
    """Say what the table of results has for a window where it is another mean.

    There power may be energy over time, and energy is the integrator's.

    Returns:
        "" where the table has nothing of the window, or shows the same.
    """
    power = [one for one in found if one.found and one.curve.unit == _POWER.unit]
    sentences = []
    for result in session.results() if power else ():
        if (result.start_ns, result.end_ns) != window or result.value is None:
            continue
        if result.name == "power_w":
            head, shown = "Mean", _text(_POWER, result.value)
            text = f"power {shown} {_POWER.unit}"
        elif result.name == "energy_wh":
            head, shown = "Total", _TOTALS["W"].full(result.value * HOUR_S)
            text = f"energy {shown}"
        else:
            continue
        place = HEADS.index(head)
        if all(one.cells[place] != shown for one in power):
            sentences.append(f"{text} ({result.note})" if result.note else text)
    return f"The table of results has {', '.join(sentences)}." if sentences else ""


def window_text(start: float, end: float) -> str:
    """Write a part of a session, in seconds from its begin."""
    return f"{start:.1f} s to {end:.1f} s ({end - start:.1f} s)"


def statistics_text(found: Sequence[CurveStatistics], label: str) -> str:
    """Write statistics with tabs, for a spreadsheet: a title, heads, a line a curve."""
    lines = [label, "\t".join(HEADS), *("\t".join(one.cells) for one in found)]
    return "\n".join(lines) + "\n"


def seconds_to(session: Session, seconds: float) -> int:
    """Get the moment this many seconds after the begin of a session."""
    return session.begin_ns + round(seconds * SECOND)
