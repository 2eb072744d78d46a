"""Percentiles of latency that rest on too few I/Os to be more than single ones."""

import math
from collections.abc import Mapping
from enum import StrEnum

from instruments.metric import (
    BOTH,
    BY_DIRECTION,
    BY_NAME,
    PERCENTILES,
    READ,
    WRITE,
    percentile_name,
)

KEY = "thin_percentiles"
"""The key of a row under which `Tail` stands, by the names of its percentiles."""

_USABLE = 10
"""So many I/Os have to be slower than a percentile that is of more than a few."""


class Tail(StrEnum):
    """What a percentile of few I/Os is."""

    LONGEST = "longest"  # fewer than 1 / (1 - p): no I/O is beyond it
    FEW = "few"  # fewer than 10 are beyond it


WORDS: Mapping[Tail, str] = {
    Tail.LONGEST: "too few I/Os, it is only the slowest of them",
    Tail.FEW: f"too few I/Os: fewer than {_USABLE} are slower, and it varies by run",
}


def tail(percent: float, count: float) -> Tail | None:
    """Tell what a percentile of so many I/Os is; None where it is usable."""
    # 99.9 % are no whole number of halves: 1000 I/Os have one beyond it, not 0.99999.
    beyond = round(count * (100 - percent) / 100, 6)
    if beyond >= _USABLE:
        return None
    return Tail.LONGEST if beyond < 1 else Tail.FEW


def io_count(row: Mapping[str, object], of: str) -> float | None:
    """Get how many I/Os of READ, WRITE or BOTH a row is of, by rate and window."""
    rate, seconds = row.get(BY_DIRECTION[of][0].name), row.get("duration_s")
    if not isinstance(rate, int | float) or not isinstance(seconds, int | float):
        return None
    count = float(rate) * seconds
    return round(count) if math.isfinite(count) else None


def thin_percentiles(row: Mapping[str, object]) -> dict[str, Tail]:
    """Find the percentiles of a row that rest on too few I/Os."""
    found = {}
    for of in (BOTH, READ, WRITE):
        count = io_count(row, of)
        for percent in PERCENTILES if count is not None else ():
            name = percentile_name(of, percent)
            if isinstance(row.get(name), int | float) and (
                few := tail(percent, count or 0)
            ):
                found[name] = few
    return found


def percentile_head(name: str) -> str:
    """Get how the report calls a percentile, without its unit."""
    return BY_NAME[name].head.removesuffix(" (ms)")


def tail_notes(row: Mapping[str, object]) -> list[str]:
    """Say in words of a row which percentiles those are."""
    thin = thin_percentiles(row)
    named = {
        words: [percentile_head(name) for name in thin if thin[name] is kind]
        for kind, words in WORDS.items()
    }
    return [f"{', '.join(heads)}: {words}" for words, heads in named.items() if heads]
