"""Configuration axes: settings that a person or a command changes between runs."""

import shlex
from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.operations.campaign_fields import to_text
from app.ui.campaign_rows import EditRow, RowsEditor
from app.ui.campaign_sweep import format_values, parse_values
from app.ui.icons import Icons


class _Setting(EditRow):
    def __init__(self, icons: Icons) -> None:
        self.extra: dict[str, object] = {}
        self.name = _line("Name", "layout", "What is set: letters, digits, - and _")
        self.name.setFixedWidth(110)
        self.values = _line("Values", "raidz2, mirror", "Its values, commas between")
        self.prompt = _line(
            "Prompt",
            "What the operator is asked to do",
            "Such as: Set the layout to {layout}. The name in braces is the value",
        )
        self.command = _line(
            "Command",
            "or a command that sets it",
            "A program and its arguments, such as: zfs set sync={sync} tank. "
            "No shell reads them",
        )
        whole = QWidget()
        upper = QHBoxLayout()
        upper.setSpacing(5)
        upper.addWidget(self.name)
        upper.addWidget(self.values, 1)
        lower = QHBoxLayout()
        lower.setSpacing(5)
        lower.addWidget(self.prompt, 3)
        lower.addWidget(self.command, 2)
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 6)
        column.setSpacing(5)
        column.addLayout(upper)
        column.addLayout(lower)
        super().__init__(icons, [(whole, 1)], "Remove this setting (Space)")
        self.setFocusProxy(self.name)

    @property
    def lines(self) -> tuple[QLineEdit, ...]:
        return (self.name, self.values, self.prompt, self.command)

    def table(self) -> dict[str, object]:
        """Get what stands in [[configuration]]."""
        found: dict[str, object] = {"name": self.name.text().strip()}
        found["values"] = [to_text(one) for one in parse_values(self.values.text())]
        if self.prompt.text().strip():
            found["prompt"] = self.prompt.text().strip()
        if self.command.text().strip():
            try:
                found["command"] = shlex.split(self.command.text())
            except ValueError:  # A quote that is still open.
                found["command"] = self.command.text().split()
        return {**found, **self.extra}

    def show_table(self, table: Mapping[str, object]) -> None:
        known = ("name", "values", "prompt", "command")
        self.extra = {k: v for k, v in table.items() if k not in known}
        command = table.get("command")
        argv = [str(part) for part in command] if isinstance(command, list) else []
        texts = (
            to_text(table.get("name")),
            format_values(table.get("values", [])),
            to_text(table.get("prompt")),
            shlex.join(argv),
        )
        for line, text in zip(self.lines, texts, strict=True):
            if line.text() != text and not line.hasFocus():
                line.setText(text)


def _line(name: str, example: str, tip: str) -> QLineEdit:
    line = QLineEdit()
    line.setPlaceholderText(example)
    line.setAccessibleName(name)
    line.setToolTip(tip)
    return line


class ConfigurationsEditor(RowsEditor):
    """Edits the tables [[configuration]] of a campaign."""

    def __init__(self, icons: Icons) -> None:
        super().__init__(
            icons,
            "Add s&etting",
            "All steps are run with each value of a setting, such as a pool's layout "
            "(Alt+E)",
        )

    def make_row(self) -> EditRow:
        """Make a setting without values."""
        row = _Setting(self.icons)
        for line in row.lines:
            line.textEdited.connect(self.edited)
            line.editingFinished.connect(self.left)
        return row

    def tables(self) -> list[dict[str, object]]:
        """Get what stands in the file; a row without a name is not there yet."""
        rows = [row.table() for row in self.rows if isinstance(row, _Setting)]
        return [table for table in rows if table["name"]]

    def show_tables(self, tables: Sequence[Mapping[str, object]]) -> None:
        """Show the settings of a campaign; a row that was just begun stays."""
        wanted = [dict(table) for table in tables]
        if wanted == self.tables():
            return
        self.keep_rows(len(wanted))
        for row, table in zip(self.rows, wanted, strict=True):
            if isinstance(row, _Setting):
                row.show_table(table)
