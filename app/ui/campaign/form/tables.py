"""Lists of tables of a campaign, such as [[interlock]], in a grid of small cells."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.operations.editing.values import to_value
from app.ui.campaign.form.rows import EditRow, RowsEditor
from app.ui.campaign.form.sweep import format_values, parse_values
from app.ui.kit.focus import lead_focus
from app.ui.kit.icons import Icons
from app.ui.kit.option_field import CalmCombo
from app.ui.kit.widgets import column, named, row
from instruments.settings import Kind, Option, written


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its key, and how much room it takes.

    Attributes:
        option: The key.
        example: What stands in it while it is empty.
        width: In pixels; 0 shares the room that is left.
    """

    option: Option
    example: str = ""
    width: int = 0


class TableRow(EditRow):
    """One table, in one line of cells or several.

    Args:
        lines: Its cells.
        first: What stands in one that was just added.
    """

    def __init__(
        self,
        icons: Icons,
        lines: Sequence[Sequence[Cell]],
        first: Mapping[str, object],
    ) -> None:
        self._first = first
        self._cells: dict[str, tuple[Cell, QLineEdit | CalmCombo]] = {}
        self._others: dict[str, object] = {}
        whole = column(margins=(0, 0, 0, 8), spacing=4)
        for cells in lines:
            line = row(spacing=6)
            for cell in cells:
                line.addLayout(self._make(cell), 0 if cell.width else 1)
            if all(cell.width for cell in cells):
                line.addStretch(1)
            whole.addLayout(line)
        page = QWidget()
        page.setLayout(whole)
        super().__init__(icons, [(page, 1)], "Remove this one")
        lead_focus(self, self.editors[0])
        for editor in self.editors:
            if isinstance(editor, QLineEdit):
                editor.textEdited.connect(self.edited)
                editor.editingFinished.connect(self.left)
            else:
                editor.currentIndexChanged.connect(self.edited)

    def _make(self, cell: Cell) -> QVBoxLayout:
        option = cell.option
        editor: QLineEdit | CalmCombo
        if option.kind is Kind.CHOICE:
            editor = CalmCombo()
            editor.addItems([written(choice) for choice in option.choices])
        else:
            editor = QLineEdit()
            editor.setPlaceholderText(cell.example)
        named(editor, option.title, option.help)
        if cell.width:
            editor.setFixedWidth(cell.width)
        caption = named(QLabel(option.title), "", look="small")
        caption.setBuddy(editor)
        self._cells[option.key] = (cell, editor)
        return column(caption, editor, spacing=1)

    @property
    def editors(self) -> list[QLineEdit | CalmCombo]:
        """Its editors in their order."""
        return [editor for _, editor in self._cells.values()]

    def begin(self) -> None:
        """Show the example."""
        if self._first:
            self.show_table(self._first)
            self.edited.emit()
            self.left.emit()

    def table(self) -> dict[str, object]:
        """Get what stands in the file; without what is empty."""
        found: dict[str, object] = {}
        for key, (cell, editor) in self._cells.items():
            text = _entered(editor)
            if text.strip() and text != written(cell.option.default):
                found[key] = _value(cell.option, text)
        return {**found, **self._others}

    def show_table(self, table: Mapping[str, object]) -> None:
        """Show a table; keys without a cell are kept. Typing is not disturbed."""
        self._others = {k: v for k, v in table.items() if k not in self._cells}
        for key, (cell, editor) in self._cells.items():
            option = cell.option
            text = _text(option.kind, table.get(key)) or written(option.default)
            if _entered(editor) == text or editor.hasFocus():
                continue
            with QSignalBlocker(editor):
                if isinstance(editor, QLineEdit):
                    editor.setText(text)
                    editor.setCursorPosition(0)  # its begin is seen, not its end
                else:
                    editor.setCurrentText(text)


class TablesEditor(RowsEditor[TableRow]):
    """Edits all tables of a list.

    Args:
        lines: The cells of a table.
        add: What the button for another table says.
        tip: What such a table does.
        first: What stands in a new table.
    """

    def __init__(
        self,
        icons: Icons,
        lines: Sequence[Sequence[Cell]],
        *,
        add: str,
        tip: str,
        first: Mapping[str, object] | None = None,
    ) -> None:
        make = partial(TableRow, icons, lines, first or {})
        super().__init__(icons, make, add=add, tip=tip)

    def tables(self) -> list[dict[str, object]]:
        """Get what stands in the file; a table without a name does not count yet."""
        tables = [one.table() for one in self.rows]
        return [table for table in tables if table.get("name")]

    def show_tables(self, tables: Sequence[Mapping[str, object]]) -> None:
        """Show these; a row that was just begun stays."""
        wanted = [dict(table) for table in tables]
        if wanted == self.tables():
            return
        self.keep_rows(len(wanted))
        for one, table in zip(self.rows, wanted, strict=True):
            one.show_table(table)


def _entered(editor: QLineEdit | QComboBox) -> str:
    return editor.text() if isinstance(editor, QLineEdit) else editor.currentText()


def _value(option: Option, text: str) -> object:
    if option.kind is Kind.TEXTS:
        return [written(value) for value in parse_values(text)]
    if option.kind is Kind.COMMAND:
        try:
            return shlex.split(text)
        except ValueError:  # a quote that is still open
            return text.split()
    return to_value(option, text)


def _text(kind: Kind, value: object) -> str:
    if kind is Kind.TEXTS and isinstance(value, list):
        return format_values(value)
    if kind is Kind.COMMAND and isinstance(value, list):
        return shlex.join(str(part) for part in value)
    return written(value)
