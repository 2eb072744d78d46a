"""Does what a power meter says fit together, and was its range wide enough."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.feeds import nearest, together
from app.analysis.samples import Floats, samples_of
from app.bench.drivers import drivers
from app.record.store import Session, SourceRow, Window
from instruments.reading import SECOND, Channel, Status

_LEAST_VA = 5.0
"""Below it a meter's own limits of error are greater than what is looked for."""

# P above S is impossible; 1 % leaves room for rounding and for readings a moment apart.
_P_OVER_S = 1.01
_LAMBDA_OFF = 0.02
_S_OFF = 0.05
"""Judged: meters agree with themselves to a tenth of these, a wrong channel, a wrong
scale or a line that was shifted does not."""

_INPUTS = (
    ("U", "voltage_range", "voltage", "V"),
    ("I", "current_range", "current", "A"),
)


def meter_remarks(session: Session, window: Window) -> list[str]:
    """Say what is not plausible in what each power meter says, and what was clipped."""
    remarks: list[str] = []
    for source in session.sources():
        if source.section != "power":
            continue
        places: dict[str, dict[str, Channel]] = {}
        for channel in session.channels():
            if channel.source == source.name and channel.location != "sum":
                places.setdefault(channel.location, {})[channel.quantity] = channel
        for place, channels in places.items():
            meter = _Meter(f"{source.name} {place}".strip(), source, channels)
            # Outlets of a PDU tell whole watts and tenths of an ampere.
            if source.driver != "snmp":
                remarks += _doubts(session, window, meter)
            remarks += _clipped(session, window, meter)
    return remarks


@dataclass(frozen=True, slots=True)
class _Meter:
    """One element of a meter, with its channels by quantity."""

    name: str
    source: SourceRow
    channels: Mapping[str, Channel]


def _doubts(session: Session, window: Window, meter: _Meter) -> Iterator[str]:
    """Say what contradicts itself, sample by sample.

    While the load changes a mean of ratios is not the ratio of the means.
    """
    values = _beside(session, window, meter)
    if not {"P", "S"} <= values.keys():
        return
    enough = values["S"] >= _LEAST_VA
    if not enough.any():
        return
    values = {quantity: found[enough] for quantity, found in values.items()}
    power, apparent = values["P"], values["S"]
    if abs(power.mean()) > _P_OVER_S * apparent.mean():  # holds of means, too
        yield (
            f"{meter.name}: P is {power.mean():.4g} W and S only "
            f"{apparent.mean():.4g} VA"
        )
    if "lambda" in values:
        factors, ratio = values["lambda"], power / apparent
        off = float(np.median(np.abs(np.abs(factors) - np.abs(ratio))))
        if off > _LAMBDA_OFF:
            yield (
                f"{meter.name}: it reports a power factor of {np.median(factors):.3f}, "
                f"and P over S is {np.median(ratio):.3f}; sample by sample they are "
                f"{off:.3f} apart (medians)"
            )
    if "U" in values and "I" in values:
        volts, amperes = values["U"], values["I"]
        product = volts * amperes
        if np.median(np.abs(product - apparent) / apparent) > _S_OFF:
            yield (
                f"{meter.name}: S is {np.median(apparent):.4g} VA, and U x I is "
                f"{np.median(product):.4g} VA ({np.median(volts):.4g} V, "
                f"{np.median(amperes):.4g} A)"
            )


def _beside(session: Session, window: Window, meter: _Meter) -> dict[str, Floats]:
    """Get the values of a meter's channels at the times of the one with the fewest."""
    found = {
        quantity: samples_of(session, meter.channels[quantity], window)
        for quantity in ("P", "S", "lambda", "U", "I")
        if quantity in meter.channels
    }
    known = [quantity for quantity, part in found.items() if part.values.size]
    parts = together([found[quantity] for quantity in known])
    if any(not part.values.size for part in parts):
        return {}
    times = min((part.times for part in parts), key=len, default=np.zeros(0, np.int64))
    return {
        quantity: part.values[nearest(part.times, times)]
        for quantity, part in zip(known, parts, strict=True)
    }


def _clipped(session: Session, window: Window, meter: _Meter) -> Iterator[str]:
    """Say which input was over its range, and which range would have done."""
    for quantity, key, word, unit in _INPUTS:
        channel = meter.channels.get(quantity)
        gaps = session.gaps(channel.name, window) if channel else ()
        gaps = [gap for gap in gaps if gap.reason == Status.OVERRANGE]
        over_ns = sum(
            min(gap.end_ns, window[1]) - max(gap.start_ns, window[0]) for gap in gaps
        )
        if over_ns <= 0:
            continue
        starts = [max(gap.start_ns, window[0]) for gap in gaps]
        now = _range_of(session, window, meter, (quantity, key), starts)
        choices = _choices(meter.source.driver, key)
        yield (
            f"{meter.name}: {word} over range for {over_ns / SECOND:.1f} s"
            f"{_range_advice(now, choices, unit)}"
        )


def _range_advice(now: float, choices: Sequence[float], unit: str) -> str:
    """Say which range would have done, where it is known which one was in use."""
    if math.isnan(now):
        return ", power is too low: set a wider range for this step"
    text = f" of {now:g} {unit}, power is too low"
    wider = [choice for choice in choices if choice > now]
    if not wider:
        return f"{text}: there is no wider range"
    return (
        f"{text}: set {min(wider):g} {unit} for this step in step_ranges, or a "
        "ranging pass"
    )


def _range_of(
    session: Session,
    window: Window,
    meter: _Meter,
    inputs: tuple[str, str],
    starts: Sequence[int],
) -> float:
    """Get the widest range that an input was over; NaN where it is not known.

    Args:
        session: The session.
        window: Start and end in monotonic ns.
        meter: The meter.
        inputs: The quantity of the input, and the key of its range.
        starts: When it came to be over range; what was set then, or last before, was
            too small, not what a ranging pass has set since.
    """
    quantity, key = inputs
    in_use = meter.channels.get(f"{quantity}_range")
    if in_use is not None:
        begin = min(window[0], session.extent()[0])
        known = samples_of(session, in_use, (begin, window[1]))
        if known.values.size:
            at = np.searchsorted(known.times, starts, side="right") - 1
            return float(known.values[np.maximum(at, 0)].max())
    given = meter.source.keys
    if given.get("step_ranges"):  # which of them was in use is not known
        return math.nan
    found = given.get(key)
    return float(found) if isinstance(found, int | float) else math.nan


def _choices(driver: str, key: str) -> list[float]:
    """Get the ranges that a driver's meters have."""
    known = drivers().get(("power", driver))
    options = known.options if known else ()
    return [
        float(choice)
        for option in options
        if option.key == key
        for choice in option.choices
        if isinstance(choice, int | float)
    ]
