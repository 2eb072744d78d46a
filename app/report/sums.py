"""How a value is made of its samples: the first and the last of them put in."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.analysis.feeds import sum_of_means, together
from app.analysis.integrator import integrated
from app.analysis.load_part import LATENCIES, RATES, with_transfers
from app.analysis.peak import highest_window
from app.analysis.power import PEAK_WINDOW_S
from app.analysis.results import energy_mean
from app.analysis.samples import Samples, samples_of
from app.analysis.startup import PEAK_WINDOWS_S
from app.analysis.trapezoid import Floats
from app.record.store import Session, Window
from instruments.reading import SECOND
from workloads.disk_trace import MOVED

_SHOWN = 4
"""So many terms are written out; of more the first two and the last one."""


@dataclass(frozen=True, slots=True)
class Sum:
    """One line of how a value is made.

    Attributes:
        of: What comes out: a channel's mean, or the result.
        formula: How, in letters.
        figures: The same with the figures put in.
        value: What comes out; None where nothing does.
        by_time: Whether each sample counts by how long it does.
        edges: Which of the terms are of readings beside the window; "" for none.
    """

    of: str
    formula: str
    figures: str
    value: float | None
    by_time: bool = False
    edges: str = ""

    @property
    def lines(self) -> tuple[str, str]:
        """How it is made, in letters and in figures."""
        value = "" if self.value is None else f" = {self.value!r}"
        return f"{self.of} = {self.formula}", f"= {self.figures}{value}"


def sums_of(
    session: Session, name: str, samples: Sequence[Samples], window: Window
) -> list[Sum]:
    """Show how a result is made of its samples; nothing of what is none of a sum.

    Args:
        session: Where more is read of an integrator, which counts beyond the window.
        name: The result, maybe of a device, such as "server.power_w".
        samples: Those of its channels.
        window: Start and end in ns.
    """
    parts = [part for part in samples if part.values.size]
    own, seconds = name.rpartition(".")[2], (window[1] - window[0]) / SECOND
    factors = {
        **dict.fromkeys(("power_w", "apparent_va"), (1.0, "")),
        **dict.fromkeys(("energy_wh", "energy_by_mean_wh"), (seconds / 3600, " h")),
        **{rate: (factor, "") for rate, (_, _, factor) in RATES.items()},
        **dict.fromkeys(MOVED, (seconds, " s")),
    }
    if not parts:
        return []
    if own in _MADE:
        return _MADE[own](name, parts)
    if (peak_s := _peak_s(own)) is not None:
        return _peak(name, parts, peak_s)
    if own in LATENCIES:
        return _latency(session, name, parts, window)
    if own == "energy_wh" and parts[0].channel.unit == "Wh":
        return _counted(session, name, parts, window)
    return _means(name, parts, *factors[own]) if own in factors else []


def _means(name: str, parts: Sequence[Samples], factor: float, unit: str) -> list[Sum]:
    """Add up means by time, and take that times a factor; nothing of mixed units."""
    if len({part.channel.unit for part in parts}) > 1:
        return []
    if all(part.is_varying for part in parts):
        parts = together(parts)
    found = [_mean_by_time(part) for part in parts]
    if len(found) < 2 and factor == 1:
        return found
    total, values = sum_of_means(parts), [_short(one.value) for one in found]
    formula, figures = " + ".join(one.of for one in found), " + ".join(values)
    if factor != 1:
        more = f"{factor:.7g}{unit}"
        formula = f"({formula})" if len(found) > 1 else formula
        figures = f"({figures})" if len(found) > 1 else figures
        formula, figures = f"{formula} x {more}", f"{figures} x {more}"
    value = None if total is None else factor * total
    return [*found, Sum(name, formula, figures, value)]


def _mean_by_time(part: Samples) -> Sum:
    """Write the mean of a channel: each value times how long it counts."""
    weighed, quantity = part.weighed.counting, part.channel.quantity
    lengths, values = weighed.weights / SECOND, weighed.values
    terms = [f"{t:.4g} s x {v:.6g}" for t, v in _ends(lengths, values)]
    letters = _letters(values.size, lambda n: f"t{n} x {quantity}{n}")
    whole = f"{float(lengths.sum()):.6g} s"
    total = f"{float(lengths @ values):.7g} / {whole}"
    figures = f"({_joined(terms, values.size)}) / {whole} = {total}"
    of, formula = f"mean of {part.channel.name}", f"({letters}) / t"
    edges = _edges(part, quantity)
    return Sum(of, formula, figures, part.mean, by_time=True, edges=edges)


def _edges(part: Samples, letter: str) -> str:
    """Say which readings that count are not in the window."""
    times, (start, end) = part.weighed.counting.times, part.window
    sides = (
        (times[0] < start, 1, "before the window"),
        (times[-1] >= end, times.size, "after the window"),
    )
    told = [
        f"{letter}{number} was read {when}" for is_so, number, when in sides if is_so
    ]
    if not told:
        return ""
    counts = "each counts" if len(told) > 1 else "it counts"
    return f"{' and '.join(told)}: {counts} as far as it tells of the window"


def _ratio(name: str, parts: Sequence[Samples]) -> list[Sum]:
    """Divide the sum of active powers by that of apparent ones."""
    above, below = (
        [part for part in together(parts) if part.channel.unit == unit]
        for unit in ("W", "VA")
    )
    lines = [*_means("P", above, 1.0, ""), *_means("S", below, 1.0, "")]
    watts, beside = sum_of_means(above), sum_of_means(below)
    value = watts / beside if watts is not None and beside else None
    figures = f"{_short(watts)} / {_short(beside)}"
    return [*lines, Sum(name, "P / S", figures, value)]


def _level(name: str, parts: Sequence[Samples]) -> list[Sum]:
    """Average sound levels by their energy."""
    found = []
    for part in parts:
        values, count = part.values, part.values.size
        letters = _letters(count, lambda n: f"10^(L{n}/10)")
        terms = [f"10^{v / 10:.5g}" for _, v in _ends(values, values)]
        figures = f"10 lg(({_joined(terms, count)}) / {count})"
        formula = f"10 lg(({letters}) / n)"
        found.append(Sum(name, formula, figures, energy_mean(values)))
    return found


def _of_sensors(name: str, parts: Sequence[Samples]) -> list[Sum]:
    """Average the means of sensors, each by its own readings."""
    found, means = [], []
    for part in parts:
        values, count = part.values, part.values.size
        terms = [f"{v:.6g}" for _, v in _ends(values, values)]
        letters = _letters(count, lambda n: f"T{n}")
        figures = f"({_joined(terms, count)}) / {count}"
        means.append(float(values.mean()))
        of = f"mean of {part.channel.name}"
        found.append(Sum(of, f"({letters}) / n", figures, means[-1]))
    if len(means) > 1:
        count = len(means)
        terms = [f"{v:.6g}" for _, v in _ends(np.array(means), np.array(means))]
        letters = _letters(count, lambda n: f"mean{n}")
        figures = f"({_joined(terms, count)}) / {count}"
        found.append(Sum(name, f"({letters}) / n", figures, float(np.mean(means))))
    return found


def _extreme(
    word: str, pick: Callable[[Floats], float]
) -> Callable[[str, Sequence[Samples]], list[Sum]]:
    def made(name: str, parts: Sequence[Samples]) -> list[Sum]:
        extremes = np.array([float(pick(part.values)) for part in parts])
        letter = word if len(parts) > 1 else "T"
        shown = extremes if len(parts) > 1 else parts[0].values
        letters = _letters(shown.size, lambda n: f"{letter}{n}", ", ")
        terms = [f"{v:g}" for _, v in _ends(shown, shown)]
        figures = f"{word}({_joined(terms, shown.size, ', ')})"
        value = float(pick(extremes))
        of_all = " of the sensors" * (len(parts) > 1)
        return [Sum(name, f"{word}({letters}){of_all}", figures, value)]

    return made


_MADE: Mapping[str, Callable[[str, Sequence[Samples]], list[Sum]]] = {
    "lambda": _ratio,
    "noise_db": _level,
    "ambient_c": _of_sensors,
    "drive_min_c": _extreme("min", np.min),
    "drive_max_c": _extreme("max", np.max),
}


def _peak_s(name: str) -> float | None:
    """Get the length in s of the window that a peak is of; None of what is none."""
    if name == "power_peak_w":
        return PEAK_WINDOW_S
    lengths = {f"startup_peak_{round(1000 * s)}ms_w": s for s in PEAK_WINDOWS_S}
    return lengths.get(name)


def _peak(name: str, parts: Sequence[Samples], length_s: float) -> list[Sum]:
    """Average the readings of each feed in the window that was highest."""
    found = highest_window([(part.times, part.values) for part in parts], length_s)
    if found is None:
        return []
    lines = []
    for part, own in zip(parts, found.readings, strict=True):
        letters = _letters(own.size, lambda n: f"P{n}")
        terms = [f"{v:.6g}" for _, v in _ends(own, own)]
        figures = f"({_joined(terms, own.size)}) / {own.size}"
        of = f"highest {1000 * length_s:.0f} ms of {part.channel.name}"
        of = name if len(parts) == 1 else of
        lines.append(Sum(of, f"({letters}) / n", figures, float(own.sum()) / own.size))
    if len(lines) > 1:
        formula = " + ".join(one.of for one in lines)
        figures = " + ".join(_short(one.value) for one in lines)
        lines.append(Sum(name, formula, figures, None))
    # The very sum of the row, which adds up from the begin of the trace.
    return [*lines[:-1], replace(lines[-1], value=found.mean)]


def _latency(
    session: Session, name: str, parts: Sequence[Samples], window: Window
) -> list[Sum]:
    """Average documents of a load in which transfers took a mean time each."""
    rates = {c.name: c for c in session.channels() if c.quantity.endswith("_iops")}
    lines, shares, total, weight = [], [], 0.0, 0.0
    for part in parts:
        own = part.channel
        beside = replace(own, quantity=own.quantity.replace("_lat", "_iops")).name
        rate = samples_of(session, rates[beside], window)
        values, weights = with_transfers(part, rate)
        # Documents have a length in ns, other traces none.
        counts = weights / (SECOND if rate.is_of_documents else 1)
        total += float((values * weights).sum())
        weight += float(weights.sum())
        terms = [f"{n:.6g} x {1e3 * v:.5g} ms" for n, v in _ends(counts, values)]
        whole = f"{float(counts.sum()):.7g}"
        mean = 1e3 * float((values * weights).sum()) / float(weights.sum() or 1.0)
        shares.append(f"{whole} x {mean:.5g} ms")
        lines.append(
            Sum(
                name if len(parts) == 1 else f"mean of {own.name}",
                f"({_letters(values.size, lambda n: f'n{n} x L{n}')}) / n",
                f"({_joined(terms, values.size)}) / {whole}",
                mean,
            )
        )
    if len(lines) > 1:
        formula = f"({_letters(len(shares), lambda n: f'n{n} x mean{n}')}) / n"
        every = " + ".join(one.partition(" ")[0] for one in shares)
        lines.append(Sum(name, formula, f"({' + '.join(shares)}) / ({every})", None))
    value = 1e3 * total / weight if weight else None
    return [*lines[:-1], replace(lines[-1], value=value)]


def _counted(
    session: Session, name: str, parts: Sequence[Samples], window: Window
) -> list[Sum]:
    """Add up what integrators counted, from one reading to the next."""
    found, length = [], (window[1] - window[0]) / SECOND
    for part in parts:
        own = integrated(session, part.channel, window)
        steps = np.array(own.steps)
        if own.energy is None or not steps.size:
            return []
        letters = _letters(steps.size, lambda n: f"E{n}")
        terms = [f"{v:.5g}" for _, v in _ends(steps, steps)]
        figures = f"{_joined(terms, steps.size)} Wh"
        if own.share < 1:
            letters = f"({letters}) x t / covered"
            figures = f"({figures}) x {length:.6g} s / {own.share * length:.6g} s"
        found.append(Sum(f"{part.channel.name}", letters, figures, own.energy))
    if len(found) > 1:
        values = [one.value or 0.0 for one in found]
        formula = " + ".join(one.of for one in found)
        figures = " + ".join(map(_short, values))
        found.append(Sum(name, formula, figures, math.fsum(values)))
    return found


def _ends(first: Floats, second: Floats) -> list[tuple[float, float]]:
    """Get the pairs that are written out."""
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    return pairs if len(pairs) <= _SHOWN else [*pairs[:2], pairs[-1]]


def _joined(terms: Sequence[str], count: int, sign: str = " + ") -> str:
    """Join terms, with dots where some are left out."""
    if count > len(terms):
        terms = [*terms[:-1], "...", terms[-1]]
    return sign.join(terms)


def _letters(count: int, name: Callable[[int], str], sign: str = " + ") -> str:
    numbers = [1, 2, count] if count > _SHOWN else range(1, count + 1)
    return _joined([name(number) for number in numbers], count, sign)


def _short(value: float | None) -> str:
    return "not known" if value is None else f"{value:.7g}"
