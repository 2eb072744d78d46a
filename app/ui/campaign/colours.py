"""Colours in the text of a campaign: headers, keys, texts, comments."""

import re

from PySide6.QtGui import (
    QColor,
    QFont,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextDocument,
)

from app.ui.kit.theme import Theme

_HEADER = re.compile(r"^\s*\[\[?[^\]]*\]\]?")
_KEY = re.compile(r"""^\s*(?:"[^"]*"|[A-Za-z0-9_.-]+)(?=\s*=)""")
_TEXT = re.compile(r"""\"(?:[^\"\\]|\\.)*\"|'[^']*'""")
_COMMENT = re.compile(r"#.*$")
_QUOTES = '"""'
_WITHIN = 1
"""State of a line that ends within a text of several lines."""


class TomlColours(QSyntaxHighlighter):
    """Colours TOML in the tokens of the theme; states and words tell it, too."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        theme.changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        tokens = self._theme.tokens
        quoted = _form(tokens.trace(2))
        start = 0
        if self.previousBlockState() == _WITHIN:
            end = text.find(_QUOTES)
            if end < 0:
                self.setFormat(0, len(text), quoted)
                self.setCurrentBlockState(_WITHIN)
                return
            start = end + len(_QUOTES)
            self.setFormat(0, start, quoted)
        self.setCurrentBlockState(0)
        opened = text.find(_QUOTES, start)
        if opened >= 0 and text.find(_QUOTES, opened + 3) < 0:
            self.setCurrentBlockState(_WITHIN)
        if start == 0 and (header := _HEADER.match(text)):
            bold = _form(QColor(tokens.accent))
            bold.setFontWeight(QFont.Weight.Bold)
            self.setFormat(0, header.end(), bold)
        elif start == 0 and (key := _KEY.match(text)):
            self.setFormat(0, key.end(), _form(tokens.trace(0)))
        self._colour_rest(text, opened, quoted, _form(QColor(tokens.muted)))

    def _colour_rest(
        self, text: str, opened: int, quoted: QTextCharFormat, muted: QTextCharFormat
    ) -> None:
        """Colour texts, and the comment that is in none of them."""
        if opened >= 0:
            self.setFormat(opened, len(text) - opened, quoted)
            return
        bare = text
        for found in _TEXT.finditer(text):
            if not text[found.end() :].lstrip().startswith("="):
                self.setFormat(found.start(), len(found[0]), quoted)
            bare = f"{bare[: found.start()]}{' ' * len(found[0])}{bare[found.end() :]}"
        if comment := _COMMENT.search(bare):
            self.setFormat(comment.start(), len(text) - comment.start(), muted)


def _form(colour: QColor) -> QTextCharFormat:
    found = QTextCharFormat()
    found.setForeground(colour)
    return found
