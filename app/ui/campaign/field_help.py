"""The line that explains the field with the cursor."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.ui.campaign.form.field import CampaignField

_NOTHING = "Each field is explained here while it has the cursor."
_LINES = 3


class FieldHelp(QLabel):
    """Explains a field as long as it has the focus, and the last one after that."""

    def __init__(self) -> None:
        super().__init__(_NOTHING)
        self.setObjectName("small")
        self.setWordWrap(True)
        self.setContentsMargins(14, 6, 14, 6)
        self.setFixedHeight(_LINES * self.fontMetrics().lineSpacing() + 12)
        self.setAccessibleName("What the field with the cursor is")
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._explain)

    @Slot(QWidget, QWidget)
    def _explain(self, _: QWidget | None, now: QWidget | None) -> None:
        field = now.parentWidget() if now is not None else None
        if isinstance(field, CampaignField):
            self.setText(f"{field.field.title}: {field.field.explained}")
