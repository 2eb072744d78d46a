"""How tables of a Word document are laid out: sizes, widths, what stays together."""

from collections.abc import Sequence
from typing import Any

# More columns are set smaller, so that fewer words of theirs wrap.
_MANY = 8
_SIZES = (9.0, 6.5, 6.0, 5.5, 5.0, 4.5, 4.0)
"""Of letters in a table, in points: the largest at which its numbers do not wrap."""

_WIDEST = 40
"""Letters beyond which a text makes its column no wider; a number always does."""

_FIRM = "\N{NO-BREAK SPACE}"

EDGE = 3.0
"""Points between a text and each side of its cell."""

_SMALL_LETTER, _CAPITAL, _BOLD = 0.65, 0.78, 1.12
"""Widths of letters in parts of the size, and how much wider bold ones are.

Of DejaVu Sans, wide among the fonts that stand in where Calibri is not installed.
"""


def beside(rows: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Put facts two into a line, as the PDF has them, where all of them are short."""
    if len(rows) == 1 or any(len(value) > _WIDEST for _, value in rows):
        return list(rows)
    half = (len(rows) + 1) // 2
    right = [*rows[half:], ("", "")][:half]
    return [(*one, *other) for one, other in zip(rows[:half], right, strict=True)]


def without_breaks(
    rows: Sequence[Sequence[Any]], right: Sequence[bool], *, headed: bool
) -> list[list[str]]:
    """Write cells so that no line ends within a number; a head keeps its unit."""
    heads = rows[:1] if headed else ()
    return [
        *([str(text).replace(" %", f"{_FIRM}%") for text in row] for row in heads),
        *(
            [_unbroken(text) if right[n] else str(text) for n, text in enumerate(row)]
            for row in rows[len(heads) :]
        ),
    ]


def _unbroken(text: str) -> str:
    """Write a number, with its mark and unit, so that no line ends within it."""
    return text.replace(" ", _FIRM) if len(text) <= _WIDEST else text


def layout(
    rows: Sequence[Sequence[str]], right: Sequence[bool], width: float, *, headed: bool
) -> tuple[float, list[float]]:
    """Get the size of letters, and the widths of columns, all in points.

    Each column has room for its longest word, numbers whole; what is left goes to
    those whose texts are longer than that.
    """
    words, texts = [], []
    for number, column in enumerate(zip(*rows, strict=True)):
        heads, cells = (column[:1], column[1:]) if headed else ((), column)
        is_bold = headed and number == 0
        longest = max(
            _widest_word(cells, None if right[number] else _WIDEST, bold=is_bold),
            _widest_word(heads, None, bold=True),
        )
        words.append(longest)
        texts.append(max([longest, *(_ems(c[:_WIDEST], bold=is_bold) for c in cells)]))
    room = width - 2 * EDGE * len(words)
    sizes = _SIZES[1:] if len(words) > _MANY else _SIZES
    size = next((one for one in sizes if sum(words) * one <= room), sizes[-1])
    more = sum(texts) - sum(words)
    spare = max(0.0, min(room / size - sum(words), more)) / more if more else 0.0
    wanted = [
        (word + spare * (text - word)) * size + 2 * EDGE
        for word, text in zip(words, texts, strict=True)
    ]
    return size, [one * width / sum(wanted) for one in wanted]


def _widest_word(texts: Sequence[str], most: int | None, *, bold: bool) -> float:
    """Get the width of the longest word, of which `most` letters stay together."""
    words = (word[:most] for text in texts for word in text.split(" "))
    return max((_ems(word, bold=bold) for word in words), default=0.0)


def _ems(text: str, *, bold: bool) -> float:
    """Estimate the width of a text, in parts of its size."""
    wide = sum(_CAPITAL if one.isupper() else _SMALL_LETTER for one in text)
    return wide * (_BOLD if bold else 1.0)
