"""The page of the calculators: which one at the left, and it beside."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from app.calc.calculator import Answer, Calculator, figure
from app.calc.catalogue import CALCULATORS
from app.calc.printed import Found, find_printed, told
from app.ui.calc.chart import CalculatorChart
from app.ui.calc.take_dialog import TakeDialog
from app.ui.kit.context import Context
from app.ui.kit.focus import lead_focus
from app.ui.kit.option_field import OptionField
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.sentences import Sentences
from app.ui.kit.tables import Table
from app.ui.kit.widgets import (
    column,
    make_button,
    make_form,
    make_heading,
    make_note,
    named,
    panel,
    row,
    split,
)
from instruments.errors import OptionError
from instruments.settings import Kind, Value

_LIST, _ITEM = 176, 30

_PAUSE_MS = 150
_FORM, _RESULTS = 336, 760
_NAME = 60


@dataclass(frozen=True, slots=True)
class Line:
    """A result as it is shown."""

    title: str
    value: str
    unit: str
    made: str


class _Results(Table):
    """Cuts names where there is little room, and neither a value nor its unit."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the room anew."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        super()._arrange()
        head = self.horizontalHeader()
        room = self.viewport().width() - head.sectionSize(1) - head.sectionSize(2)
        if head.sectionSize(0) > room:
            head.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
            head.resizeSection(0, max(_NAME, room))


class CalculatorPage(QWidget):
    """Recomputes what follows from its form, a moment after each change.

    Args:
        calculator: What it calculates.
        context: What the parts of the window share.
        folder: Tells where sessions are.

    Attributes:
        fields: The inputs by their keys.
        results: What the table shows.
        printed: The field for a printed figure.
        found: Which result that goes with.
        take: The button that takes values from a session.
    """

    def __init__(
        self, calculator: Calculator, context: Context, folder: Callable[[], Path]
    ) -> None:
        super().__init__()
        self.calculator = calculator
        self._context = context
        self._folder = folder
        self._answer: Answer | None = None
        self._outputs = calculator.outputs
        self._is_working = self._is_stale = False
        self._form = make_form(vertical=2)
        self.fields = {one.key: OptionField(one) for one in calculator.options}
        self.results = RowsModel[Line](
            (
                Column[Line](
                    "Result", lambda line: line.title, tip=lambda line: line.title
                ),
                Column[Line]("Value", lambda line: line.value, right=True),
                Column[Line]("Unit", lambda line: line.unit),
                Column[Line](
                    "Formula", lambda line: line.made, tip=lambda line: line.made
                ),
            ),
            context,
            self,
        )
        self._table = _Results(
            self.results, f"Results of {calculator.title}", stretch=3
        )
        self._table.setToolTip("Ctrl+C copies the chosen row, or the table")
        self.chart = CalculatorChart(context.theme)
        self.notes = Sentences("Notes of the result", "Notes on the result")
        self.printed = named(
            QLineEdit(placeholderText="1.12"),
            "Printed figure",
            "A figure of a report: which result it goes with, and how it was rounded",
        )
        self.found = make_note(name="What the printed figure goes with")
        self.take = make_button(
            " Fill from &session...",
            "Fill in values that a session measured in a row (Alt+S)",
            self._take,
        )
        context.icons.put_on(self.take, "history")
        self._later = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._later.timeout.connect(self.calculate)
        self._build()
        for field in self.fields.values():
            field.edited.connect(self._later.start)
        self.printed.textChanged.connect(self._find)
        self.calculate()

    def _build(self) -> None:
        form = self._form
        form.setContentsMargins(14, 4, 12, 12)
        for field in self.fields.values():
            flag = field.option.kind is Kind.FLAG
            label = QLabel("" if flag else field.title)
            label.setBuddy(field.editor)
            label.setToolTip(field.option.help)
            form.addRow(label, field)
        inner = QWidget()
        inner.setObjectName("surface")
        inner.setLayout(form)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inner)
        clear = make_button("&Defaults", "Reset every input (Alt+D)", self._clear)
        if not self.calculator.takes:
            self.take.hide()
        left = panel(
            row(self.take, clear, None, margins=(14, 0, 12, 8), spacing=8),
            scroll,
            grows=scroll,
            spacing=0,
        )
        label = QLabel("&Printed figure")
        label.setBuddy(self.printed)
        self.printed.setFixedWidth(90)
        check = row(
            label,
            self.printed,
            self.found,
            grows=self.found,
            margins=(12, 6, 12, 6),
            spacing=8,
        )
        table = panel(self._table, check, grows=self._table, spacing=0)
        right = split(table, self.chart, sizes=(420, 260), is_vertical=True)
        body = split(
            left,
            panel(right, self.notes, grows=right, spacing=0),
            sizes=(_FORM, _RESULTS),
        )
        body.setStretchFactor(1, 1)
        head = panel(
            make_heading(self.calculator.title),
            make_note(self.calculator.about),
            margins=(14, 12, 14, 8),
            spacing=2,
        )
        column(head, body, of=self, grows=body, spacing=0)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        lead_focus(self, next(iter(self.fields.values())).editor)

    def inputs(self) -> dict[str, Value] | None:
        """Get what was entered; None where a field has a mistake, which it says."""
        values: dict[str, Value] = {}
        is_good = True
        entered = {key: field.entered() for key, field in self.fields.items()}
        for key, field in self.fields.items():
            counts = self.calculator.counts(key, entered)
            self._form.setRowVisible(field, counts)
            if not counts:
                continue
            try:
                value = field.value()
            except OptionError:
                is_good = False
                continue
            if value is not None:
                values[key] = value
        return values if is_good else None

    @Slot()
    def calculate(self) -> None:
        """Work it out, off the GUI thread; one at a time, then the newest."""
        self._later.stop()
        if self._is_working:
            self._is_stale = True
            return
        given = self.inputs()
        if given is None:
            self._show(None)
            return
        self._is_working, self._is_stale = True, False
        self._context.background.run(
            partial(self.calculator.answer, given),
            partial(self._take_answer, given),
            self._fail,
        )

    def _take_answer(self, given: dict[str, Value], answer: Answer) -> None:
        self._is_working = False
        if self._is_stale:
            self.calculate()
        else:
            self._show(answer, given)

    def _fail(self, error: Exception) -> None:
        self._is_working = False
        if self._is_stale:
            self.calculate()
            return
        self._show(None)
        field = self.fields.get(getattr(error, "option", ""))
        if field is not None and isinstance(error, OptionError):
            field.refuse(error)
        else:
            self._context.background.failed.emit(error)

    def _show(
        self, answer: Answer | None, given: dict[str, Value] | None = None
    ) -> None:
        self._answer = answer
        self._outputs = self.calculator.outputs_of(given or {})
        values = {} if answer is None else answer.values
        self.results.set_records(
            [
                Line(one.title, figure(value), one.unit, one.formula)
                for one in self._outputs
                if (value := values.get(one.key)) is not None
            ]
        )
        self.chart.show_chart(None if answer is None else answer.chart)
        self.notes.tell(() if answer is None else answer.notes)
        self._find()

    @Slot()
    def _find(self) -> None:
        """Say which result the printed figure goes with."""
        text = self.printed.text().strip()
        found: tuple[Found, ...] = ()
        if self._answer is not None and text:
            found = find_printed(text, self._outputs, self._answer.values)
        none = "Enter a number such as 1.12." if text and self._answer else ""
        self.found.setText(told(found) if found else none)

    @Slot()
    def _clear(self) -> None:
        for field in self.fields.values():
            field.show_value(None)
        self.calculate()

    @Slot()
    def _take(self) -> None:
        """Ask for a row of a session, and fill in what it gives."""
        dialog = TakeDialog(self.calculator, self._folder(), self._context, self)
        dialog.accepted.connect(lambda: self.fill(dialog.values))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def fill(self, values: dict[str, Value]) -> None:
        """Show these values in their fields, and work out what follows."""
        for key, value in values.items():
            self.fields[key].set_value(value)
        self.calculate()


class CalculatorsView(QWidget):
    """Makes the page of a calculator when it is first wanted.

    Attributes:
        list: Their titles.
        pages: Those that were wanted, by the words of the calculators.
        folder: Where sessions are taken from.
    """

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__()
        self._context = context
        self.folder = folder
        self.pages: dict[str, CalculatorPage] = {}
        self.list = QListWidget()
        self.list.setAccessibleName("Calculators")
        self.list.setMinimumWidth(_LIST)
        self.list.setObjectName("choice")
        self._stack = QStackedWidget()
        for word, one in CALCULATORS.items():
            item = QListWidgetItem(one.title)
            item.setData(Qt.ItemDataRole.UserRole, word)
            item.setToolTip(one.about)
            item.setSizeHint(QSize(0, _ITEM))
            self.list.addItem(item)
        body = split(self.list, self._stack, sizes=(_LIST, 1000))
        body.setStretchFactor(1, 1)
        column(body, of=self, grows=body)
        self.list.currentItemChanged.connect(self._choose)
        self.list.setCurrentRow(0)
        lead_focus(self, self.list)

    @property
    def page(self) -> CalculatorPage:
        """The calculator that is shown."""
        word = self.list.currentItem().data(Qt.ItemDataRole.UserRole)
        if word not in self.pages:
            page = CalculatorPage(CALCULATORS[word], self._context, lambda: self.folder)
            self.pages[word] = page
            self._stack.addWidget(page)
        return self.pages[word]

    @Slot()
    def _choose(self) -> None:
        self._stack.setCurrentWidget(self.page)
