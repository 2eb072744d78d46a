"""The chosen source of the bench: facts, parsed values, and the reply they are from."""

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
)

from app.ui.bench.source_list import SourceLine, ValueLine, value_columns
from app.ui.kit.context import Context
from app.ui.kit.labels import tone
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.widgets import column, make_note, named, panel, split
from instruments.base import DUT
from instruments.driver import HOST
from instruments.errors import printable
from instruments.sizes import counted
from instruments.tools.secrets import variable

if TYPE_CHECKING:
    # What it imports (numpy) would come before the first frame.
    from app.operations.bench.check import SourceCheck

_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse

Fact = tuple[str, str, str]
"""Name, text, and the colour token of the text."""


def facts_of(line: SourceLine, today: date | None = None) -> list[Fact]:
    """Write what a person wants to know of a source.

    Args:
        line: The source, checked or not.
        today: The day to count the age of a calibration from.
    """
    config, check = line.config, line.check
    here = "this machine" if HOST in config.driver.options else ""
    period = config.keys.get("period")
    texts = {
        "Driver": config.driver.title,
        "Identity": line.identity,
        "Firmware": "",
        "Address": config.address,
        "Tools run on": config.host or here,
        "Measures": "" if config.measures == DUT else config.measures,
        "Excluded": ", ".join(config.ignore),
        "Read every": f"{period:g} s" if period else "",
    }
    if check is not None:
        texts |= _answered(check, config.address)
    facts: list[Fact] = [(name, text, "text") for name, text in texts.items() if text]
    facts.append(_calibration(config.calibrated, config.calibration_days, today))
    if config.driver.secret:
        facts.append(_password(line))
    return facts


def _answered(check: "SourceCheck", address: str) -> dict[str, str]:
    """Write what the source itself answered."""
    return {
        "Firmware": check.identity.firmware if check.identity else "",
        "Address": check.address or address,
        "One reading took": _duration(check.poll_s) if check.poll_s else "",
    }


def _duration(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    return f"{milliseconds} ms" if milliseconds else "less than 1 ms"


def _calibration(day: date | None, valid: int, today: date | None) -> Fact:
    if day is None:
        return "Calibrated", "not set", "muted"
    age = ((today or datetime.now().astimezone().date()) - day).days
    if age < 0:
        return "Calibrated", f"{day}, which is in the future", "warn"
    text = f"{day}, {counted(age, 'day')} ago"
    if age > valid:
        return "Calibrated", f"{text}: overdue by {counted(age - valid, 'day')}", "warn"
    return "Calibrated", text, "text"


def _password(line: SourceLine) -> Fact:
    password = line.check.password if line.check else ""
    if password == "known":
        return "Password", "stored, outside the bench file", "text"
    if password == "missing":
        place = variable(line.config.name)
        return "Password", f"missing: Password..., or the variable {place}", "warn"
    return "Password", f"needed: {line.config.driver.secret}", "text"


_LONGEST_RAW = 20_000
"""Characters of a raw reply that are shown; tools can answer with megabytes."""


class SourceDetail(QFrame):
    """Shows what one source is and what it answered; nothing before it was asked.

    Attributes:
        facts: What is shown beside its values.
    """

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme = context.theme
        self.facts: list[Fact] = []
        self.values = RowsModel[ValueLine](value_columns(), context, self)
        self.answer = make_note(look="")
        self.answer.setTextInteractionFlags(_SELECTABLE)
        self.raw = QPlainTextEdit(readOnly=True, tabChangesFocus=True)
        self.raw.setPlaceholderText("Nothing has been read yet")
        named(self.raw, "Raw reply", look="raw")
        self._grid = QGridLayout()
        self._build()
        context.theme.changed.connect(self._fill)

    def _build(self) -> None:
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        inner = panel(
            self.answer, self._grid, None, margins=(16, 10, 10, 10), spacing=10
        )
        inner.setObjectName("surface")
        facts = QScrollArea()
        facts.setWidget(inner)
        facts.setWidgetResizable(True)
        facts.setFrameShape(QFrame.Shape.NoFrame)
        facts.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        facts.setAccessibleName("Facts about the source")
        title = named(QLabel("Raw reply"), "", look="small")
        raw = panel(title, self.raw, grows=self.raw, margins=(8, 5, 0, 0), spacing=2)
        values = Table(self.values, "Values of the source", stretch=0)
        column(split(facts, values, raw, sizes=(380, 440, 380)), of=self)
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
        text, is_wrong = _answer_of(line)
        self.answer.setText(text)
        tone(self.answer, "error" if is_wrong else "")
        self.facts = [] if line is None else facts_of(line)
        self._fill()

    @Slot()
    def _fill(self) -> None:
        while item := self._grid.takeAt(0):
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for row, (name, text, token) in enumerate(self.facts):
            label = named(QLabel(name), "", look="muted")
            value = make_note(text, look="")
            value.setTextInteractionFlags(_SELECTABLE)
            value.setToolTip(text)
            value.setSizePolicy(
                QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred
            )
            if token != "text":
                colour = getattr(self._theme.tokens, token)
                value.setStyleSheet(f"color: {colour};")
            top = Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(label, row, 0, top)
            self._grid.addWidget(value, row, 1, top)


def _answer_of(line: SourceLine | None) -> tuple[str, bool]:
    """Write what a source answered, and tell whether that is an error."""
    if line is None:
        return (
            "This bench has no sources yet. Discover devices finds what is "
            "plugged in here; Add source takes what is reached over the network."
        ), False
    name, check = line.config.name, line.check
    if line.state == "checking":
        return f"{name} is being checked.", False
    if check is None:
        return (
            f"{name} has not been checked yet. Check bench connects, identifies and "
            "reads each source once."
        ), False
    if check.error:
        return str(check.error), True
    turns = f" {check.turns}." if check.turns else ""
    if not check.lacking:
        return f"{name} answers.{turns} {check.trouble}".strip(), False
    each = ", ".join(f"{place} ({status})" for place, status in check.lacking.items())
    count = f"{len(check.lacking)} of {len(check.places)}"
    text = f"{name} answers, but {count} without a value: {each}.{turns}"
    return f"{text} {check.trouble}".strip(), False
