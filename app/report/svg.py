"""Pieces of SVG that charts over time and other figures are both made of."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape

import numpy as np
from numpy.typing import NDArray

from instruments.errors import printable
from resources import read_text

FAMILIES = "Inter, DejaVu Sans, sans-serif"

Colours = Mapping[str, str | Sequence[str]]
"""Those of a theme by their names in resources/colours."""

_Floats = NDArray[np.float64]


@cache
def light() -> Colours:
    """Get the colours of paper."""
    found: Colours = tomllib.loads(read_text("colours", "light.toml"))
    return found


@cache
def dark_rules() -> str:
    """Write the style sheet that shows drawings for paper in colours of the dark."""
    dark: Colours = tomllib.loads(read_text("colours", "dark.toml"))
    pairs = {
        one: other
        for name, own in light().items()
        if name != "accent_text"  # it has the colour of the ground, which is meant
        for one, other in zip(_each(own), _each(dark[name]), strict=True)
    }
    rules = (
        f'svg [{kind}="{one}"] {{ {kind}: {other}; }}'
        for one, other in pairs.items()
        for kind in ("fill", "stroke")
    )
    whole = "\n".join(rules)
    return f"@media screen and (prefers-color-scheme: dark) {{\n{whole}\n}}\n"


def _each(colour: str | Sequence[str]) -> Sequence[str]:
    return (colour,) if isinstance(colour, str) else colour


@cache
def traces() -> tuple[str, ...]:
    """Get the colours of curves, as the window has them."""
    return tuple(light()["traces"])


def opened(width: int, height: int, title: str, font: int) -> str:
    """Begin a picture: its <svg> tag, with a title for who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}" '
        f'font-family="{FAMILIES}" font-size="{font}">'
    )


def label_text(name: str, longest: int = 60) -> str:
    """Make a label of a name: one line, not too long."""
    line = "".join(c if c.isprintable() else " " for c in printable(name))
    line = " ".join(line.split())
    return line if len(line) <= longest else f"{line[: longest - 3]}..."


def line_path(across: _Floats, up: _Floats) -> str:
    """Draw a line through points; where `up` is NaN it breaks.

    A point between two gaps is a dot: a line of no length, which has round ends.
    """
    return "".join(
        f"M{points(across[a:b], up[a:b])}" + ("h0.01" if b - a == 1 else "")
        for a, b in runs(up)
    )


def band_path(across: _Floats, low: _Floats, high: _Floats) -> str:
    """Draw the outlines of what lies between two lines, without their gaps."""
    parts = [(across[a:b], low[a:b], high[a:b]) for a, b in runs(low + high)]
    return "".join(
        f"M{points(np.r_[x, x[::-1]], np.r_[upper, lower[::-1]])}Z"
        for x, lower, upper in parts
        if x.size > 1
    )


def runs(values: _Floats) -> list[tuple[int, int]]:
    """Get the first place of each part without a gap, and the one after its last."""
    known = np.isfinite(np.r_[np.nan, values, np.nan])
    turns = np.flatnonzero(known[1:] != known[:-1])
    return list(zip(turns[::2].tolist(), turns[1::2].tolist(), strict=True))


def points(across: _Floats, up: _Floats) -> str:
    """Write points as the inside of a path."""
    pairs = zip(across.tolist(), up.tolist(), strict=True)
    return "L".join(f"{a:.1f} {b:.1f}" for a, b in pairs)
