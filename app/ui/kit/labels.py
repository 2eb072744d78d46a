"""Labels that give way: a text that does not fit ends in dots, or is broken."""

import re
import textwrap

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption

from instruments.errors import one_line


class ElidedLabel(QLabel):
    """One line that never asks for room.

    Args:
        text: What it says.
        mode: Where it is cut; in the middle what a name ends with is seen, too.
    """

    def __init__(
        self, text: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
    ) -> None:
        super().__init__(one_line(text))
        self._mode = mode
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        """Say something else."""
        super().setText(one_line(text))

    def minimumSizeHint(self) -> QSize:
        """As narrow as need be."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Write as much as fits."""
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(
            QStyle.PrimitiveElement.PE_Widget, option, painter, self
        )
        room = self.contentsRect()
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), self.shown)

    @property
    def shown(self) -> str:
        """As much of the text as fits."""
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), self._mode, width)


_WORDS, _PARTS = re.compile(r"\S+"), re.compile(r"[^/_]*[/_]|[^/_]+")
_ENDLESS = 1 << 20


def break_words(text: str, metrics: QFontMetrics, width: int) -> str:
    """Break words that are wider than a line, such as paths: Qt would cut them off."""
    widest = metrics.maxWidth()  # of the font; other letters come from other fonts

    def broken(word: re.Match[str]) -> str:
        # To measure each word of each label takes a tenth of the time to make a page.
        is_short = word[0].isascii() and len(word[0]) * widest <= width
        if is_short or metrics.horizontalAdvance(word[0]) <= width:
            return word[0]
        lines = [""]
        for part in _PARTS.findall(word[0]):
            # A part that is not a path fills each line to its end.
            is_long = metrics.horizontalAdvance(part) > width
            for piece in part if is_long else (part,):
                if metrics.horizontalAdvance(lines[-1] + piece) > width:
                    lines.append("")
                lines[-1] += piece
        return "\n".join(filter(None, lines))

    return _WORDS.sub(broken, text) if width > 0 else text


class WrappedLabel(QLabel):
    """Lines that wrap; the style breaks words that are wider than the label.

    Qt would ask for the width of the longest word, and one name of three hundred
    letters would make the window wider than its screen.
    """

    _WORD = 120

    def __init__(self, text: str = "") -> None:
        super().__init__(text, wordWrap=True)

    def minimumSizeHint(self) -> QSize:
        """As narrow as its longest word, but for one that can be broken."""
        return super().minimumSizeHint().boundedTo(QSize(self._WORD, _ENDLESS))

    def heightForWidth(self, width: int) -> int:
        """Count the lines of words that are broken, too."""
        text, metrics = self.text(), self.fontMetrics()
        inner = width - self.width() + self.contentsRect().width()
        height = super().heightForWidth(width)
        broken = break_words(text, metrics, inner)
        if broken == text:
            return height
        room, flags = QRect(0, 0, inner, _ENDLESS), int(Qt.TextFlag.TextWordWrap)
        more = [
            metrics.boundingRect(room, flags, one).height() for one in (broken, text)
        ]
        return height + more[0] - more[1]


_BRIEF, _TIP_WIDTH = 300, 90
"""Letters of a description, and of a line of the tool tip that has all of it."""


def show_brief(label: QLabel, text: str) -> None:
    """Show the beginning of a long text, and all of it in the tool tip."""
    label.setText(textwrap.shorten(text, _BRIEF, placeholder=" ..."))
    label.setToolTip(wrap_tip(text))


def wrap_tip(text: str) -> str:
    """Break the lines of a tool tip, which Qt would make as wide as the screen."""
    return "\n".join(textwrap.fill(line, _TIP_WIDTH) for line in text.splitlines())


def make_chip(text: str, tip: str) -> QLabel:
    """Make a small framed label, such as "simulated"."""
    chip = QLabel(text)
    chip.setObjectName("chip")
    chip.setToolTip(tip)
    chip.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return chip


def tone(label: QLabel, token: str) -> None:
    """Write a label in a colour of the theme: ok, warn, error, accent or muted."""
    if label.property("tone") != token:
        label.setProperty("tone", token)
        label.style().unpolish(label)
        label.style().polish(label)
