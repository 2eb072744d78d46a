"""The campaigns on offer at the left: templates, the user's own, the last ones."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QVBoxLayout,
    QWidget,
)

from app.operations.editing.templates import Template
from app.ui.campaign.template_delegate import (
    MARGIN,
    TEMPLATE,
    TemplateDelegate,
    facts_of,
)
from app.ui.kit.theme import Theme


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
        self.about = QLabel("")
        self.about.setObjectName("muted")
        self.about.setWordWrap(True)
        self.about.setContentsMargins(MARGIN, 8, MARGIN, 8)
        self.about.setAccessibleName("What the campaign does")
        self.about.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.about)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(170)
        self.setFocusProxy(self.view)
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
            item.setToolTip(template.error or about or template.name)
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
        self.about.setText(" ".join(about.split()))
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
