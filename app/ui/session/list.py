"""The sessions of a folder as a list of two or three lines each."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QIcon, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.kit.clock import clock
from app.ui.kit.context import Context
from app.ui.kit.states import look_of_session
from app.ui.kit.theme import Theme, tabular
from instruments.errors import one_line
from instruments.reading import SECOND

if TYPE_CHECKING:  # it brings numpy, which the first page does not wait for
    from app.record.store import SessionSummary

_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
WORD_ROLE = int(_Role.UserRole) + 2
COLOUR_ROLE = int(_Role.UserRole) + 3
FACTS_ROLE = int(_Role.UserRole) + 1
FILE_ROLE = int(_Role.UserRole) + 4
"""The name of the file where sessions of a list are named alike, else ""."""
_HEIGHT, _FILE_HEIGHT = 54, 17
_FILLED = 0.9
"""How much of two lines a text fills that is wrapped."""

_WORDY = 250
"""Pixels of a list in which a verdict leaves a name legible."""


class SessionModel(QAbstractListModel):
    """Session files, the newest first; a broken one is listed with its error."""

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = context.icons
        self._take([])
        context.theme.changed.connect(self._recolour)

    @property
    def summaries(self) -> "list[SessionSummary]":
        """What it lists."""
        return list(self._summaries)

    def set_summaries(self, summaries: "Sequence[SessionSummary]") -> bool:
        """List these; more of the same leave those that are listed where they are.

        Returns:
            Whether they are others than before.
        """
        old, new = self._summaries, list(summaries)
        if new == old:
            return False
        if old and new[: len(old)] == old:
            self.beginInsertRows(_NOWHERE, len(old), len(new) - 1)
            self._take(new)
            self.endInsertRows()
        elif [one.path for one in new] == [one.path for one in old]:
            self._take(new)
            self.dataChanged.emit(self.index(0), self.index(len(new) - 1))
        else:
            self.beginResetModel()
            self._take(new)
            self.endResetModel()
        return True

    def _take(self, summaries: "list[SessionSummary]") -> None:
        self._summaries = summaries
        names = {summary.name for summary in summaries}
        self._has_files = len(names) < len(summaries)

    def row_of(self, path: object) -> int:
        """Get the row of a file, -1 where it is not listed."""
        paths = [summary.path for summary in self._summaries]
        return paths.index(path) if path in paths else -1

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the sessions."""
        return 0 if parent.isValid() else len(self._summaries)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Get name, facts, icon, tool tip or what a screen reader says."""
        if not 0 <= index.row() < len(self._summaries):
            return None
        summary = self._summaries[index.row()]
        if role == _Role.DecorationRole:
            found = look_of_session(summary)
            return self._icons.get(found.icon, found.token)
        if role == FILE_ROLE:
            return one_line(summary.path.stem) if self._has_files else ""
        text = _TEXTS.get(int(role))
        return None if text is None else text(summary)

    def _recolour(self) -> None:
        if self._summaries:
            last = self.index(len(self._summaries) - 1)
            self.dataChanged.emit(self.index(0), last, [_Role.DecorationRole])


def started_of(summary: "SessionSummary") -> str:
    """Write when a session was started, in local time; of a report the year."""
    moment = datetime.fromtimestamp(summary.started / SECOND, UTC)
    if summary.published:  # of many no more is known
        return f"{moment:%Y}"
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def length_of(summary: "SessionSummary") -> str:
    """Write how long it took; "" where that is not known."""
    is_known = not (summary.error or summary.published)
    return clock(summary.duration_s) if is_known else ""


def line_of(summary: "SessionSummary") -> str:
    """Write a session where it has only a line: when, what, on which device, how."""
    parts = (_name(summary), one_line(summary.dut), look_of_session(summary).word)
    return f"{started_of(summary)}   {' · '.join(filter(None, parts))}"


def word_of(summary: "SessionSummary") -> str:
    """Write how a session ended, in a word."""
    return "" if summary.error else look_of_session(summary).word


def facts(summary: "SessionSummary") -> str:
    """Write the second line of a session."""
    if summary.error:
        reason = one_line(summary.reason)
        return f"{reason[:1].upper()}{reason[1:]}"
    fake = "simulated" if summary.simulated else ""
    changed = "changed since" if summary.changed else ""
    parts = (changed, started_of(summary), length_of(summary), fake)
    return " · ".join(part for part in parts if part)


def _name(summary: "SessionSummary") -> str:
    return one_line(summary.name or summary.path.stem)


def _told(summary: "SessionSummary") -> str:
    return f"{one_line(str(summary.path))}\n{summary.error or facts(summary)}"


def _spoken(summary: "SessionSummary") -> str:
    return f"{_name(summary)}, {look_of_session(summary).word}, {facts(summary)}"


_TEXTS: Mapping[int, "Callable[[SessionSummary], str]"] = {
    int(_Role.DisplayRole): _name,
    FACTS_ROLE: facts,
    int(_Role.ToolTipRole): _told,
    int(_Role.AccessibleTextRole): _spoken,
    WORD_ROLE: word_of,
    COLOUR_ROLE: lambda summary: look_of_session(summary).token,
}


class SessionDelegate(QStyledItemDelegate):
    """Paints icon, name and facts of a session."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:  # noqa: ARG002
        """Two lines high, three where files are named: all of a list are alike."""
        return QSize(200, _HEIGHT + _FILE_HEIGHT * bool(index.data(FILE_ROLE)))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Paint one session."""
        tokens = self._theme.tokens
        box: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(tokens.accent_soft))
            painter.fillRect(
                QRect(box.left(), box.top(), 3, box.height()), QColor(tokens.accent)
            )
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor(tokens.raised))
        icon: QIcon = index.data(_Role.DecorationRole)
        icon.paint(painter, QRect(box.left() + 12, box.top() + 9, 17, 17))
        name, facts_of = index.data(), str(index.data(FACTS_ROLE))
        file = str(index.data(FILE_ROLE))
        painter.setPen(QColor(tokens.text))
        painter.setFont(tabular(0, QFont.Weight.Medium))
        word, colour = index.data(WORD_ROLE), index.data(COLOUR_ROLE)
        if box.width() < _WORDY:
            word = ""  # the icon says it, too
        room = painter.fontMetrics().horizontalAdvance(word) + 10 if word else 0
        # Names, and files of one name, differ at their ends as well.
        middle = Qt.TextElideMode.ElideMiddle
        _line(painter, box.adjusted(38, 8, -8 - room, 0), name, middle)
        painter.setPen(QColor(getattr(tokens, colour)))
        painter.setFont(tabular(8.75, QFont.Weight.DemiBold))
        _line(painter, box.adjusted(box.width() - room - 4, 8, -6, 0), word)
        painter.setPen(QColor(tokens.muted))
        painter.setFont(tabular(8.75))
        if file == name:  # a file that cannot be read, and the sentence why
            _two_lines(painter, box.adjusted(38, 30, -8, 0), facts_of)
        else:
            _line(painter, box.adjusted(38, 28, -8, 0), facts_of)
            _line(painter, box.adjusted(38, 45, -8, 0), file, middle)
        painter.restore()


def _line(
    painter: QPainter,
    box: QRect,
    text: str,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """Write one line at the top of a box; what does not fit is cut with dots."""
    shown = painter.fontMetrics().elidedText(text, mode, box.width())
    middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    painter.drawText(QRect(box.topLeft(), QSize(box.width(), 20)), middle, shown)


def _two_lines(painter: QPainter, box: QRect, text: str) -> None:
    """Write two lines at the top of a box; what does not fit is cut with dots."""
    metrics = painter.fontMetrics()
    # A word may leave some of the first line free.
    room = round(2 * box.width() * _FILLED)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
    area = QRect(box.topLeft(), QSize(box.width(), 2 * metrics.lineSpacing()))
    painter.drawText(area, int(Qt.TextFlag.TextWordWrap), shown)
