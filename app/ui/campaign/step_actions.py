"""What a user does with the chosen steps: by button, key, table and form."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from app.operations.editing.open import has_steps
from app.plan.edit import Path
from app.ui.campaign.edits import CampaignEdits
from app.ui.campaign.form.form import CampaignForm
from app.ui.campaign.steps import StepsTable
from app.ui.kit.document_bar import Tool

STEP_TOOLS = {
    "add": Tool(
        "Add step", "plus", "Add a step after the selected one", "Ctrl+Shift+A"
    ),
    "duplicate": Tool(
        "Duplicate",
        "copy-plus",
        "Put a copy of the selected steps after them",
        "Ctrl+D",
        name="Duplicate",
    ),
    "delete": Tool(
        "", "trash-2", "Delete the selected steps", table_key="Del", name="Delete"
    ),
    "up": Tool("", "move-up", "Move the selected steps up", "Alt+Up", name="Move up"),
    "down": Tool(
        "", "move-down", "Move the selected steps down", "Alt+Down", name="Move down"
    ),
    "switch": Tool(
        "&On/off",
        "ban",
        "Run the selected steps, or skip them",
        table_key="Space or Alt+O",
        name="On or off",
    ),
    "undo": Tool("", "undo-2", "Undo", "Ctrl+Z", name="Undo", at_right=True),
    "redo": Tool("", "redo-2", "Redo", "Ctrl+Shift+Z", name="Redo"),
}
"""The tools for the steps that are chosen."""


class StepActions(QObject):
    """Does it to the steps that are chosen in the table.

    Args:
        form: Where the chosen ones are described.

    Attributes:
        duplicate: Puts a copy of the chosen steps behind them.
        delete: Deletes the chosen steps.
        switch: Lets the chosen steps be run, or not.
        move_up: Moves them up by one.
        move_down: Moves them down by one.

    Signals:
        jobs_found: What was pasted (str) is not steps, and may be fio jobs.
    """

    jobs_found = Signal(str)

    def __init__(
        self, edits: CampaignEdits, table: StepsTable, form: CampaignForm
    ) -> None:
        super().__init__(table)
        self._edits = edits
        self._table = table
        self.duplicate = self._on_chosen(edits.duplicate)
        self.delete = self._on_chosen(edits.delete)
        self.switch = self._on_chosen(edits.switch)
        self.move_up = self._on_chosen(lambda rows: edits.shift(rows, -1))
        self.move_down = self._on_chosen(lambda rows: edits.shift(rows, 1))
        table.switched.connect(self.switch)
        table.deleted.connect(self.delete)
        table.copied.connect(self.copy)
        table.pasted.connect(self.paste)
        table.steps_model.edited.connect(self._edit_cell)
        table.steps_model.dropped.connect(edits.move)
        form.edited.connect(self._edit_key)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._open_menu)

    def _on_chosen(self, act: Callable[[Sequence[int]], None]) -> Callable[[], None]:
        return lambda: act(self._table.rows())

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
        self._edits.set(self._table.rows(), path, value, merge)

    def add(self, engine: str) -> None:
        """Put a new step behind the chosen ones."""
        self._edits.add(engine, self._table.rows())

    @Slot()
    def copy(self) -> None:
        """Put the chosen steps, or all, on the clipboard as text."""
        rows = self._table.rows() or range(self._table.steps_model.rowCount())
        QGuiApplication.clipboard().setText(self._edits.copied(rows))

    @Slot()
    def paste(self) -> None:
        """Put what is on the clipboard behind the chosen steps, if it is steps."""
        text = QGuiApplication.clipboard().text()
        if has_steps(text):
            self._edits.paste(text, self._table.rows())
        else:
            self.jobs_found.emit(text)
