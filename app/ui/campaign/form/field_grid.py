"""Fields of a step below each other, with their names at the left."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLabel

from app.operations.editing.field import Field, FieldKind
from app.plan.edit import Path
from app.ui.campaign.form.field import CampaignField

_LABEL_WIDTH = 92
_BREAK = "\N{ZERO WIDTH SPACE}"
"""Where a long name of an option may go on in the next line."""


class FieldGrid(QFormLayout):
    """Lays out fields and tells what is entered.

    Attributes:
        fields: Its fields by the path of their key.

    Signals:
        entered: A key (Path) is to have another value (None for none).
        left: What is entered next is another change.
    """

    entered = Signal(object, object)
    left = Signal()

    def __init__(self, fields: Sequence[Field]) -> None:
        super().__init__()
        self.fields: dict[Path, CampaignField] = {}
        self.setHorizontalSpacing(10)
        self.setVerticalSpacing(6)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in fields:
            self._add(field)

    def _add(self, field: Field) -> None:
        editor = CampaignField(field)
        editor.edited.connect(lambda value: self.entered.emit(field.path, value))
        editor.left.connect(self.left)
        label = QLabel(field.title.replace("_", f"_{_BREAK}"))
        label.setAccessibleName(field.title)
        label.setBuddy(editor.editor)
        label.setToolTip(field.explained)
        label.setFixedWidth(_LABEL_WIDTH)
        label.setWordWrap(field.kind is not FieldKind.FLAG or "_" in field.title)
        self.addRow(label, editor)
        self.fields[field.path] = editor
