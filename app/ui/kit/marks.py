"""A text in which every character is seen: those that are not stand there as marks."""

import re

from instruments.errors import write_unseen

_OPEN, _CLOSE = "\u27e6", "\u27e7"
_NBSP = "\u00a0"
"""Qt's editors give it back as a blank."""
_MARK = re.compile(f"{_OPEN}U\\+([0-9A-F]{{4,6}}){_CLOSE}")
_LAST = 0x10FFFF
_HALVES = range(0xD800, 0xE000)
"""Halves of characters: no text that is saved can have one."""


def with_marks(text: str) -> str:
    """Write what is not seen, or turns a line round, as a mark that tells its number.

    `without_marks` makes the text again, but for line ends, which become those of Unix.
    """
    text = text.replace("\r\n", "\n").replace(_OPEN, _mark(_OPEN))
    text = text.replace(_NBSP, _mark(_NBSP))
    return write_unseen(text, _mark, "\n\t")


def without_marks(text: str) -> str:
    """Write the characters that marks stand for."""
    return _MARK.sub(_meant, text)


def _mark(one: str) -> str:
    return f"{_OPEN}U+{ord(one):04X}{_CLOSE}"


def _meant(mark: re.Match[str]) -> str:
    number = int(mark[1], 16)
    return mark[0] if number > _LAST or number in _HALVES else chr(number)
