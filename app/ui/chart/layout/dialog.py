"""Asks for a curve: a channel as it was measured, or what is computed of several."""

from collections.abc import Sequence

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QDialog,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QWidget,
)

from app.report.chart.layout import Arranger, OwnCurve
from app.report.chart.maths import RULES, Operation, Rule
from app.ui.chart.layout.channels import ChannelList
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    column,
    make_note,
    named,
    panel,
    row,
)
from instruments.errors import BadInput
from instruments.reading import Channel

_MEASURED = "Each channel as it was measured."
_SECONDS = 10.0


class CurveDialog(QDialog):
    """What is computed, of which channels, into which chart.

    Args:
        arranger: Knows the channels.
        charts: Names of the charts that there are; a new one is offered, too.
        chart: Which of them is meant at first; their number is the new one.
        context: What the parts of the window share.
        parent: The window.
    """

    def __init__(
        self,
        arranger: Arranger,
        charts: Sequence[str],
        chart: int,
        context: Context,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Add curve")
        self._arranger = arranger
        self.operation = named(ComboBox(), "What the curve is")
        self.operation.addItem("Channel", None)
        for key, rule in RULES.items():
            self.operation.addItem(rule.title, key)
        self.chart = named(ComboBox(), "Chart it goes into")
        self.chart.addItems([*charts, "New chart"])
        self.chart.setCurrentIndex(chart)
        self.channels = ChannelList(context, "Channels")
        self.over = ChannelList(context, "Other channels")
        for one in (self.channels, self.over):
            one.table.setDragEnabled(False)
            one.show_channels(arranger)
            one.changed.connect(self._look)
        self.channels.wanted.connect(self._take)
        self.seconds = named(QDoubleSpinBox(), "Seconds that the mean looks back")
        self.seconds.setRange(0.1, 86_400)
        self.seconds.setValue(_SECONDS)
        self.seconds.setSuffix(" s")
        self.seconds.valueChanged.connect(self._look)
        self.label = named(QLineEdit(), "Name in the legend")
        self.label.setMaxLength(80)
        self.label.textChanged.connect(self._look)
        self._about = make_note(name="What it is")
        self._outcome = make_note(name="What comes out")
        self._over_title, self._back = QLabel("Over"), QLabel("Looks &back")
        self._right = panel(self._over_title, self.over, grows=self.over, spacing=4)
        self._buttons = DialogButtons(self, "Add")
        self._build()
        self.operation.currentIndexChanged.connect(self._look)
        self._look()
        self.channels.search.setFocus()

    def compute(self, channels: Sequence[Channel]) -> None:
        """Begin with a sum of these channels, not with a channel as it is."""
        self.operation.setCurrentIndex(1)
        self.channels.choose(channels)

    def _build(self) -> None:
        labels = {}
        for text, field in (
            ("&Curve", self.operation),
            ("&Into", self.chart),
            ("&Name", self.label),
        ):
            labels[text] = QLabel(text)
            labels[text].setBuddy(field)
        self._back.setBuddy(self.seconds)
        first = row(
            *(labels["&Curve"], self.operation, self._back, self.seconds, None),
            *(labels["&Into"], self.chart),
            spacing=8,
        )
        title = QLabel("Channels")
        left = panel(title, self.channels, grows=self.channels, spacing=4)
        lists = row(left, self._right, spacing=12)
        name = row(labels["&Name"], self.label, grows=self.label, spacing=8)
        whole = (first, self._about, lists, name, self._outcome, self._buttons)
        column(*whole, of=self, grows=lists, margins=DIALOG_MARGINS, spacing=10)
        self.resize(760, 560)

    @property
    def curves(self) -> list[OwnCurve]:
        """What is asked for: several where channels are wanted as they are."""
        parts = tuple(channel.name for channel in self.channels.chosen)
        operation: Operation | None = self.operation.currentData()
        label = self.label.text().strip()
        if operation is None:
            only = label if len(parts) == 1 else ""
            return [OwnCurve((name,), label=only) for name in parts]
        operation = Operation(operation)  # Qt hands out a plain str
        rule = RULES[operation]
        over = tuple(c.name for c in self.over.chosen) if rule.over else ()
        seconds = self.seconds.value() if rule.takes_seconds else 0.0
        return [OwnCurve(parts, operation, over, seconds, label)]

    @Slot()
    def _look(self) -> None:
        """Say what comes out, or why nothing does."""
        operation: Operation | None = self.operation.currentData()
        self._show_rule(None if operation is None else RULES[operation])
        try:
            curves = [self._arranger.curve(one) for one in self.curves]
        except BadInput as error:
            # A person who has chosen nothing yet has made no mistake.
            is_begun = bool(self.channels.chosen)
            self._outcome.setText(error.bare if is_begun else "Choose channels.")
            self._buttons.yes.setEnabled(False)
            return
        texts = [f"{one.label}, {one.scale.unit or 'no unit'}" for one in curves]
        self._outcome.setText("; ".join(texts[:4]) if texts else "Choose channels.")
        self._buttons.yes.setEnabled(bool(curves))

    def _show_rule(self, rule: Rule | None) -> None:
        """Show what an operation does and needs; None where there is none."""
        self._about.setText(rule.about if rule is not None else _MEASURED)
        self._right.setVisible(rule is not None and bool(rule.over))
        self._over_title.setText(rule.over if rule is not None else "")
        for part in (self._back, self.seconds):
            part.setVisible(rule is not None and rule.takes_seconds)

    @Slot()
    def _take(self) -> None:
        if self._buttons.yes.isEnabled():
            self.accept()
