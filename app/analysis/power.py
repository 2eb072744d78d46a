"""Power, lambda and energy of a step, several meters being feeds of one device."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.analysis.peak import highest_mean, peak_note
from app.analysis.samples import (
    Samples,
    channels_of,
    known_together,
    never_was,
    over_range,
    result_of,
    samples_of,
    sum_of_means,
    together,
)
from app.record.store import Basis, Result, Session, Window
from instruments.reading import SECOND, Channel, Status

MEAN_BY_TIME = "mean power x time"
"""How energy is found without an integrator."""

PEAK_WINDOW_S = 0.5
"""A power peak is the highest mean over this window of real samples."""


def power_results(
    session: Session, channels: Sequence[Channel], window: Window
) -> list[Result]:
    """Compute mean and peak power of one device."""
    if not channels:
        return []
    samples = [samples_of(session, channel, window) for channel in channels]
    over = over_range(session, channels, window)
    note = "sum of the feeds" if len(samples) > 1 else "mean"
    told = partial(result_of, window=window, samples=samples, over_range_s=over)
    results = [told("power_w", sum_of_means(together(samples)), "W", note=note)]
    feeds = [(part.times, part.values) for part in samples]
    peak = highest_mean(feeds, PEAK_WINDOW_S)
    note = peak_note(feeds, PEAK_WINDOW_S, peak)
    results.append(told("power_peak_w", peak, "W", note=note))
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
    volt_amperes = sum_of_means(together(apparent))
    over = over_range(session, (part.channel for part in apparent), window)
    results = [
        result_of(
            "apparent_va", volt_amperes, "VA", window, apparent, over_range_s=over
        )
    ]
    both = together([*active, *apparent])
    watts = sum_of_means(both[: len(active)])
    beside = sum_of_means(both[len(active) :])
    ratio = watts / beside if watts is not None and beside else None
    note = "sum of P over sum of S"
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

    Args:
        session: The session.
        feeds: All channels of the meters of one device.
        window: Start and end in monotonic ns.
    """
    channels = [
        channel
        for channel in channels_of(feeds, "Wh", "Wh")
        if not never_was(session, channel, window[1])  # an integrator that is none
    ]
    active = channels_of(feeds, "P", "W")
    hours = (window[1] - window[0]) / SECOND / 3600
    powers = [samples_of(session, channel, window) for channel in active]
    if not channels:
        return _energy_of_power(session, powers, window, hours)
    without = sorted({c.source for c in active} - {c.source for c in channels})
    samples = [samples_of(session, channel, window) for channel in channels]
    parts = [_integrated(session, part, window) for part in samples]
    known = [part.energy for part in parts if part.energy is not None]
    total = sum(known) if len(known) == len(parts) and not without else None
    power = sum_of_means(together(powers))
    check = power * hours if power is not None else None
    note = min(parts, key=lambda part: part.share).note
    if without:
        note = f"{', '.join(without)} does not integrate energy"
    if total and check is not None:
        percent = round(100 * (check - total) / total, 2) + 0.0  # never "-0.00"
        note += f"; {MEAN_BY_TIME} is {percent:+.2f} %"
    energy = result_of("energy_wh", total, "Wh", window, samples, note=note)
    if over := over_range(session, active, window):
        # An integrator goes on, but without what was cut off: it covers what P covers.
        valid, expected = known_together(powers)
        energy = replace(energy, n_valid=valid, n_expected=expected, over_range_s=over)
    return [
        energy,
        result_of("energy_by_mean_wh", check, "Wh", window, samples, note=MEAN_BY_TIME),
    ]


def _energy_of_power(
    session: Session, powers: Sequence[Samples], window: Window, hours: float
) -> list[Result]:
    """Mean power times time, where power is known as long as an integrator must be."""
    if not powers:
        return []
    valid, expected = known_together(powers)
    share = valid / expected if expected else 0.0
    needed = 1 - max(0.02, 3 / expected) if expected else 1.0
    power = sum_of_means(together(powers))
    if power is None or share < needed:
        power = None
        note = (
            f"{MEAN_BY_TIME} needs {100 * needed:.1f} % of the window, "
            f"{100 * share:.1f} % are known"
        )
    else:
        note = f"{MEAN_BY_TIME}, no integrator was recorded"
    energy = power * hours if power is not None else None
    over = over_range(session, (p.channel for p in powers), window)
    found = result_of(
        "energy_wh", energy, "Wh", window, powers, note=note, over_range_s=over
    )
    return [replace(found, basis=Basis.MEAN_POWER)]


@dataclass(frozen=True, slots=True)
class _Integrated:
    """What one integrator says of a window.

    Attributes:
        energy: In Wh, None where it covers too little.
        share: How much of the window it covers.
        needed: How much it has to cover.
    """

    energy: float | None
    share: float
    needed: float

    @property
    def note(self) -> str:
        """How much is covered, and, where that is too little, how much is needed."""
        if self.energy is None and self.needed <= 0:
            return (
                "the window is too short for the analyser's integrator, which has "
                "fewer than two readings in it"
            )
        if self.energy is None:
            return (
                f"the analyser's integrator covers {100 * self.share:.1f} % of the "
                f"window, {100 * self.needed:.1f} % are needed"
            )
        return f"the analyser's integrator over {100 * self.share:.1f} % of the window"


def _integrated(session: Session, samples: Samples, window: Window) -> _Integrated:
    """Difference an integrator over the window.

    A reading that fell behind the one before says that the integrator was set back,
    as after a lost link: the pieces between are summed. Over missed beats it went on,
    the source was there all the time. The first and the last sample lie up to a period
    inside the window, and the mean rate carries the sum over these edges; where more
    is missing there is no energy.
    """
    length = float(window[1] - window[0])
    period = samples.channel.period_ns
    needed = 1 - max(0.02, 3 * period / length)
    if samples.values.size < 2:
        return _Integrated(None, 0.0, max(0.0, needed))
    steps = np.diff(samples.values)
    times = np.diff(samples.times)
    whole = times <= 2.5 * period
    for place in np.flatnonzero(~whole):
        # Over another gap it may have been set back and overtaken itself.
        between = (int(samples.times[place]), int(samples.times[place + 1]))
        gaps = session.gaps(samples.channel.name, between)
        whole[place] = all(gap.reason == Status.MISSED for gap in gaps)
    whole &= steps >= 0
    covered = float(times[whole].sum())
    share = min(1.0, covered / length)
    if not covered or covered / length < needed:
        return _Integrated(None, share, max(0.0, needed))
    return _Integrated(float(steps[whole].sum() * length / covered), share, needed)
