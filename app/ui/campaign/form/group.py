"""One group of fields on the form of a step: heading or fold, fields, further ones."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.operations.editing.field import Field, Group
from app.operations.editing.new_step import title_of
from app.plan.edit import Path
from app.ui.campaign.form.asker import OptionAsker
from app.ui.campaign.form.chosen import Chosen
from app.ui.campaign.form.field import CampaignField
from app.ui.campaign.form.field_grid import FieldGrid
from app.ui.campaign.form.fold import Fold


class GroupFields(QWidget):
    """Shows the usual fields of a group, and those that somebody asked for.

    Args:
        group: The group.
        chosen: The chosen steps; a folded group is open where they use it.
        asked: Keys that are shown beside the usual ones.

    Attributes:
        fields: Its fields by the path of their key.
        asker: The box for further options, None for a group that has no more.
        fold: What hides its fields, None for a group that is not folded.

    Signals:
        entered: A key (Path) is to have another value (None for none).
        left: What is entered next is another change.
        asked: A field for this key (Path) is wanted.
        catalogue_wanted: Somebody is looking for an option of fio.
    """

    entered = Signal(object, object)
    left = Signal()
    asked = Signal(object)
    catalogue_wanted = Signal()

    def __init__(self, group: Group, chosen: Chosen, asked: Sequence[Path]) -> None:
        super().__init__()
        self.fields: dict[Path, CampaignField] = {}
        self.asker: OptionAsker | None = None
        self.fold: Fold | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(8)
        known = {field.path for field in group.fields}
        shown = [
            field
            for field in group.fields
            if (field.shown or field.path in asked)
            and not (chosen.is_several and field.path == ("label",))
        ]
        if group.is_folded:
            self._fold(group, shown, chosen)
            return
        hidden = [f for f in group.fields if f not in shown and not f.shown]
        if group.table and not hidden:
            self._layout.addWidget(heading(title_of(group.title)))
        unknown = [Field(path) for path in asked if path not in known]
        self._layout.addLayout(self._grid([*shown, *unknown]))
        if hidden:
            self._ask_for(hidden)

    def _grid(self, fields: Sequence[Field]) -> FieldGrid:
        grid = FieldGrid(fields)
        grid.entered.connect(self.entered)
        grid.left.connect(self.left)
        self.fields.update(grid.fields)
        return grid

    def _fold(self, group: Group, fields: Sequence[Field], chosen: Chosen) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 4)
        column.addLayout(self._grid(fields))
        used = any(chosen.has(field.path) for field in fields)
        self.fold = Fold(group.title, content, is_open=used)
        self.fold.opened.connect(self.catalogue_wanted)
        self._layout.addWidget(self.fold)

    def _ask_for(self, hidden: Sequence[Field]) -> None:
        asker = self.asker = OptionAsker(hidden)
        # Queued: the page is made anew then, and the box with it.
        asker.asked.connect(self.asked, Qt.ConnectionType.QueuedConnection)
        asker.opened.connect(self.catalogue_wanted)
        self._layout.addWidget(asker)


def heading(title: str) -> QLabel:
    """Make the heading of a part of the form."""
    label = QLabel(title)
    label.setObjectName("heading")
    label.setContentsMargins(0, 8, 0, 0)
    return label
