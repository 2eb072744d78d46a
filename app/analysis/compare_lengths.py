"""Which compared rows lasted differently long: their energies do not compare."""

from app.analysis.compare import Comparison, Difference

_SHARE = 0.05
"""Lengths that differ by more than this share of the longer one are told."""
_MOST = 3
_HOUR_S = 3600.0


def lengths_told(comparison: Comparison) -> list[str]:
    """Say which rows lasted differently long; their energies follow from that.

    How long a row lasted is its energy divided by its mean power.
    """
    found = []
    for label, differences in comparison.rows:
        by_name = {difference.metric.name: difference for difference in differences}
        energy, power = by_name.get("energy_wh"), by_name.get("power_w")
        lengths = _seconds(energy, power) if energy and power else []
        if lengths and min(lengths) < (1 - _SHARE) * max(lengths):
            told = " and ".join(f"{length:.0f} s" for length in lengths)
            found.append(f"{label} ({told})")
    if not found:
        return []
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    rows = ", ".join(found[:_MOST])
    return [f"Measured for different times: {rows}{more}. Compare power, not energy."]


def _seconds(energy: Difference, power: Difference) -> list[float]:
    """Get the length of a row in each session, nothing where one is not known."""
    found = [
        _HOUR_S * wh / watts
        for wh, watts in zip(energy.values, power.values, strict=True)
        if wh is not None and watts
    ]
    return found if len(found) == len(energy.values) else []
