"""How the parts of the Campaigns page lie beside each other."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from app.ui.campaign.view import CampaignView

_TEMPLATES, _MIDDLE, _FORM = 214, 600, 368


def lay_out(view: "CampaignView") -> None:
    """Lay out a page: templates, the campaign with its tabs, the form of a step."""
    tabs = view.tabs
    tabs.setDocumentMode(True)
    tabs.addTab(view.table, "Ste&ps")
    tabs.addTab(view.settings, "&Campaign")
    tabs.addTab(view.work.commands, "Co&mmands")
    tabs.addTab(view.text, "Te&xt")
    tabs.setAccessibleName("Views of the campaign")
    inner = _split(
        _column(tabs, view.trouble, view.work.forecast), _column(view.form, view.help)
    )
    inner.setStretchFactor(0, 1)
    inner.setSizes([_MIDDLE, _FORM])
    middle = _column(inner, above=(view.notice, view.bar))
    middle.setObjectName("surface")
    middle.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    outer = _split(view.templates, middle)
    outer.setCollapsible(0, True)
    outer.setStretchFactor(1, 1)
    outer.setSizes([_TEMPLATES, _MIDDLE + _FORM])
    layout = QHBoxLayout(view)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(outer)
    view.setFocusProxy(view.templates)


def _split(*parts: QWidget) -> QSplitter:
    split = QSplitter(Qt.Orientation.Horizontal)
    split.setHandleWidth(1)
    split.setChildrenCollapsible(False)
    for part in parts:
        split.addWidget(part)
    return split


def _column(main: QWidget, *below: QWidget, above: tuple[QWidget, ...] = ()) -> QWidget:
    """Put widgets above each other; one of them takes the room."""
    found = QWidget()
    column = QVBoxLayout(found)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in above:
        column.addWidget(part)
    column.addWidget(main, 1)
    for part in below:
        column.addWidget(part)
    return found
