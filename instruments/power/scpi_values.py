"""Numbers as power analysers write them, and what their odd tokens mean."""

import math
from collections.abc import Sequence

from instruments.errors import BenchError, SourceError
from instruments.reading import Judged, Status

OVERFLOW = 9e37
"""SCPI writes 9.9E37 for infinity and 9.91E37 for "not a number"."""

# SCPI's number for "not a number" (SCPI-1999, volume 1).
_NAN = 9.91e37
# Beside SCPI's own numbers: the words and dashes that meters put in their place.
_NO_VALUE = ("NAN", "+NAN", "-NAN", "---", "----", "")
_INFINITE = ("INF", "+INF", "-INF", "INFINITY")


def split_values(answer: str) -> list[str]:
    """Split an answer at its commas."""
    return [token.strip() for token in answer.split(",")]


def parse_value(token: str, where: str) -> Judged:
    """Read one value; what is not measured becomes NaN with the reason.

    Raises:
        SourceError: It is not a number at all, so the link is out of step.
    """
    text = token.strip().upper()
    # First these words: float() takes "NAN" and "INF" as numbers, too.
    if text in _NO_VALUE:
        return math.nan, Status.NAN
    if text in _INFINITE:
        return math.nan, Status.OVERRANGE
    try:
        value = float(text)
    except ValueError:
        raise SourceError(
            f'"{token[:40]}" came where a number was expected',
            where=where,
            way_out="The connection is opened again.",
        ) from None
    if abs(value) >= OVERFLOW:
        is_nan = math.isclose(abs(value), _NAN, rel_tol=1e-6)
        return math.nan, Status.NAN if is_nan else Status.OVERRANGE
    return value, Status.OK


def check_ranges(
    key: str, value: float, allowed: Sequence[float], unit: str, kind: type[BenchError]
) -> None:
    """Refuse a range that the instrument does not have; raises `kind`."""
    if value not in allowed:
        names = ", ".join(f"{each:g}" for each in allowed)
        raise kind(f"{key} is {value:g}", way_out=f"Expected one of {names} {unit}.")
