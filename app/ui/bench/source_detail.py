"""The chosen source of the bench: facts, parsed values, and the reply they are from."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.ui.bench.source_list import SourceLine, ValueLine, value_columns
from app.ui.kit.context import Context
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables import Table
from instruments.base import DUT
from instruments.driver import HOST
from instruments.errors import printable
from instruments.sizes import counted
from instruments.tools.secrets import variable

if TYPE_CHECKING:
    from app.operations.bench.check import SourceCheck

Fact = tuple[str, str, str]
"""Name, text, and the colour token of the text."""


def facts_of(line: SourceLine, today: date | None = None) -> list[Fact]:
    """Write what a person wants to know of a source.

    Args:
        line: The source, checked or not.
        today: The day to count the age of a calibration from.
    """
    config, check = line.config, line.check
    facts: list[Fact] = [("Driver", config.driver.title, "text")]
    if line.identity:
        facts.append(("Identity", line.identity, "text"))
    firmware = check.identity.firmware if check and check.identity else ""
    if firmware:
        facts.append(("Firmware", firmware, "text"))
    address = (check.address if check else "") or config.address
    if address:
        facts.append(("Address", address, "text"))
    if config.host:
        facts.append(("Tools run on", config.host, "text"))
    elif HOST in config.driver.options:
        facts.append(("Tools run on", "this machine", "text"))
    if config.measures != DUT:
        facts.append(("Measures", config.measures, "text"))
    if config.ignore:
        facts.append(("Left out", ", ".join(config.ignore), "text"))
    period = config.keys.get("period")
    if period:
        facts.append(("Read every", f"{period:g} s", "text"))
    if check is not None and check.poll_s:
        facts.append(("One reading took", _duration(check.poll_s), "text"))
    facts.append(_calibration(config.calibrated, config.calibration_days, today))
    if config.driver.secret:
        facts.append(_password(line))
    return facts


def _duration(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    return f"{milliseconds} ms" if milliseconds else "less than 1 ms"


def _calibration(day: date | None, valid: int, today: date | None) -> Fact:
    if day is None:
        return "Calibrated", "not said", "muted"
    age = ((today or datetime.now().astimezone().date()) - day).days
    if age < 0:
        return "Calibrated", f"{day}, which is still to come", "warn"
    text = f"{day}, {counted(age, 'day')} ago"
    if age > valid:
        return "Calibrated", f"{text}: due again since {age - valid}", "warn"
    return "Calibrated", text, "text"


def _password(line: SourceLine) -> Fact:
    known = line.check.password if line.check else ""
    if known == "known":
        return "Password", "known, kept outside the bench", "text"
    if known == "missing":
        place = variable(line.config.name)
        return "Password", f"missing: Password..., or the variable {place}", "warn"
    return "Password", f"needed: {line.config.driver.secret}", "text"


_LONGEST_RAW = 20_000
"""Characters of a raw reply that are shown; tools can answer with megabytes."""


class SourceDetail(QFrame):
    """Shows what one source is and what it answered; nothing before it was asked."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme = context.theme
        self._facts: list[Fact] = []
        self.values = RowsModel[ValueLine](value_columns(), context, self)
        self.told = QLabel("")
        self.told.setWordWrap(True)
        self.told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.raw = QPlainTextEdit()
        self.raw.setObjectName("raw")
        self.raw.setReadOnly(True)
        self.raw.setTabChangesFocus(True)
        self.raw.setAccessibleName("Raw reply")
        self.raw.setPlaceholderText("Nothing was read yet")
        self._grid = QGridLayout()
        self._build()
        context.theme.changed.connect(self._fill)

    def _build(self) -> None:
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        inner = QWidget()
        inner.setObjectName("surface")
        column = QVBoxLayout(inner)
        column.setContentsMargins(16, 10, 10, 10)
        column.setSpacing(10)
        column.addWidget(self.told)
        column.addLayout(self._grid)
        column.addStretch(1)
        facts = QScrollArea()
        facts.setWidget(inner)
        facts.setWidgetResizable(True)
        facts.setFrameShape(QFrame.Shape.NoFrame)
        facts.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        facts.setAccessibleName("What is known of the source")
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(facts)
        split.addWidget(Table(self.values, "Values of the source", stretch=0))
        split.addWidget(_titled("Raw reply", self.raw))
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        split.setSizes([380, 440, 380])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)
        self.setObjectName("surface")

    def show_line(self, line: SourceLine | None) -> None:
        """Show a source, or that there is none."""
        check = line.check if line else None
        self.values.set_records(
            [ValueLine(*value) for value in check.values or ()] if check else []
        )
        raw = check.raw if check else ""
        cut = (
            f"\n... and {len(raw) - _LONGEST_RAW} more"
            if len(raw) > _LONGEST_RAW
            else ""
        )
        shown = printable(raw[:_LONGEST_RAW], "\n\t") + cut
        if shown != self.raw.toPlainText():
            self.raw.setPlainText(shown)
        self._tell(line)
        self._facts = [] if line is None else facts_of(line)
        self._fill()

    def _tell(self, line: SourceLine | None) -> None:
        wrong = False
        if line is None:
            text = (
                "This bench has no sources yet. Look for devices finds what is "
                "plugged in here; Add source takes what is reached over the network."
            )
        elif line.state == "checking":
            text = f"{line.config.name} is being asked."
        elif line.check is None:
            text = (
                f"{line.config.name} was not asked yet. Check bench connects, "
                "identifies and reads each source once."
            )
        elif line.check.error:
            text, wrong = str(line.check.error), True
        else:
            text = _told(line.config.name, line.check)
        self.told.setText(text)
        self.told.setObjectName("mistake" if wrong else "")
        self.told.style().polish(self.told)

    @Slot()
    def _fill(self) -> None:
        while item := self._grid.takeAt(0):
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for row, (name, text, token) in enumerate(self._facts):
            label = QLabel(name)
            label.setObjectName("muted")
            value = QLabel(text)
            value.setWordWrap(True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setSizePolicy(
                QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred
            )
            if token != "text":
                colour = getattr(self._theme.tokens, token)
                value.setStyleSheet(f"color: {colour};")
            top = Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(label, row, 0, top)
            self._grid.addWidget(value, row, 1, top)

    @property
    def facts(self) -> Sequence[Fact]:
        """What is said of the source."""
        return tuple(self._facts)


def _told(name: str, check: "SourceCheck") -> str:
    """Say what came of asking a source that answers: what is missing, and why."""
    lacking = check.lacking
    turns = f" {check.turns}." if check.turns else ""
    if not lacking:
        return f"{name} answers.{turns} {check.trouble}".strip()
    each = ", ".join(f"{place} ({status})" for place, status in lacking.items())
    text = f"{name} answers, but {len(lacking)} of {len(check.places)} without a value"
    why = f" {check.trouble}" if check.trouble else ""
    return f"{text}: {each}.{turns}{why}"


def _titled(title: str, widget: QWidget) -> QWidget:
    found = QWidget()
    layout = QVBoxLayout(found)
    layout.setContentsMargins(8, 5, 0, 0)
    layout.setSpacing(2)
    label = QLabel(title)
    label.setObjectName("small")
    layout.addWidget(label)
    layout.addWidget(widget, 1)
    return found
