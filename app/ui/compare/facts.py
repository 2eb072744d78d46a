"""What differs between sessions at all, and their notes, each in its own table."""

from dataclasses import dataclass

from PySide6.QtWidgets import QStackedWidget, QWidget

from app.analysis.compare import Comparison
from app.analysis.setup_facts import differing
from app.ui.compare.lanes import MOST, NAMES
from app.ui.kit.context import Context
from app.ui.kit.labels import WrappedLabel
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import WrappedTable
from app.ui.kit.widgets import column


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table: a head, and what each session has."""

    head: str
    values: tuple[str, ...]


class FactsTable(QWidget):
    """A table of lines, or one sentence that there are none.

    Args:
        context: What the parts of the window share.
        name: What a screen reader calls it.
        heads: Heads of its columns.
        none: Said where there is nothing.

    Attributes:
        model: Its lines.
        table: The table.
    """

    def __init__(
        self, context: Context, name: str, heads: tuple[str, ...], none: str
    ) -> None:
        super().__init__()

        def value(place: int) -> Column[Line]:
            return Column(
                heads[place],
                lambda line: line.values[place - 1] if place else line.head,
                lines=True,
            )

        self.model: RowsModel[Line] = RowsModel(
            [value(place) for place in range(len(heads))], context, self
        )
        self.table = WrappedTable(self.model, name, stretch=len(heads) - 1)
        self._none = WrappedLabel(none)
        self._none.setObjectName("muted")
        self._none.setContentsMargins(12, 12, 12, 12)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._none)
        self._stack.addWidget(self.table)
        column(self._stack, of=self)

    def show_lines(self, lines: list[Line]) -> None:
        """Show these lines."""
        self.model.set_records([])
        self.model.set_records(lines)
        self._stack.setCurrentIndex(1 if lines else 0)


class CompareFacts(FactsTable):
    """Everything in which the set-ups of the sessions are not the same."""

    def __init__(self, context: Context) -> None:
        heads = ("What differs", *NAMES)
        none = "Device, bench, meters, campaign, options, versions: all are the same."
        super().__init__(context, "What differs between the sessions", heads, none)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show those of another comparison."""
        facts = differing([about.facts for about in comparison.about])
        count = len(comparison.names)
        blank = ("",) * (MOST - count)
        self.show_lines([Line(name, (*values, *blank)) for name, values in facts])
        for place in range(MOST):
            self.table.setColumnHidden(1 + place, place >= count)


class CompareNotes(FactsTable):
    """What is missing, thin or went wrong in each session."""

    def __init__(self, context: Context) -> None:
        none = "There are no notes on these sessions."
        heads = ("Session", "Note")
        super().__init__(context, "Notes on the sessions", heads, none)

    def show_comparison(self, comparison: Comparison) -> int:
        """Show those of another comparison; get how many there are."""
        lines = [
            Line(f"{letter}  {name}", (note,))
            for letter, name, about in zip(
                NAMES, comparison.names, comparison.about, strict=False
            )
            for note in about.notes
        ]
        self.show_lines(lines)
        return len(lines)
