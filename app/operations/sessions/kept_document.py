"""A raw output of a row as text, and where a figure stands in it."""

import re
import zlib
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from app.analysis.interrupted import open_session
from instruments.errors import BadInput, printable

_MOST = 1 << 20
"""So many bytes of its end are shown; engines sum up at the end."""

_DIGITS = 8
"""So many characters of a figure are looked for, and at least `_FEWEST`."""
_FEWEST = 5

_EXACT = 12
"""So many significant digits of a figure are those of its document."""

_FACTORS = (1.0, 1e3, 1e6)
"""Units of documents in those of results, such as ns in ms, and B/s in MB/s."""


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A raw output as text.

    Attributes:
        text: It, or its end.
        omitted: How many bytes stand before that.
        figure: The digits of the figure as they stand in it; "" where they do not.
        place: Where these begin, counted in characters; 0 where there are none.
    """

    text: str
    omitted: int = 0
    figure: str = ""
    place: int = 0


def kept_document(
    path: Path, step_id: int, name: str, value: float | None
) -> KeptDocument:
    """Read a raw output.

    Args:
        path: The session.
        step_id: Its row.
        name: Of the output.
        value: The figure that is looked for; None for none.

    Raises:
        BadInput: It is not there, damaged, or not text.
    """
    with open_session(path) as session:
        content = session.artefact(name, step_id)
    try:
        end, total = _unpacked(content) if name.endswith(".zz") else _end(content)
        # What is left out may end within a character.
        errors = "replace" if total > len(end) else "strict"
        text = end.decode("utf-8", errors).removeprefix("\ufeff")
    except (zlib.error, UnicodeDecodeError):
        raise BadInput(
            f"{name}, {len(content)} bytes, is packed or damaged: it is no text",
            where=str(path),
            way_out="An export of all raw files has it as it is.",
        ) from None
    text = printable(text.replace("\r\n", "\n"), "\n\t")
    figure, place = _place(text, value)
    return KeptDocument(text, total - len(end), figure, place)


def _end(content: bytes) -> tuple[bytes, int]:
    return content[-_MOST:], len(content)


def _unpacked(packed: bytes) -> tuple[bytes, int]:
    unpacker, end, total = zlib.decompressobj(), b"", 0
    while not unpacker.eof and (piece := unpacker.decompress(packed, _MOST)):
        packed, total = unpacker.unconsumed_tail, total + len(piece)
        end = (end + piece)[-_MOST:]
    if not unpacker.eof:
        raise zlib.error("cut short")
    return end, total


def _place(text: str, value: float | None) -> tuple[str, int]:
    """Find the last number that begins with the digits of a figure."""
    for factor in _FACTORS if value is not None else ():
        digits = _digits((value or 0.0) * factor)
        if len(digits) >= _FEWEST:
            places = re.finditer(rf"(?<![\d.]){re.escape(digits)}", text)
            last = max((found.start() for found in places), default=None)
            if last is not None:
                return digits, last
    return "", 0


def _digits(figure: float) -> str:
    """Write the first digits of a figure, without the noise of converting it."""
    digits = f"{Decimal(f'{figure:.{_EXACT}g}'):f}"[:_DIGITS]
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
