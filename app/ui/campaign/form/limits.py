"""The limits of a step: a result, a comparison, a number with its unit."""

import re
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QLabel, QLineEdit

from app.ui.campaign.form.rows import EditRow, RowsEditor
from app.ui.kit.focus import lead_focus
from app.ui.kit.icons import Icons
from app.ui.kit.option_field import CalmCombo
from app.ui.kit.widgets import named
from instruments.metric import BY_NAME, RESULT_NAMES

_TIP = int(Qt.ItemDataRole.ToolTipRole)
_SIGNS = ("<=", ">=", "<", ">")
_LIMIT = re.compile(r"^\s*(\S+?)\s*(<=|>=|<|>)\s*(.*?)\s*$")


class _Limit(EditRow):
    def __init__(self, icons: Icons) -> None:
        self.result = CalmCombo()
        self.result.setEditable(True)
        for number, name in enumerate(RESULT_NAMES):
            self.result.addItem(name)
            self.result.setItemData(number, BY_NAME[name].about, _TIP)
        tip = "Result that the limit applies to"
        named(self.result, "Result that is limited", tip)
        self.sign = named(CalmCombo(), "Comparison", "<= is at most, >= is at least")
        self.sign.setFixedWidth(62)
        self.sign.addItems(list(_SIGNS))
        self.value = named(QLineEdit(), "Limit")
        self.value.setFixedWidth(72)
        self.unit = named(QLabel(), "", look="muted")
        self.unit.setMinimumWidth(32)
        editors = [(self.result, 1), (self.sign, 0), (self.value, 0), (self.unit, 0)]
        super().__init__(icons, editors, "Remove this limit")
        lead_focus(self, self.result)
        self.result.currentTextChanged.connect(self.show_unit)
        self.result.currentTextChanged.connect(self.edited)
        self.sign.currentTextChanged.connect(self.edited)
        self.value.textEdited.connect(self.edited)
        self.value.editingFinished.connect(self.left)
        self.show_unit()

    @property
    def text(self) -> str:
        name, value = self.result.currentText().strip(), self.value.text().strip()
        return f"{name} {self.sign.currentText()} {value}".strip()

    def show_text(self, text: str) -> None:
        if text == self.text:
            return
        found = _LIMIT.match(text)
        name, sign, value = found.groups() if found else (text, "<=", "")
        with QSignalBlocker(self.result), QSignalBlocker(self.sign):
            self.result.setCurrentText(name)
            self.sign.setCurrentText(sign)
        line = self.result.lineEdit()
        if line is not None:
            line.setCursorPosition(0)
        self.value.setText(value)
        self.value.setCursorPosition(0)
        self.show_unit()

    def show_unit(self) -> None:
        metric = BY_NAME.get(self.result.currentText().strip())
        unit, tip = (metric.unit, metric.about) if metric else ("", "")
        self.unit.setText(unit)
        self.value.setToolTip(f"{tip}{f', in {unit}' if unit else ''}" or "A number")
        if metric and not self.value.text():
            self.sign.setCurrentText(">=" if metric.more_is_better else "<=")


class LimitsEditor(RowsEditor[_Limit]):
    """Edits the list `limits` of a step."""

    def __init__(self, icons: Icons) -> None:
        super().__init__(
            icons,
            partial(_Limit, icons),
            add="&Limit",
            tip="A limit on a result: a step that breaks it has failed (Alt+L)",
        )

    def limits(self) -> list[str] | None:
        """Get the limits as they stand in the file, None without any.

        A row without a number does not count yet.
        """
        return [row.text for row in self.rows if row.value.text().strip()] or None

    def show_limits(self, limits: object) -> None:
        """Show the limits of a step; a row that was just begun stays."""
        self.note.setText("")
        wanted = [str(limit) for limit in limits] if isinstance(limits, list) else []
        if wanted == (self.limits() or []):
            return
        self.keep_rows(len(wanted))
        for row, text in zip(self.rows, wanted, strict=True):
            row.show_text(text)

    def show_several(self, count: int) -> None:
        """Say that these steps have several limits; those entered replace them."""
        self.show_limits(None)
        self.note.setText(
            f"Several values. A limit entered here applies to all {count}."
        )
