"""Does what a power meter says fit together, and was its range wide enough."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.analysis.samples import samples_of, together
from app.analysis.uncertainty import keys_of
from app.bench import drivers
from app.record.store import Session, SourceRow, Window
from instruments.reading import SECOND, Channel, Status

_LEAST_VA = 5.0
"""Below it a meter's own limits of error are greater than what is looked for."""

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
    """Say what is not plausible in the means of each power meter, and what was clipped.

    Args:
        session: The session.
        window: Start and end in monotonic ns.
    """
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
    """Say which means contradict each other."""
    wanted = [q for q in ("P", "S", "lambda", "U", "I") if q in meter.channels]
    parts = together([samples_of(session, meter.channels[q], window) for q in wanted])
    means = {
        quantity: float(part.values.mean())
        for quantity, part in zip(wanted, parts, strict=True)
        if part.values.size
    }
    power, apparent = means.get("P"), means.get("S")
    if power is None or apparent is None or apparent < _LEAST_VA:
        return
    if abs(power) > _P_OVER_S * apparent:
        yield f"{meter.name}: P is {power:.4g} W and S only {apparent:.4g} VA"
    told = means.get("lambda")
    if told is not None and abs(abs(told) - abs(power) / apparent) > _LAMBDA_OFF:
        yield (
            f"{meter.name}: it tells a power factor of {told:.3f}, and P over S is "
            f"{power / apparent:.3f}"
        )
    if "U" in means and "I" in means:
        product = means["U"] * means["I"]
        if abs(product - apparent) > _S_OFF * apparent:
            yield (
                f"{meter.name}: S is {apparent:.4g} VA, and U x I is {product:.4g} VA "
                f"({means['U']:.4g} V, {means['I']:.4g} A)"
            )


def _clipped(session: Session, window: Window, meter: _Meter) -> Iterator[str]:
    """Say which input was over its range, and which range would have done."""
    for quantity, key, word, unit in _INPUTS:
        channel = meter.channels.get(quantity)
        gaps = session.gaps(channel.name, window) if channel else ()
        over_ns = sum(
            min(gap.end_ns, window[1]) - max(gap.start_ns, window[0])
            for gap in gaps
            if gap.reason == Status.OVERRANGE
        )
        if over_ns <= 0:
            continue
        text = f"{meter.name}: {word} over range for {over_ns / SECOND:.1f} s"
        now = _range_of(session, window, meter, quantity, key)
        wider = [each for each in _choices(meter.source.driver, key) if each > now]
        if math.isnan(now):
            yield f"{text}, power is too low: take a greater range for this step"
        elif wider:
            yield (
                f"{text} of {now:g} {unit}, power is too low: take {min(wider):g} "
                f"{unit} for this step in step_ranges, or a ranging pass"
            )
        else:
            yield f"{text} of {now:g} {unit}, power is too low: no range is wider"


def _range_of(
    session: Session, window: Window, meter: _Meter, quantity: str, key: str
) -> float:
    """Get the range at the end of the window; NaN where it is not known."""
    told = meter.channels.get(f"{quantity}_range")
    if told is not None:
        ranges = samples_of(session, told, window).values
        if ranges.size:
            return float(ranges[-1])
    given = keys_of(meter.source.config)
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
