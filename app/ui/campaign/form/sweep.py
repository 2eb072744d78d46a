"""The axes of a sweep in a small grid, with the count of runs they make."""

import csv
from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.plan.order import ORDERS
from app.ui.campaign.form.rows import EditRow, RowsEditor
from app.ui.kit.focus import lead_focus
from app.ui.kit.icons import Icons
from app.ui.kit.option_field import CalmCombo
from app.ui.kit.widgets import named, row
from instruments.settings import written


class _Axis(EditRow):
    def __init__(self, icons: Icons, options: Sequence[str]) -> None:
        self.option = CalmCombo()
        self.option.setEditable(True)
        self.option.addItems(list(options))
        self.option.setCurrentIndex(-1)
        self.option.setMinimumContentsLength(9)
        tip = "The option that takes several values"
        named(self.option, "Option of the axis", tip)
        self.values = QLineEdit()
        self.values.setPlaceholderText("4k, 64k, 1m")
        tip = "Values separated by commas; quote a value that contains a comma"
        named(self.values, "Values of the axis", tip)
        editors: list[tuple[QWidget, int]] = [(self.option, 0), (self.values, 1)]
        super().__init__(icons, editors, "Remove this axis")
        lead_focus(self, self.option)
        self.option.currentTextChanged.connect(self.edited)
        self.values.textEdited.connect(self.edited)
        self.values.editingFinished.connect(self.left)


class SweepEditor(RowsEditor[_Axis]):
    """Edits a table [step.sweep].

    Args:
        options: What an axis may be.
    """

    def __init__(self, icons: Icons, options: Sequence[str]) -> None:
        super().__init__(
            icons,
            partial(_Axis, icons, options),
            add="Axi&s",
            tip="Run the step with several values of an option, each in turn (Alt+S)",
        )
        self.order = CalmCombo()
        self.order.addItems(list(ORDERS))
        tip = (
            "Shuffled, so that a drift of the bench is not taken for an effect of an "
            "axis; the same seed always gives the same order"
        )
        named(self.order, "Order of the runs", tip)
        self.seed = QLineEdit()
        self.seed.setFixedWidth(56)
        self.seed.setPlaceholderText("1")
        tip = "A whole number; another one gives another order"
        named(self.seed, "Seed of the order", tip)
        self._seed_label = QLabel("seed")
        self._ordering = QWidget()
        parts = (QLabel("Order"), self.order, self._seed_label, self.seed, None)
        row(*parts, of=self._ordering, spacing=6)
        self._layout.insertWidget(2, self._ordering)
        self.order.currentIndexChanged.connect(self.edited)
        self.edited.connect(self._show_order)
        self.seed.textEdited.connect(self.edited)
        self.seed.editingFinished.connect(self.left)
        self._show_order()

    def sweep(self) -> dict[str, object] | None:
        """Get what stands in [step.sweep], None without an axis.

        An axis without a name or values does not count yet.
        """
        axes: dict[str, object] = {}
        for axis in self.rows:
            option, values = axis.option.currentText(), parse_values(axis.values.text())
            if option.strip() and values:
                axes[option.strip()] = values
        if not axes:
            return None
        order, seed = self.order.currentText(), self.seed.text().strip()
        if order != ORDERS[0]:
            axes["order"] = order
        if order == "shuffled" and seed:
            axes["seed"] = int(seed) if seed.isdecimal() else seed
        return axes

    def show_sweep(self, sweep: object) -> None:
        """Show the sweep of a step; an axis that was just begun stays."""
        wanted = dict(sweep) if isinstance(sweep, Mapping) else {}
        if wanted == (self.sweep() or {}):
            return
        axes = {k: v for k, v in wanted.items() if k not in ("order", "seed")}
        self.keep_rows(len(axes))
        for axis, (option, values) in zip(self.rows, axes.items(), strict=True):
            with QSignalBlocker(axis.option):
                axis.option.setCurrentText(option)
            axis.values.setText(format_values(values))
        with QSignalBlocker(self.order):
            order = self.order.findText(str(wanted.get("order", ORDERS[0])))
            self.order.setCurrentIndex(max(0, order))
        self.seed.setText(written(wanted.get("seed")))
        self._show_order()

    def _show_order(self) -> None:
        is_shuffled = self.order.currentText() == "shuffled"
        self.seed.setVisible(is_shuffled)
        self._seed_label.setVisible(is_shuffled)
        self._ordering.setVisible(bool(self.rows))


def parse_values(text: str) -> list[object]:
    """Read values with commas between; numbers become numbers."""
    rows = list(csv.reader([text], skipinitialspace=True))
    parts = [part.strip() for part in (rows[0] if rows else []) if part.strip()]
    return [int(p) if p.isdecimal() and p == str(int(p)) else p for p in parts]


def format_values(values: object) -> str:
    """Write values the way `parse_values` reads them."""
    if not isinstance(values, list):
        return written(values)
    texts = [written(value) for value in values]
    return ", ".join(f'"{text}"' if "," in text else text for text in texts)
