"""Power, lambda and energy of a step, several meters being feeds of one device."""

from collections.abc import Sequence

import numpy as np

from app.analysis.result import Result
from app.analysis.samples import (
    Floats,
    Samples,
    Times,
    channels_of,
    result_of,
    samples_of,
    sum_of_means,
)
from app.record.store import Session, Window
from instruments.reading import SECOND, Channel

PEAK_WINDOW_S = 0.5
"""A power peak is the highest mean over this window of real samples."""


def power_results(
    session: Session, channels: Sequence[Channel], window: Window
) -> list[Result]:
    """Compute mean and peak power of one device."""
    if not channels:
        return []
    samples = [samples_of(session, channel, window) for channel in channels]
    note = "sum of the feeds" if len(samples) > 1 else "mean"
    results = [
        result_of("power_w", sum_of_means(samples), "W", window, samples, note=note)
    ]
    feeds = [(part.times, part.values) for part in samples]
    peak = highest_mean(feeds, PEAK_WINDOW_S)
    note = f"highest mean over {PEAK_WINDOW_S * 1000:.0f} ms"
    note += " of the sum of the feeds" if len(samples) > 1 else ""
    results.append(result_of("power_peak_w", peak, "W", window, samples, note=note))
    return results


def apparent_results(
    session: Session, channels: Sequence[Channel], window: Window
) -> list[Result]:
    """Compute apparent power, and lambda as the sum of P over the sum of S."""
    apparent = [
        samples_of(session, c, window) for c in channels_of(channels, "S", "VA")
    ]
    active = [samples_of(session, c, window) for c in channels_of(channels, "P", "W")]
    if not apparent:
        return []
    volt_amperes, watts = sum_of_means(apparent), sum_of_means(active)
    results = [result_of("apparent_va", volt_amperes, "VA", window, apparent)]
    ratio = watts / volt_amperes if watts is not None and volt_amperes else None
    note = "sum of P over sum of S"
    results.append(
        result_of("lambda", ratio, "", window, [*active, *apparent], note=note)
    )
    return results


def energy_results(
    session: Session, feeds: Sequence[Channel], window: Window
) -> list[Result]:
    """The analysers' integrators over the window, checked by mean power x time.

    Where one feed of several has no integrator there is no sum of theirs, only the
    mean power x time.

    Args:
        session: The session.
        feeds: All channels of the meters of one device.
        window: Start and end in monotonic ns.
    """
    channels = channels_of(feeds, "Wh", "Wh")
    active = channels_of(feeds, "P", "W")
    if not channels:
        return []
    hours = (window[1] - window[0]) / SECOND / 3600
    powers = [samples_of(session, channel, window) for channel in active]
    without = sorted({c.source for c in active} - {c.source for c in channels})
    samples = [samples_of(session, channel, window) for channel in channels]
    parts = [_integrated(part, window) for part in samples]
    known = [energy for energy, _ in parts if energy is not None]
    total = sum(known) if len(known) == len(parts) and not without else None
    power = sum_of_means(powers)
    check = power * hours if power is not None else None
    covered = min(share for _, share in parts)
    note = f"the analyser's integrator over {100 * covered:.1f} % of the window"
    if without:
        note = f"{', '.join(without)} does not integrate energy"
    if total and check is not None:
        percent = round(100 * (check - total) / total, 2) + 0.0  # never "-0.00"
        note += f"; mean power x time is {percent:+.2f} %"
    return [
        result_of("energy_wh", total, "Wh", window, samples, note=note),
        result_of(
            "energy_by_mean_wh", check, "Wh", window, samples, note="mean power x time"
        ),
    ]


def _integrated(samples: Samples, window: Window) -> tuple[float | None, float]:
    """Difference an integrator over the window; return Wh and the share it covers.

    A reading that fell behind the one before says that the integrator was set back,
    as after a lost link: the pieces between are summed. The first and the last
    sample lie up to a period inside the window, and the mean rate carries the sum
    over these edges; where more is missing there is no energy.
    """
    if samples.values.size < 2:
        return None, 0.0
    steps = np.diff(samples.values)
    times = np.diff(samples.times)
    # Over a gap the integrator may have been set back and overtaken itself.
    whole = (steps >= 0) & (times <= 2.5 * samples.channel.period_ns)
    covered = float(times[whole].sum())
    length = float(window[1] - window[0])
    share = min(1.0, covered / length)
    if length - covered > max(0.02 * length, 3 * samples.channel.period_ns):
        return None, share
    return float(steps[whole].sum() * length / covered), share


def highest_mean(
    feeds: Sequence[tuple[Times, Floats]], window_s: float
) -> float | None:
    """Compute the highest mean over a sliding window of real samples.

    Several feeds are summed: each counts with its own mean over the same window.

    Args:
        feeds: Of each its sample times in ns, rising, and one value a sample.
        window_s: Length of the window in seconds.

    Returns:
        The highest mean, None where no window is covered by samples of every feed,
        or where a feed is too slow to have two samples in each.
    """
    length = round(window_s * SECOND)
    if any(times.size < 2 for times, _ in feeds):
        return None
    starts = np.unique(np.concatenate([times for times, _ in feeds]))
    total = np.zeros(starts.size)
    full = np.ones(starts.size, dtype=bool)
    for times, values in feeds:
        first = np.searchsorted(times, starts, side="left")
        end = np.searchsorted(times, starts + length, side="left")
        step = float(np.median(np.diff(times)))
        spans = times[np.maximum(end - 1, 0)] - times[np.minimum(first, times.size - 1)]
        full &= (end > first) & (2 * step <= length) & (spans + step >= 0.9 * length)
        sums = np.concatenate(([0.0], np.cumsum(values)))
        total += (sums[end] - sums[first]) / np.maximum(end - first, 1)
    return float(total[full].max()) if full.any() else None
