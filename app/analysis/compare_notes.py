"""What a reader has to know of a comparison, in sentences."""

import math
from collections.abc import Sequence
from itertools import chain
from string import ascii_uppercase

from app.analysis.compare import Comparison, Difference
from app.analysis.significance import LEVEL, Judged, Judgement
from instruments.metric import BY_NAME
from instruments.sizes import counted, listed

MOST_NAMED = 4
"""This many labels are named in a sentence."""


def setups_told(comparison: Comparison) -> str:
    """Say what was measured, and how, where that is not the same in all sessions.

    Differences between them are then no doing of the device alone.
    """
    about = comparison.about
    if len({(one.dut, one.bench, one.meters) for one in about}) < 2:
        return ""
    benches = len({one.bench for one in about}) > 1
    sentences = []
    for letter, one in zip(ascii_uppercase, about, strict=False):
        meters = counted(one.meters, "meter") if one.meters else "no meters"
        place = f"on {one.bench}" if benches and one.bench else ""
        device = " ".join(filter(None, (one.dut, place)))
        sentences.append(f"{letter}: {', '.join(filter(None, (device, meters)))}")
    return "; ".join(sentences)


def same_recording_told(comparison: Comparison) -> str:
    """Say which sessions are one recording, such as a copy; "" where none are."""
    letters: dict[str, list[str]] = {}
    for letter, one in zip(ascii_uppercase, comparison.about, strict=False):
        letters.setdefault(one.recording, []).append(letter)
    letters.pop("", None)
    return "; ".join(
        f"{listed(same, MOST_NAMED)} are copies of the same recording"
        for same in letters.values()
        if len(same) > 1
    )


def nothing_common_told(comparison: Comparison) -> str:
    """Say that no row is there twice, and what there is; "" where some are.

    Rows are matched by their labels.
    """
    own: list[list[str]] = [[] for _ in comparison.names]
    for (label, _), verdicts in zip(comparison.rows, comparison.verdicts, strict=True):
        having = [place for place, one in enumerate(verdicts) if one]
        if len(having) > 1:
            return ""
        for place in having:
            own[place].append(label)
    parts = (
        f"{letter}: {listed(labels, MOST_NAMED) or 'none'}"
        for letter, labels in zip(ascii_uppercase, own, strict=False)
    )
    return (
        f"They have no step with the same label ({'; '.join(parts)}). "
        "Choose sessions of one campaign to see differences."
    )


def many_told(comparison: Comparison) -> str:
    """Say why a difference is not distinguishable that is beyond its uncertainty.

    Returns:
        "" where there is none.
    """
    beyond = [
        f"{label}, {one.metric.head}"
        for label, differences in comparison.rows
        for one in differences
        for place, judged in enumerate(one.judged, 1)
        if judged is not None and _is_beyond(one.against_first(place), judged)
    ]
    if not beyond:
        return ""
    return (
        f"Larger than its \N{PLUS-MINUS SIGN} but not distinguishable: "
        f"{listed(beyond, MOST_NAMED)}. Each \N{PLUS-MINUS SIGN} covers one difference "
        "on its own; among as many as are compared here one may exceed it by chance, "
        "which p allows for (Holm)"
    )


def correction_told(comparison: Comparison) -> str:
    """Say how differences were judged; "" where of none the scatter is known."""
    judged = (
        one
        for _, differences in comparison.rows
        for difference in differences
        for one in difference.judged
    )
    if all(one is None or one.p is None for one in judged):
        return ""
    return (
        f"A difference counts at {100 * LEVEL:.2f} % confidence; p is corrected for as "
        "many rows as are compared of its quantity (Holm)"
    )


def terms_told(comparison: Comparison) -> list[str]:
    """Say of each figure of a year what it is at, such as tariff and PUE.

    A price has nothing to say but its currency, which its head has.
    """
    sentences: dict[str, str] = {}
    for one in chain.from_iterable(found for _, found in comparison.rows):
        name = one.metric.name
        own = {
            letter: terms
            for letter, about in zip(ascii_uppercase, comparison.about, strict=False)
            if (terms := about.terms.get(name, about.currency)) != about.currency
        }
        shared = {*own.values()}
        told = [f"{letter}: {terms}" for letter, terms in own.items()]
        told = told if len(shared) > 1 else [*shared]
        if told:
            sentences[name] = f"{BY_NAME[name].head}: {'; '.join(told)}"
    return [*sentences.values()]


def duty_told(comparison: Comparison) -> str:
    """Say why the cost of a year is judged otherwise than power; "" where it is not."""
    duties = [one.duty for one in comparison.about]
    is_told = any(
        judged is not None and judged.p is not None
        for one in chain.from_iterable(found for _, found in comparison.rows)
        if one.metric.name == "cost_per_year"
        for judged in one.judged
    )
    if not is_told or min(duties) >= 1.0:
        return ""
    shares = " / ".join(f"{100 * duty:g} %" for duty in duties)
    return (
        f"The cost of a year is of power under load for {shares} of it and of power at "
        "rest for the remainder, so its p is not that of power"
    )


def _is_beyond(difference: float | None, judged: Judged) -> bool:
    is_same = judged.judgement is Judgement.NOT_DISTINGUISHABLE
    known = None not in (difference, judged.uncertainty)
    return is_same and known and abs(difference or 0) > (judged.uncertainty or 0)


_UNLIKE_LENGTHS = 0.05
"""Lengths that differ by more than this share of the longer one are named."""

# A sentence lists three by name; the table has the rest.
_MOST_ROWS = 3
_HOUR_S = 3600.0


def lengths_told(comparison: Comparison) -> list[str]:
    """Say which rows lasted differently long; their energies follow from that.

    How long a row lasted is its energy divided by its mean power.
    """
    sentences = []
    for label, differences in comparison.rows:
        by_name = {difference.metric.name: difference for difference in differences}
        energy, power = by_name.get("energy_wh"), by_name.get("power_w")
        lengths = _seconds(energy, power) if energy and power else []
        if lengths and min(lengths) < (1 - _UNLIKE_LENGTHS) * max(lengths):
            sentences.append(f"{label} ({_apart(lengths)})")
    if not sentences:
        return []
    rows = listed(sentences, _MOST_ROWS)
    return [f"Different durations: {rows}. Compare power, not energy."]


def _apart(lengths: Sequence[float]) -> str:
    """Write lengths in s with as many decimals as tell the extremes apart."""
    digits = math.ceil(-math.log10(max(lengths) - min(lengths)))
    return " / ".join(f"{length:.{max(0, digits)}f} s" for length in lengths)


def _seconds(energy: Difference, power: Difference) -> list[float]:
    """Get the length of a row in each session, nothing where one is not known."""
    found = [
        _HOUR_S * wh / watts
        for wh, watts in zip(energy.values, power.values, strict=True)
        if wh is not None and watts
    ]
    return found if len(found) == len(energy.values) else []
