"""Results of a step, computed from the samples in its measured window."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.record.store import Session
from instruments.reading import SECOND, Channel

PEAK_WINDOW_S = 0.5
"""A power peak is the highest mean over this window of real samples."""

DRIVE_LOCATIONS = ("slot", "bay", "drive")
AMBIENT_LOCATIONS = ("inlet", "ambient", "room")

Floats = npt.NDArray[np.float64]
Times = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Result:
    """One value of a step, with what it was made of.

    Attributes:
        name: As in the view report_table.
        value: In `unit`; None where too little was measured.
        unit: Unit of the value.
        start_ns: Start of the window it is quoted over.
        end_ns: End of it.
        n_valid: Samples that were values.
        n_expected: Samples that the nominal periods promise.
        origin: The channels it comes from.
        note: How it was averaged, and what is missing.
    """

    name: str
    value: float | None
    unit: str
    start_ns: int
    end_ns: int
    n_valid: int
    n_expected: int
    origin: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Samples:
    """The valid samples of one channel in one window."""

    channel: Channel
    times: Times
    values: Floats
    expected: int


def step_results(session: Session, window: tuple[int, int]) -> list[Result]:
    """Compute power, energy, temperature and noise over one window.

    Several meters on one device are its feeds: power is the sum of P and lambda is
    the sum of P over the sum of S.

    Args:
        session: The session; call `refresh` first while it is recorded.
        window: Start and end in monotonic nanoseconds.
    """
    channels = session.channels()
    results = _power(session, _of(channels, "P", "W"), window)
    results += _apparent(session, channels, window)
    results += _energy(session, _of(channels, "Wh", "Wh"), window, results)
    results += _noise(session, _of(channels, "LAeq", "dB"), window)
    temperatures = _of(channels, "temperature", "degC")
    ambient = [c for c in temperatures if c.location.startswith(AMBIENT_LOCATIONS)]
    drives = [c for c in temperatures if c.location.startswith(DRIVE_LOCATIONS)]
    results += _temperature(session, ambient, "ambient_c", np.mean, window)
    results += _temperature(session, drives, "drive_min_c", np.min, window)
    results += _temperature(session, drives, "drive_max_c", np.max, window)
    return results


def silent_channels(session: Session, window: tuple[int, int]) -> list[Channel]:
    """Find recorded channels without one valid value in a window.

    Channels of loads do not count, nor do those that said why they have none: an
    empty slot, an unsupported sensor, a drive in standby.
    """
    loads = {source.name for source in session.sources() if source.section == "load"}
    found = []
    for channel in session.channels():
        if channel.source in loads or channel.period_ns > window[1] - window[0]:
            continue
        if _samples(session, channel, window).values.size:
            continue
        reasons = {gap.reason for gap in session.gaps(channel.name, window)}
        if not reasons or reasons - {"absent", "unsupported", "standby"}:
            found.append(channel)
    return found


def highest_mean(times: Times, values: Floats, window_s: float) -> float | None:
    """Compute the highest mean over a sliding window of real samples.

    Args:
        times: Sample times in ns, rising.
        values: One value a sample.
        window_s: Length of the window in seconds.

    Returns:
        The highest mean, None where no window is covered by samples: one counts
        where its samples span at least 80 % of it.
    """
    length = round(window_s * SECOND)
    sums = np.concatenate(([0.0], np.cumsum(values)))
    ends = np.searchsorted(times, times + length, side="left")
    counts = ends - np.arange(times.size)
    spans = times[np.maximum(ends - 1, 0)] - times
    full = spans >= 0.8 * length
    if not full.any():
        return None
    means = (sums[ends] - sums[: times.size]) / counts
    return float(means[full].max())


def energy_mean(levels: Floats) -> float:
    """Average sound levels in dB by energy: 10 lg(mean(10^(L/10)))."""
    return float(10 * np.log10(np.mean(10 ** (levels / 10))))


def _of(channels: Iterable[Channel], quantity: str, unit: str) -> list[Channel]:
    return [c for c in channels if c.quantity == quantity and c.unit == unit]


def _samples(session: Session, channel: Channel, window: tuple[int, int]) -> _Samples:
    trace = session.trace(channel, window, None)
    inside = (trace.times >= window[0]) & (trace.times < window[1])
    valid = inside & ~np.isnan(trace.mean)
    expected = max(1, round((window[1] - window[0]) / channel.period_ns))
    return _Samples(channel, trace.times[valid], trace.mean[valid], expected)


def _result(
    name: str,
    value: float | None,
    unit: str,
    window: tuple[int, int],
    samples: Sequence[_Samples],
    *,
    note: str = "",
) -> Result:
    return Result(
        name,
        value,
        unit,
        *window,
        n_valid=sum(part.values.size for part in samples),
        n_expected=sum(part.expected for part in samples),
        origin=_origin(samples),
        note=note,
    )


def _origin(samples: Sequence[_Samples]) -> str:
    names = [part.channel.name for part in samples]
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} .. {names[-1]}"


def _sum_of_means(samples: Sequence[_Samples]) -> float | None:
    """Add up the feeds; a feed without a sample leaves the sum unknown."""
    if not samples or any(not part.values.size for part in samples):
        return None
    return float(sum(part.values.mean() for part in samples))


def _power(
    session: Session, channels: list[Channel], window: tuple[int, int]
) -> list[Result]:
    if not channels:
        return []
    samples = [_samples(session, channel, window) for channel in channels]
    note = "sum of the feeds" if len(samples) > 1 else "mean"
    results = [
        _result("power_w", _sum_of_means(samples), "W", window, samples, note=note)
    ]
    if len(samples) == 1:
        peak = highest_mean(samples[0].times, samples[0].values, PEAK_WINDOW_S)
        note = f"highest mean over {PEAK_WINDOW_S * 1000:.0f} ms"
        results.append(_result("power_peak_w", peak, "W", window, samples, note=note))
    return results


def _apparent(
    session: Session, channels: list[Channel], window: tuple[int, int]
) -> list[Result]:
    apparent = [_samples(session, c, window) for c in _of(channels, "S", "VA")]
    active = [_samples(session, c, window) for c in _of(channels, "P", "W")]
    if not apparent:
        return []
    volt_amperes, watts = _sum_of_means(apparent), _sum_of_means(active)
    results = [_result("apparent_va", volt_amperes, "VA", window, apparent)]
    ratio = watts / volt_amperes if watts is not None and volt_amperes else None
    note = "sum of P over sum of S"
    results.append(
        _result("lambda", ratio, "", window, [*active, *apparent], note=note)
    )
    return results


def _energy(
    session: Session,
    channels: list[Channel],
    window: tuple[int, int],
    results: list[Result],
) -> list[Result]:
    """The analyser's integrator over the window, checked by mean power x time."""
    if not channels:
        return []
    hours = (window[1] - window[0]) / SECOND / 3600
    samples = [_samples(session, channel, window) for channel in channels]
    parts = [_integrated(part, window) for part in samples]
    known = [energy for energy, _ in parts if energy is not None]
    total = sum(known) if len(known) == len(parts) else None
    power = next((r.value for r in results if r.name == "power_w"), None)
    check = power * hours if power is not None else None
    covered = min(share for _, share in parts)
    note = f"the analyser's integrator over {100 * covered:.1f} % of the window"
    if total and check is not None:
        percent = round(100 * (check - total) / total, 2) + 0.0  # never "-0.00"
        note += f"; mean power x time is {percent:+.2f} %"
    return [
        _result("energy_wh", total, "Wh", window, samples, note=note),
        _result(
            "energy_by_mean_wh", check, "Wh", window, samples, note="mean power x time"
        ),
    ]


def _integrated(
    samples: _Samples, window: tuple[int, int]
) -> tuple[float | None, float]:
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


def _noise(
    session: Session, channels: list[Channel], window: tuple[int, int]
) -> list[Result]:
    if not channels:
        return []
    samples = [_samples(session, channels[0], window)]
    levels = samples[0].values
    mean = energy_mean(levels) if levels.size else None
    return [
        _result("noise_db", mean, "dB", window, samples, note="energy mean of LAeq")
    ]


def _temperature(
    session: Session,
    channels: list[Channel],
    name: str,
    pick: object,
    window: tuple[int, int],
) -> list[Result]:
    if not channels or not callable(pick):
        return []
    samples = [_samples(session, channel, window) for channel in channels]
    values = np.concatenate([part.values for part in samples])
    value = float(pick(values)) if values.size else None
    if value is not None and math.isnan(value):
        value = None
    return [_result(name, value, "degC", window, samples)]
