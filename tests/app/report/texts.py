"""The boxes of the texts of a drawing, as wide as our font sets them."""

import math
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import as_file, files
from itertools import combinations
from xml.etree import ElementTree as ET

from PIL import ImageFont

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@cache
def _font() -> ImageFont.FreeTypeFont:
    with as_file(files("resources") / "fonts" / "Inter-Regular.otf") as path:
        return ImageFont.truetype(str(path), 100)


def _corners(text: ET.Element, size: float) -> Iterator[tuple[float, float]]:
    width = _font().getlength(text.text or "") * size / 100
    x, y = float(text.get("x", "0")), float(text.get("y", "0"))
    x -= {"end": width, "middle": width / 2}.get(text.get("text-anchor", ""), 0.0)
    turn = re.findall(r"-?[\d.]+", text.get("transform", "")) or ["0", "0", "0"]
    angle, at, up = math.radians(float(turn[0])), float(turn[1]), float(turn[2])
    cos, sin = math.cos(angle), math.sin(angle)
    for across in (x - at, x - at + width):
        # Capitals and figures; what hangs below a line may touch the next.
        for down in (y - up, y - up - 0.7 * size):
            yield at + across * cos - down * sin, up + across * sin + down * cos


def text_boxes(svg: str) -> list[tuple[str, Box]]:
    """Get the texts of a drawing and where they are; of slanted ones the middle."""
    root = ET.fromstring(svg)
    found = []
    for text in root.iter(f"{SVG}text"):
        size = float(text.get("font-size") or root.get("font-size") or 12)
        corners = list(_corners(text, size))
        across, up = zip(*corners, strict=True)
        if text.text and "rotate(-28" not in text.get("transform", ""):
            found.append((text.text, (min(across), min(up), max(across), max(up))))
    return found


def _meet(one: Box, other: Box) -> bool:
    across = one[0] < other[2] and other[0] < one[2]
    return across and one[1] < other[3] and other[1] < one[3]


def _dotted(root: ET.Element) -> Iterator[tuple[str, Box]]:
    for path in root.iter(f"{SVG}path"):
        if path.get("stroke-dasharray") == "2 3" and path.get("fill") is None:
            x, top, bottom = map(float, re.findall(r"[\d.]+", path.get("d", "")))
            yield f"line at {x}", (x, top, x, bottom)


def overlapping(svg: str) -> list[tuple[str, str]]:
    """Find texts that lie on others, on the line of a mark, or outside the drawing."""
    root = ET.fromstring(svg)
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    texts = text_boxes(svg)
    pairs = [*combinations(texts, 2)]
    pairs += [(text, line) for text in texts for line in _dotted(root)]
    found = [(one, other) for (one, a), (other, b) in pairs if _meet(a, b)]
    return found + [
        (name, "outside")
        for name, (left, top, right, bottom) in texts
        if left < 0 or top < 0 or right > width or bottom > height
    ]
