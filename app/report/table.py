"""The report table: columns as the lab writes them, cells as numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from app.plan.cleanness import NEAR_LIMIT, UNCLEAN
from app.report.numbers import PLAIN, Figure, NumberStyle, places_of
from instruments.errors import one_line
from instruments.metric import BY_NAME, NET_NOISE, Group, Metric, of_group

Cell = float | str | None
"""A number, a text, or None for what is blank or was not measured."""

Row = Mapping[str, object]
"""A row of a session, as `report_rows` makes it: values by the names of results."""

WORDS = (
    *("step", "verdict", "device", "of", "reason"),
    *("rule", "state", "source", "name"),
)
"""Keys of columns that hold no figures."""

BUFFERED = "buffered"
"""What a row is marked with where the page cache was not bypassed."""

DIFFERS = "\N{NOT EQUAL TO} "
"""What a value is marked with that is not the one of the line above."""


class Label(str):
    """A head or a line in words of ours, with a name of others behind them.

    Attributes:
        name: Its end, as it is called in every language, such as " (Cold start)".
    """

    __slots__ = ("name",)

    name: str

    def __new__(cls, words: str, name: str = "") -> "Label":
        """Put words and name together."""
        made = super().__new__(cls, f"{words}{name}")
        made.name = name
        return made

    @property
    def words(self) -> str:
        """What of it is said in the language of a report."""
        return self.removesuffix(self.name)


class Kind(Enum):
    """What a table tells, by which its place in a report is known; titles are words."""

    RESULTS = auto()
    LOADS = auto()
    """Reads, writes and latencies."""
    PARTS = auto()
    """Load hosts and devices of each row."""
    EFFICIENCY = auto()
    FORMULAS = auto()
    UNCERTAINTIES = auto()
    QUALITY = auto()
    GATES = auto()
    CHECKLISTS = auto()
    """How many rules of each are met."""
    COMPARED = auto()
    """What is put side by side."""
    ORIGINS = auto()
    """Where figures come from."""
    OUTPUTS = auto()
    """What was kept as it came."""
    CHARTS = auto()
    """What charts show."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its head and how many decimals its numbers are shown with."""

    head: str
    key: str
    decimals: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows of equal length; `None` cells are blank."""

    columns: tuple[Column, ...]  # what the columns are
    rows: tuple[tuple[Cell, ...], ...]
    kind: Kind = Kind.RESULTS  # what it tells
    # (row, column) of values that are made of too few samples
    thin: frozenset[tuple[int, int]] = frozenset()
    # rows whose disk had another user than their load
    unclean: frozenset[int] = frozenset()
    # rows with a limit within the meter's error of its value
    near: frozenset[int] = frozenset()
    # rows whose load went through the page cache
    buffered: frozenset[int] = frozenset()
    # (row, column) of values that are not those of the line above
    other: frozenset[tuple[int, int]] = frozenset()
    # what each row is found by from elsewhere in the same document; none where empty
    anchors: tuple[str, ...] = ()
    # of (row, column) the anchor of where it comes from
    links: Mapping[tuple[int, int], str] = field(default_factory=dict)
    # the same where it comes from several: anchors by what each is called
    several: Mapping[tuple[int, int], Mapping[str, str]] = field(default_factory=dict)
    # by line the row of the session and the result that all of it is about
    leads: Mapping[int, tuple[str, str]] = field(default_factory=dict)

    @property
    def heads(self) -> list[str]:
        """The heads of the columns."""
        return [column.head for column in self.columns]

    def lines_of(self, rows: Iterable[Row]) -> frozenset[int]:
        """Find the lines of some rows of the session."""
        steps = {row["step"] for row in rows}
        return frozenset(n for n in range(len(self.rows)) if self.label_of(n) in steps)

    def label_of(self, number: int) -> str:
        """Name the row of the session that a line is of, or what it is called."""
        if number in self.leads:
            return self.leads[number][0]
        cells = self.rows[number]
        figures = (cell.source[0] for cell in cells if isinstance(cell, Figure))
        return next(filter(None, figures), str(cells[0]))

    def label_at(self, number: int, column: int) -> str:
        """Name the row of the session that a cell is of: a line may have several."""
        cell = self.rows[number][column]
        own = cell.source[0] if isinstance(cell, Figure) else ""
        return own or self.label_of(number)

    def texts(
        self, style: NumberStyle = PLAIN, say: Callable[[str], str] = str
    ) -> list[list[str]]:
        """Get the rows as they are shown: thin with a star, verdicts with marks.

        Args:
            style: Of numbers.
            say: Says the word that buffered rows are marked with.
        """
        return [
            [
                DIFFERS * ((number, place) in self.other)
                + show(cell, column.decimals, style)
                + f" ({say(BUFFERED)})" * (place == 0 and number in self.buffered)
                + "*" * ((number, place) in self.thin)
                + self._marks(number) * (column.key == "verdict")
                for place, (cell, column) in enumerate(
                    zip(row, self.columns, strict=True)
                )
            ]
            for number, row in enumerate(self.rows)
        ]

    def _marks(self, number: int) -> str:
        near, unclean = number in self.near, number in self.unclean
        return NEAR_LIMIT * near + UNCLEAN * unclean


Titled = tuple[str, Table]
"""A table with its title."""


def column_of(metric: Metric) -> Column:
    """Get the column of a metric."""
    return Column(metric.head, metric.name, metric.decimals)


STEP = Column("Workload", "step")
NOTHING = Table((STEP,), ())
COLUMNS = (STEP, *map(column_of, of_group(Group.MAIN)), Column("Verdict", "verdict"))
_NOISE = COLUMNS.index(column_of(BY_NAME["noise_db"]))
_NET_NOISE = column_of(NET_NOISE)


def show(cell: Cell, decimals: int, style: NumberStyle = PLAIN) -> str:
    """Write a cell: a number by `places_of`, blank as an empty text."""
    if cell is None:
        return ""
    if isinstance(cell, Figure):
        return cell.text(style)
    if isinstance(cell, str):
        return one_line(cell)
    return style.write(f"{cell:.{places_of(cell, decimals)}f}")


def number_of(row: Row, key: str) -> float | None:
    """Get a number of a row of report_table, None where there is none."""
    value = row.get(key)
    return float(value) if isinstance(value, int | float) else None


def columns_with_numbers(
    columns: Iterable[Column], rows: Sequence[Row]
) -> list[Column]:
    """Get the columns of which any row has a number."""
    return [
        column
        for column in columns
        if any(number_of(row, column.key) is not None for row in rows)
    ]


def full_table(rows: Sequence[Row]) -> Table:
    """Make the table with every column; some are there only where they have a value."""
    columns = list(COLUMNS)
    if any("noise_net_db" in row for row in rows):
        columns.insert(_NOISE + 1, _NET_NOISE)
    out = []
    for row in rows:
        cells: list[Cell] = [str(row["step"])]
        cells += [number_of(row, column.key) for column in columns[1:-1]]
        cells.append(str(row.get("verdict") or row.get("outcome") or ""))
        level = number_of(row, _NET_NOISE.key)
        if level is not None and row.get("noise_net_is_bound"):
            bound = Figure(level, decimals=_NET_NOISE.decimals, sign="<= ")
            cells[_NOISE + 1] = bound
        out.append(tuple(cells))
    return Table(tuple(columns), tuple(out))


def without_blanks(table: Table) -> Table:
    """Leave out the columns in which no row has anything."""
    kept = [
        place
        for place in range(len(table.columns))
        if not table.rows or any(row[place] not in (None, "") for row in table.rows)
    ]
    now = {place: at for at, place in enumerate(kept)}

    def moved(cells: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        return frozenset((n, now[place]) for n, place in cells if place in now)

    return replace(
        table,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in table.rows),
        thin=moved(table.thin),
        other=moved(table.other),
        links={(n, now[p]): to for (n, p), to in table.links.items() if p in now},
        several={(n, now[p]): to for (n, p), to in table.several.items() if p in now},
    )


def with_columns(table: Table, rows: Sequence[Row], columns: Sequence[Column]) -> Table:
    """Add columns of numbers at the right."""
    cells = tuple(
        (*old, *(number_of(row, column.key) for column in columns))
        for old, row in zip(table.rows, rows, strict=True)
    )
    return replace(table, columns=(*table.columns, *columns), rows=cells)
