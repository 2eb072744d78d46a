"""The list of campaigns at the left: templates, the user's files, the last ones."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.operations.editing.templates import Template, list_templates
from app.ui.campaign.file import CampaignFile
from app.ui.campaign.file_actions import CampaignFileActions
from app.ui.kit.background import Background
from app.ui.kit.clock import clock
from app.ui.kit.focus import lead_focus
from app.ui.kit.labels import show_brief, wrap_tip
from app.ui.kit.theme import Theme
from app.ui.kit.widgets import column, make_note
from instruments.errors import one_line
from instruments.sizes import counted

_Index = QModelIndex | QPersistentModelIndex
TEMPLATE = Qt.ItemDataRole.UserRole
_HEAD, _LINE, _NAME = 30, 46, 18
MARGIN = 12
_SPARE = 3
"""Pixels by which a line that is elided may be wider than its advance."""


def facts_of(template: Template) -> str:
    """Tell how long it takes and whether it writes."""
    if template.campaign is None:
        return "has a mistake"
    parts = [
        counted(template.runs, "step"),
        clock(template.duration_s),
        template.loss,
    ]
    return " \N{MIDDLE DOT} ".join(parts)


def _font(option: QStyleOptionViewItem) -> QFont:
    font = QFont(option.font)
    font.setWeight(QFont.Weight.Medium)
    return font


def _lines(name: str, font: QFont, room: int) -> list[str]:
    """Break a name into two lines at most."""
    metrics = QFontMetrics(font)
    words = name.split()
    first = words[:1]
    while len(first) < len(words):
        longer = words[: len(first) + 1]
        if metrics.horizontalAdvance(" ".join(longer)) > room - _SPARE:
            break
        first = longer
    rest = " ".join(words[len(first) :])
    right = Qt.TextElideMode.ElideRight
    found = [metrics.elidedText(" ".join(first), right, room)]
    return [*found, metrics.elidedText(rest, right, room)] if rest else found


class TemplateDelegate(QStyledItemDelegate):
    """Draws a name with its facts below; headings have no template."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Room for its lines in the width of the list."""
        template = index.data(TEMPLATE)
        if not isinstance(template, Template):
            return QSize(0, _HEAD)
        view = self.parent()
        room = view.viewport().width() if isinstance(view, QListView) else 0
        lines = len(_lines(template.name, _font(option), room - 2 * MARGIN))
        return QSize(0, _LINE + (lines - 1) * _NAME)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Draw one row."""
        template = index.data(TEMPLATE)
        tokens = self._theme.tokens
        room: QRect = option.rect
        painter.save()
        inner = room.adjusted(MARGIN, 0, -MARGIN, 0)
        if template is None:
            font = QFont(option.font)
            font.setPointSizeF(font.pointSizeF() - 1)
            font.setWeight(QFont.Weight.DemiBold)
            painter.setFont(font)
            painter.setPen(QColor(tokens.muted))
            inner.setTop(inner.top() + 8)
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), index.data())
            painter.restore()
            return
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(room, QColor(tokens.accent_soft))
            bar = QRect(room.left(), room.top(), 3, room.height())
            painter.fillRect(bar, QColor(tokens.accent))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(room, QColor(tokens.raised))
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        font = _font(option)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        top = room.top() + 5
        for line in _lines(one_line(template.name), font, inner.width()):
            painter.drawText(
                QRect(inner.left(), top, inner.width(), _NAME), middle, line
            )
            top += _NAME
        lower = QRect(inner.left(), top, room.right() - inner.left(), 17)
        font.setWeight(QFont.Weight.Normal)
        font.setPointSizeF(font.pointSizeF() - 1)
        painter.setFont(font)
        is_wrong = template.campaign is None
        painter.setPen(QColor(tokens.error if is_wrong else tokens.muted))
        right = Qt.TextElideMode.ElideRight
        facts = painter.fontMetrics().elidedText(
            facts_of(template), right, lower.width()
        )
        painter.drawText(lower, middle, facts)
        painter.restore()


class TemplateList(QWidget):
    """Lists what can be begun with; what is chosen is taken, by click or arrow key.

    Attributes:
        view: The list.

    Signals:
        wanted: This one (Template) was clicked, or chosen with a key.
        start_wanted: The one in hand was double-clicked, or chosen with Enter again.
    """

    wanted = Signal(object)
    start_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._model = QStandardItemModel(self)
        self.view = QListView()
        self.view.setModel(self._model)
        self.view.setItemDelegate(TemplateDelegate(theme, self.view))
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setResizeMode(QListView.ResizeMode.Adjust)
        # The rows are laid out again where a scroll bar makes them narrower.
        self.view.setWordWrap(True)
        self.view.setMouseTracking(True)
        self.view.setAccessibleName("Campaigns to begin with")
        self.view.clicked.connect(self._take)
        self.view.selectionModel().selectionChanged.connect(self._follow)
        self.view.activated.connect(self._activate)
        self.about = make_note(name="What the campaign does")
        self.about.setContentsMargins(MARGIN, 8, MARGIN, 8)
        self.about.hide()
        column(self.view, self.about, of=self, grows=self.view, spacing=0)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(170)
        lead_focus(self, self.view)
        self._last: Template | None = None
        self._is_listing = False
        theme.changed.connect(self.view.viewport().update)

    @property
    def templates(self) -> list[Template]:
        """What is listed."""
        rows = range(self._model.rowCount())
        found = (self._model.item(row).data(TEMPLATE) for row in rows)
        return [one for one in found if isinstance(one, Template)]

    def set_templates(self, templates: Sequence[Template]) -> None:
        """List these, below the heading of their group."""
        chosen = self._last
        self._is_listing = True  # rows that go let another one be chosen
        self._model.clear()
        group = ""
        for template in templates:
            if template.group != group:
                group = template.group
                head = QStandardItem(group)
                head.setFlags(Qt.ItemFlag.NoItemFlags)
                self._model.appendRow(head)
            item = QStandardItem(template.name)
            item.setData(template, TEMPLATE)
            about = template.campaign.description if template.campaign else ""
            item.setToolTip(wrap_tip(template.error or about or template.name))
            words = f"{template.name}, {facts_of(template)}. {about}"
            item.setData(words, Qt.ItemDataRole.AccessibleTextRole)
            self._model.appendRow(item)
        self.mark(chosen)
        self._is_listing = False

    def mark(self, template: Template | None) -> None:
        """Show which one is in hand, None for none of them."""
        self._last = template
        self.view.clearSelection()
        found: Template | None = None
        for row in range(self._model.rowCount()):
            one = self._model.item(row).data(TEMPLATE)
            if not isinstance(one, Template) or template is None:
                continue
            if (one.path, one.name) == (template.path, template.name):
                found = self._last = one
                self.view.setCurrentIndex(self._model.index(row, 0))
        if found is None:
            self.view.setCurrentIndex(QModelIndex())
        about = found.campaign.description if found and found.campaign else ""
        show_brief(self.about, about)
        self.about.setVisible(bool(about))
        # Not before the list knows how much room is left to it.
        QTimer.singleShot(0, self, lambda: self.view.scrollTo(self.view.currentIndex()))

    @Slot()
    def _follow(self) -> None:
        """Take what a key has chosen: a start takes what is in hand, not another."""
        by_mouse = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        if not by_mouse and not self._is_listing:
            for index in self.view.selectedIndexes():
                self._take(index)

    def _take(self, index: QModelIndex) -> None:
        template = index.data(TEMPLATE)
        if isinstance(template, Template) and template != self._last:
            self.wanted.emit(template)

    def _activate(self, index: QModelIndex) -> None:
        template = index.data(TEMPLATE)
        if not isinstance(template, Template):
            return
        if template != self._last:
            self.wanted.emit(template)
        elif template.campaign is not None:
            self.start_wanted.emit()


class TemplateChoice(QObject):
    """Keeps the list in step with the campaign in hand, and takes another one in hand.

    Args:
        list_: Where it is shown.
        files: What takes another one in hand.
    """

    def __init__(
        self,
        list_: TemplateList,
        file: CampaignFile,
        files: CampaignFileActions,
        background: Background,
    ) -> None:
        super().__init__(list_)
        self._list = list_
        self._file = file
        self._files = files
        self._background = background
        list_.wanted.connect(self.take)
        files.listed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Read again what can be begun with."""
        recent = self._files.recent.paths
        self._background.run(lambda: list_templates(recent), self._show)

    @Slot(object)
    def _show(self, templates: list[Template]) -> None:
        self._list.set_templates(templates)
        first = next((template for template in templates if template.campaign), None)
        if self._file.is_untouched and first is not None:
            self.take(first)
        self.mark()

    @Slot(object)
    def take(self, template: Template) -> None:
        """Take one in hand."""
        self._files.take(template)
        self.mark()

    def mark(self) -> None:
        """Mark the one in hand: by its file, or by its name as it ships."""
        file = self._file
        found = [
            template
            for template in self._list.templates
            if template.path == file.path
            and (file.path or (file.is_shipped and template.name == file.origin))
        ]
        self._list.mark(found[0] if found else None)
