"""What a user does with the chosen steps: by button, key, table and form."""

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from app.operations.campaign_open import steps_of
from app.plan.edit import Path
from app.ui.background import Background
from app.ui.campaign_edits import CampaignEdits
from app.ui.campaign_form import CampaignForm
from app.ui.campaign_steps import StepsTable


class StepActions(QObject):
    """Does it to the steps that are chosen in the table.

    Args:
        edits: What changes the campaign.
        table: Where steps are chosen.
        form: Where the chosen ones are described.
        background: Where fio jobs are read.
    """

    def __init__(
        self,
        edits: CampaignEdits,
        table: StepsTable,
        form: CampaignForm,
        background: Background,
    ) -> None:
        super().__init__(table)
        self._background = background
        self._edits = edits
        self._table = table
        table.switched.connect(self.switch)
        table.deleted.connect(self.delete)
        table.copied.connect(self.copy)
        table.pasted.connect(self.paste)
        table.steps_model.edited.connect(self._edit_cell)
        table.steps_model.dropped.connect(edits.move)
        edits.placed.connect(table.choose_rows)
        form.edited.connect(self._edit_key)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._open_menu)

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        menu = QMenu(self._table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._table.rows():
            menu.addAction("Duplicate", self.duplicate)
            menu.addAction("On or off", self.switch)
            menu.addAction("Copy as text", self.copy)
        menu.addAction("Paste", self.paste)
        if self._table.rows():
            menu.addSeparator()
            menu.addAction("Delete", self.delete)
        menu.popup(self._table.viewport().mapToGlobal(place))

    @Slot(int, str, object)
    def _edit_cell(self, row: int, key: str, value: object) -> None:
        rows = self._table.rows()
        several = rows if row in rows and key != "label" else [row]
        self._edits.set(several, (key,), value)

    @Slot(object, object, str)
    def _edit_key(self, path: Path, value: object, merge: str) -> None:
        rows = self._table.rows()
        self._edits.set(rows, path, value, merge)

    def add(self, engine: str) -> None:
        """Put a new step behind the chosen ones."""
        self._edits.add(engine, self._table.rows())

    @Slot()
    def duplicate(self) -> None:
        """Put a copy of the chosen steps behind them."""
        self._edits.duplicate(self._table.rows())

    @Slot()
    def copy(self) -> None:
        """Put the chosen steps, or all, on the clipboard as text."""
        rows = self._table.rows() or range(self._table.steps_model.rowCount())
        QGuiApplication.clipboard().setText(self._edits.copied(rows))

    @Slot()
    def paste(self) -> None:
        """Put steps, or fio jobs, of the clipboard behind the chosen steps."""
        text = QGuiApplication.clipboard().text()
        self._background.run(lambda: steps_of(text), self._put)

    @Slot(object)
    def _put(self, piece: str) -> None:
        self._edits.paste(piece, self._table.rows())

    @Slot()
    def delete(self) -> None:
        """Delete the chosen steps."""
        self._edits.delete(self._table.rows())

    @Slot()
    def move_up(self) -> None:
        """Move the chosen steps up by one."""
        self._edits.shift(self._table.rows(), -1)

    @Slot()
    def move_down(self) -> None:
        """Move the chosen steps down by one."""
        self._edits.shift(self._table.rows(), 1)

    @Slot()
    def switch(self) -> None:
        """Let the chosen steps be run, or not."""
        self._edits.switch(self._table.rows())
