"""Power, lambda and energy of a step, several meters being feeds of one device."""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial

from app.analysis.feeds import known_together, result_of, sum_of_means, together
from app.analysis.integrator import LEAST_WH, Integrated, integrated
from app.analysis.peak import highest_mean, peak_note
from app.analysis.samples import Samples, channels_of, never_was, samples_of
from app.record.store import Basis, Result, Session, Window
from instruments.reading import SECOND, Channel, Status

MEAN_BY_TIME = "mean power x time"
"""How energy is found without an integrator."""

UNEQUAL = 0.01
"""An integrator and mean power x time that differ by a greater share are an ERROR."""

_COARSEST = 0.2
"""Of the energy: what the integrator of a window may not tell, for a power by it."""

_COARSE_DIGIT = 0.02
"""Of the energy: an integrator that counts more at once says less than mean power does,
which meters tell to some per cent at worst. [judged]"""

PEAK_WINDOW_S = 0.5
"""A power peak is the highest mean over this window of real samples."""


NEGATIVE = "power_negative"
"""The result that counts negative readings of power, where there are any."""

LEAST_FED_W = -1.0
"""A reading below it is not noise around nothing. [judged]"""


class NoMean(StrEnum):
    """Why there is no mean power of readings that there are."""

    NEVER_TOGETHER = "its feeds have no moment at which all of them were read"
    UNLIKE = "readings beside its gaps differ, what lacks may be unlike the rest"


def power_results(
    session: Session, channels: Sequence[Channel], window: Window
) -> list[Result]:
    """Compute mean and peak power of one device."""
    if not channels:
        return []
    samples = [samples_of(session, channel, window) for channel in channels]
    over = _over_range(session, channels, window)
    note = "sum of the feeds" if len(samples) > 1 else "mean"
    result_for = partial(result_of, window=window, samples=samples, over_range_s=over)
    mean = sum_of_means(together(samples))
    if mean is None:
        note = _why_no_mean(samples)
    results = [result_for("power_w", mean, "W", note=note)]
    feeds = [(part.times, part.values) for part in samples]
    peak = highest_mean(feeds, PEAK_WINDOW_S)
    note = peak_note(feeds, PEAK_WINDOW_S, peak)
    results.append(result_for("power_peak_w", peak, "W", note=note))
    return results + _negative(samples, result_for)


def _negative(
    samples: Sequence[Samples], result_for: Callable[..., Result]
) -> list[Result]:
    """Count the readings that say that power flows the other way, if there are any.

    They count in a mean: what is fed in is real. But a current clamp that is the wrong
    way round, or a single misread reading, lowers the mean as well.
    """
    counts = [int((part.values < LEAST_FED_W).sum()) for part in samples]
    told = [
        f"{part.channel.name} is negative in {count} of {part.values.size} readings "
        f"(down to {part.values.min():.4g} W)"
        for part, count in zip(samples, counts, strict=True)
        if count
    ]
    if not told:
        return []
    why = "counted as read: is a current clamp the wrong way round, or is power fed in?"
    note = f"{', '.join(told)}, {why}"
    return [result_for(NEGATIVE, float(sum(counts)), "", note=note)]


def _why_no_mean(samples: Sequence[Samples]) -> str:
    """Say why there is no mean power."""
    empty = [part.channel.name for part in samples if not part.values.size]
    if empty:
        return f"no reading of {', '.join(empty)} in the window"
    if not all(part.values.size for part in together(samples)):
        return NoMean.NEVER_TOGETHER
    return NoMean.UNLIKE


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
    volt_amperes = sum_of_means(together(apparent))
    over = _over_range(session, (part.channel for part in apparent), window)
    results = [
        result_of(
            "apparent_va", volt_amperes, "VA", window, apparent, over_range_s=over
        )
    ]
    both = together([*active, *apparent])
    watts = sum_of_means(both[: len(active)])
    beside = sum_of_means(both[len(active) :])
    ratio = watts / beside if watts is not None and beside else None
    note = "sum of P over sum of S" if ratio is not None else ""
    results.append(
        result_of("lambda", ratio, "", window, [*active, *apparent], note=note)
    )
    return results


def energy_results(
    session: Session, feeds: Sequence[Channel], window: Window
) -> list[Result]:
    """The analysers' integrators over the window, checked by mean power x time.

    Where no feed has an integrator, as in a log without it, energy is the mean power
    times the time. Where one of several has none there is no sum of theirs.
    """
    channels = [
        channel
        for channel in channels_of(feeds, "Wh", "Wh")
        if not never_was(session, channel, window[1])  # an integrator that is none
    ]
    active = channels_of(feeds, "P", "W")
    hours = (window[1] - window[0]) / SECOND / 3600
    powers = [samples_of(session, channel, window) for channel in active]
    if not channels and not powers:
        return []
    if not channels:
        return [_energy_of_power(session, powers, window, "no integrator was recorded")]
    samples = [samples_of(session, channel, window) for channel in channels]
    parts = [integrated(session, channel, window) for channel in channels]
    total, note = _total(parts, _sources(active) - _sources(channels))
    power = sum_of_means(together(powers))
    check = power * hours if power is not None else None
    if why := _too_coarse(parts, check):
        by_power = _energy_of_power(session, powers, window, why)
        if by_power.value is not None:
            return [by_power]
        if _stood_still(parts):  # What it took is less than a step of unknown height.
            note = f"{why}, and {by_power.note}" if powers else why
            return [result_of("energy_wh", None, "Wh", window, samples, note=note)]
    if total and check is not None:
        percent = round(100 * (check - total) / total, 2) + 0.0  # never "-0.00"
        note += f"; {MEAN_BY_TIME} is {percent:+.2f} %"
    energy = replace(
        result_of("energy_wh", total, "Wh", window, samples, note=note),
        resolution=sum(part.resolution for part in parts),
    )
    if over := _over_range(session, active, window):
        # An integrator goes on, but without what was cut off: it covers what P covers.
        valid, expected = known_together(powers)
        energy = replace(energy, n_valid=valid, n_expected=expected, over_range_s=over)
    note = MEAN_BY_TIME if check is not None else ""
    return [
        energy,
        result_of("energy_by_mean_wh", check, "Wh", window, powers, note=note),
    ]


def _too_coarse(parts: Sequence[Integrated], energy: float | None) -> str:
    """Say that integrators count too much at once for a window; "" where they do not.

    Counters of power strips count in steps of up to 100 Wh, which a server needs
    minutes for. What a window gets of them is by chance none or a step.

    Args:
        parts: What each of a device says.
        energy: About what the device took in Wh, by its power; None where power does
            not tell it.
    """
    if any(part.energy is None for part in parts):
        return ""
    if _stood_still(parts) and (energy is None or abs(energy) > LEAST_WH):
        return "the integrator did not count on in the window"
    if energy is None:
        return ""
    digits = sum(part.digit for part in parts)
    if math.isfinite(digits) and digits > _COARSE_DIGIT * abs(energy):
        return f"the integrator counts in steps of {digits:.3g} Wh, too coarse for it"
    return ""


def _stood_still(parts: Sequence[Integrated]) -> bool:
    """Tell whether an integrator showed the same at all readings of a window."""
    return any(math.isinf(part.digit) for part in parts)


def _over_range(session: Session, channels: Iterable[Channel], window: Window) -> float:
    """Get for how many seconds a value lacks what a meter had over range.

    What was above the range is not in its mean, nor in the sum of an integrator.
    """
    spans = [
        sum(
            min(gap.end_ns, window[1]) - max(gap.start_ns, window[0])
            for gap in session.gaps(channel.name, window)
            if gap.reason == Status.OVERRANGE
        )
        for channel in channels
    ]
    return max([0, *spans]) / SECOND


def _sources(channels: Iterable[Channel]) -> set[str]:
    return {channel.source for channel in channels}


def with_energy(results: Sequence[Result], window: Window) -> list[Result]:
    """Take energy over time for the mean power where it says more than the readings.

    The integrator went on while readings were missed, and those may go with the load.
    But it may be off by a reading at either edge: where this is more than what lacks
    comes to, and both agree within it, the mean of the existing readings is the better
    one. Either way the counts are those of the readings: it is starred. An energy
    without an integrator follows from the mean power, and what was over range is in
    neither. What the integrator cannot tell apart, over so short a time, is how far the
    mean may be off; of fewer than five of its readings there is none by it.
    """
    named = {result.name: result for result in results}
    power, energy = named.get("power_w"), named.get("energy_wh")
    if power is None or energy is None or energy.value is None:
        return list(results)
    by_mean = named.get("energy_by_mean_wh")
    is_known = power.value is not None and _is_whole(power)
    is_coarse = energy.resolution > _COARSEST * abs(energy.value)
    if is_known or by_mean is None or energy.over_range_s or is_coarse:
        return list(results)
    if _is_within_edges(power, by_mean.value, energy.value, 2 * energy.resolution):
        return list(results)
    hours = (window[1] - window[0]) / SECOND / 3600
    coarse = energy.resolution / hours
    existing = "not known" if power.value is None else f"{power.value:.5g} W"
    better = replace(
        power,
        value=energy.value / hours,
        origin=f"{energy.origin}, {power.origin}",
        note=f"energy over time, which the integrator tells to {coarse:.2g} W; the "
        f"mean of the existing readings is {existing}",
        channels=(*energy.channels, *power.channels),
        resolution=coarse,
    )
    return [better if result is power else result for result in results]


def _is_within_edges(
    power: Result, by_mean: float | None, energy: float, edges: float
) -> bool:
    """Tell that what lacks, and what both differ by, is less than edges may be off."""
    if by_mean is None:
        return False
    lacks = 1 - (power.n_valid or 0) / (power.n_expected or 1)
    return max(abs(by_mean - energy), lacks * abs(by_mean)) <= edges


def unequal_energy(results: Iterable[Result]) -> str:
    """Say that energy and mean power contradict each other; "" where they do not.

    That is so where all readings of power are there and energy differs from mean power
    x time by more than 1 % and by more than its readings can tell (as the EEHPC
    methodology checks its level 3, from memory).
    """
    named = {result.name: result for result in results}
    for name, energy in named.items():
        device = name.removesuffix("energy_wh")
        by_mean = named.get(f"{device}energy_by_mean_wh")
        if device == name or by_mean is None:
            continue
        power = named[f"{device}power_w"]
        if energy.value is None or by_mean.value is None:
            continue
        off = by_mean.value - energy.value
        # One reading more or less at either edge.
        least = max(2 * energy.resolution, UNEQUAL * abs(energy.value))
        if _is_whole(power) and abs(off) > least:
            return (
                f"{MEAN_BY_TIME} is {by_mean.value:.4g} Wh and the analyser's "
                f"integrator says {energy.value:.4g} Wh; one of the two is wrong"
            )
    return ""


def _is_whole(result: Result) -> bool:
    return (result.n_valid or 0) >= (result.n_expected or 0)


def _energy_of_power(
    session: Session, powers: Sequence[Samples], window: Window, why: str
) -> Result:
    """Mean power times time, where power is known as long as an integrator must be.

    Args:
        session: The session.
        powers: Of the feeds; at least one.
        window: The window.
        why: Why it is not what an integrator says.
    """
    valid, expected = known_together(powers)
    share = valid / expected if expected else 0.0
    needed = 1 - max(0.02, 3 / expected) if expected else 1.0
    power = sum_of_means(together(powers))
    if share < needed:
        power = None
        note = (
            f"{MEAN_BY_TIME} needs {100 * needed:.1f} % of the window, "
            f"{100 * share:.1f} % are known"
        )
    elif power is None:
        note = _why_no_mean(powers)
    else:
        note = f"{MEAN_BY_TIME}, {why}"
    hours = (window[1] - window[0]) / SECOND / 3600
    energy = power * hours if power is not None else None
    over = _over_range(session, (p.channel for p in powers), window)
    found = result_of(
        "energy_wh", energy, "Wh", window, powers, note=note, over_range_s=over
    )
    return replace(found, basis=Basis.MEAN_POWER)


def _total(
    parts: Sequence[Integrated], without: Collection[str]
) -> tuple[float | None, str]:
    """Add up integrators, and say what the sum rests on: on the one that covers least.

    Args:
        parts: What each says; at least one.
        without: Meters that have no integrator: what they fed is in no sum.
    """
    if without:
        return None, f"{', '.join(sorted(without))} does not integrate energy"
    known = [part.energy for part in parts if part.energy is not None]
    note = min(parts, key=lambda part: part.share).note
    return sum(known) if len(known) == len(parts) else None, note
