"""What chooses how the tables of a report look: their form, and uncertainties."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox

from app.report.forms.form import Form, all_forms
from app.ui.kit.background import Background
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.widgets import named
from instruments.errors import one_line

_ALL = "Every result"
_ABOUT = "Every result of every step, with efficiency, uncertainty and gates below"


def make_spread_box() -> QCheckBox:
    """Make the box that puts beside each figure its uncertainty."""
    return named(
        QCheckBox("± Uncertaint&y"),
        "Uncertainty beside each figure",
        "The expanded uncertainty (k = 2) beside each figure where it is known, as in "
        "698.9 ± 3.2 (Alt+Y)",
    )


class FormBox(ComboBox):
    """Offers every result, and each form that ships or that the lab has.

    They are read again whenever it is shown or opened: people edit them.

    Signals:
        chosen: The user chose another one.
    """

    chosen = Signal()

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self._forms: list[Form] = []
        self._preferred = ""
        self.setAccessibleName("Form of the tables")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.addItem(_ALL, "")
        self.activated.connect(lambda _: self._choose())
        self._explain()

    @property
    def form(self) -> str:
        """Name of the form, "" for every result."""
        return str(self.currentData() or "")

    def choose(self, form: str) -> None:
        """Choose a form by its name, without a signal."""
        if form and self.findData(form) < 0:
            self.addItem(one_line(form), form)  # called so until it is read
        self.setCurrentIndex(max(0, self.findData(form)))
        self._explain()

    def prefer(self, form: str) -> None:
        """Choose a form as soon as it is known, and if it still is there."""
        self._preferred = form

    def _choose(self) -> None:
        self._preferred = ""
        self._explain()
        self.chosen.emit()

    def _explain(self) -> None:
        role = Qt.ItemDataRole.ToolTipRole
        about = self.currentData(role) or _ABOUT
        self.setToolTip(f"Which tables, columns and units (Alt+F). {about}")

    def showEvent(self, event: QShowEvent) -> None:
        """Look which forms there are by now."""
        super().showEvent(event)
        self._read()

    def showPopup(self) -> None:
        """Look which forms there are by now."""
        self._read()
        super().showPopup()

    def _read(self) -> None:
        self._background.run(all_forms, self._take)

    @Slot(object)
    def _take(self, forms: list[Form]) -> None:
        if forms == self._forms:
            return
        self._forms = forms
        chosen = self.form
        while self.count() > 1:
            self.removeItem(1)
        for form in forms:
            mark = "" if form.tables else " (with a mistake)"
            self.addItem(f"{one_line(form.title)}{mark}", form.name)
            role = Qt.ItemDataRole.ToolTipRole
            self.setItemData(self.count() - 1, one_line(form.about), role)
        self.choose(chosen)
        if self._preferred in [form.name for form in forms]:
            self.choose(self._preferred)
            self._choose()
