"""The log files that an HMC8015 writes: CSV with a head of facts.

The layout is known from logs of users and a few readers of them: `#key;value` lines,
one line of columns such as `P[W]`, rows with `;` between, the time of day last. Number
and spelling of the head's lines are not certain, so none of them is needed.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from instruments.errors import BadInput, Place, SourceError
from instruments.power.hmc8015.functions import by_token
from instruments.power.scpi_values import parse_value
from instruments.reading import Judged, Status


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a log.

    Attributes:
        quantity: As a channel is called, such as "P".
        unit: Unit, as the log says.
        values: One a row; NaN where there was none.
        statuses: One a row.
    """

    quantity: str
    unit: str
    values: tuple[float, ...]
    statuses: tuple[Status, ...]


@dataclass(frozen=True, slots=True)
class Log:
    """One log file.

    Attributes:
        facts: What its head says, as written: Device, Date, Serial No. and so on.
        day: The date of its first row, None where the head has none that can be read
            in one way only.
        seconds: Time of each row in seconds since the midnight before the first row.
        columns: What was measured.
        left_out: What was damaged, with its line.
    """

    facts: Mapping[str, str]
    day: date | None
    seconds: tuple[float, ...]
    columns: tuple[Column, ...]
    left_out: tuple[str, ...] = ()


# "P[W]", "LAMBDA[]", "EMPTY" or "UK3[V]".
_COLUMN = re.compile(r"\s*([A-Za-z]+\d*)\s*+(?:\[([^\]]*)\]\s*)?")
# 04:49:33:000, as the meter writes it; a spreadsheet may write a point or a comma.
_CLOCK = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})[:.,](\d{3})")
_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_DATES = (
    (re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})"), (1, 2, 3)),
    (re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})"), (3, 2, 1)),
)
"""Dates that can be read in one way only; 03/04/2026 is not one of them."""

_RANGES = {"URANGE": ("U_range", "V"), "IRANGE": ("I_range", "A")}
_BACKWARD = timedelta(hours=12)
"""A time of day that falls by more than this is past midnight; by less, the clock
was set back."""


def looks_like_log(text: str) -> bool:
    """Whether the beginning of a file could be such a log."""
    # The head's facts are a dozen lines or so; 40 leave room for firmware with more.
    head = next(filter(_is_data, text.splitlines()[:40]), "")
    if ";" not in head or "timestamp" not in head.lower():
        return False
    names = [_COLUMN.fullmatch(cell) for cell in head.split(";")]
    return any(name and _meaning(name[1]) for name in names)


def _is_data(line: str) -> bool:
    """Whether a line is neither empty nor one of the facts."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


def parse_log(text: str, name: str, *, keep_rest: bool = False) -> Log:
    """Read a log from its text.

    Args:
        text: The log.
        name: For messages.
        keep_rest: Leave out damaged rows, and what follows a second head or a clock
            that was set back; `left_out` says so.

    Raises:
        BadInput: It is not such a log, or a row is damaged; names the line.
    """
    lines = enumerate(text.splitlines(), 1)
    facts: dict[str, str] = {"file": name}
    head = _head(lines, facts, name)
    damaged: list[BadInput] = []
    table = _rows(lines, len(head), name, damaged if keep_rest else None)
    columns = [
        Column(
            *meaning,
            tuple(row.cells[index][0] for row in table),
            tuple(row.cells[index][1] for row in table),
        )
        for index, meaning in enumerate(head)
        if meaning is not None
    ]
    left_out = tuple(f"{_line(error)} excluded, {error.what}" for error in damaged)
    return Log(facts, _day(facts), _seconds(table), _unique(columns), left_out)


class _RestError(BadInput):
    """From here on nothing can be placed in time."""

    def __init__(self, what: str, *, where: Place) -> None:
        way_out = "Split the file there, or leave out the rest of it."
        super().__init__(what, where=where, way_out=way_out)


@dataclass(frozen=True, slots=True)
class _Row:
    clock: float
    cells: Sequence[Judged]


def _head(
    lines: Iterator[tuple[int, str]], facts: dict[str, str], name: str
) -> list[tuple[str, str] | None]:
    """Read the facts, and the line of columns; None for one that is excluded."""
    for number, line in lines:
        stripped = line.strip()
        if stripped.startswith("#"):
            key, _, value = re.sub(r"^#\s*", "", stripped).partition(";")
            facts[key.strip()] = value.strip().strip(";")
        elif stripped:
            cells = stripped.rstrip(";").split(";")
            if cells[-1].strip().lower() != "timestamp":
                raise _bad(name, number, "there are no columns that end in Timestamp")
            return [_column(cell, name, number) for cell in cells[:-1]]
    raise _bad(name, 1, "there is no line of columns")


def _column(cell: str, name: str, number: int) -> tuple[str, str] | None:
    parts = _COLUMN.fullmatch(cell)
    if parts is None:
        raise _bad(name, number, f'"{cell.strip()}" is not a column')
    token, written = parts[1], parts[2] or ""
    if token.upper() in ("EMPTY", "EMPT"):  # a cell of the page that shows nothing
        return None
    meaning = _meaning(token)
    if meaning is None:
        return token, written
    quantity, unit = meaning
    # Another unit would be a factor that nobody applies, such as mA in place of A.
    if written and written.lower() != unit.lower():
        raise _bad(name, number, f"{token} is in {written}, and not in {unit}")
    return quantity, unit


def _meaning(token: str) -> tuple[str, str] | None:
    try:
        function = by_token(token)
    except KeyError:
        return _RANGES.get(token.upper())
    return function.quantity, function.unit


def _rows(
    lines: Iterator[tuple[int, str]],
    width: int,
    name: str,
    damaged: list[BadInput] | None,
) -> list[_Row]:
    """Read the rows; what is damaged is noted where there is a list for it."""
    table: list[_Row] = []
    for number, line in lines:
        if not _is_data(line):
            continue
        try:
            row = _row(line, number, width, name)
            if table:
                _check_order(table[-1].clock, row.clock, Place(name, number))
        except BadInput as error:
            if damaged is None:
                raise
            damaged.append(error)
            if isinstance(error, _RestError):
                break
        else:
            table.append(row)
    if not table:
        raise _bad(name, 1, "it has no rows")
    return table


def _check_order(before: float, clock: float, place: Place) -> None:
    """Refuse a time of day that does not come after the one before, in seconds."""
    if before == clock:
        # It would be counted twice; the meter's times are of a millisecond.
        raise _bad(place.file, place.line, "its time is that of the row before")
    if 0 < before - clock < _BACKWARD.total_seconds():
        raise _RestError("the clock was set back in the log", where=place)


def _row(line: str, number: int, width: int, name: str) -> _Row:
    if line.strip().rstrip(";").lower().endswith("timestamp"):
        # Its day is another, and its columns may be.
        raise _RestError("another log begins here", where=Place(name, number))
    cells = line.strip().rstrip(";").split(";")
    if len(cells) != width + 1:
        raise _bad(name, number, f"{len(cells)} cells stand where {width + 1} should")
    clock = _CLOCK.fullmatch(cells[-1].strip())
    if clock is None:
        raise _bad(name, number, f'"{cells[-1].strip()}" is not a time of day')
    hours, minutes, seconds = (int(clock[index]) for index in (1, 2, 3))
    at = hours * 3600 + minutes * 60 + seconds + int(clock[4]) / 1000
    return _Row(at, [_cell(cell, name, number) for cell in cells[:-1]])


def _cell(text: str, name: str, number: int) -> Judged:
    # A spreadsheet of many countries saves them so; `;` stands between the cells.
    plain = text.replace(",", ".") if _COMMA.fullmatch(text.strip()) else text
    try:
        return parse_value(plain, name)
    except SourceError as error:
        raise _bad(name, number, f'"{text.strip()}" is not a number') from error


def _seconds(table: Sequence[_Row]) -> tuple[float, ...]:
    """Make times of day rise over midnight."""
    seconds: list[float] = []
    days = 0
    before = -math.inf
    for row in table:
        days += row.clock < before
        before = row.clock
        seconds.append(row.clock + 86_400 * days)
    return tuple(seconds)


def _day(facts: Mapping[str, str]) -> date | None:
    """Read the head's date, if it can be read in one way only."""
    text = next((v for k, v in facts.items() if k.lower() == "date"), "")
    for pattern, (year, month, day) in _DATES:
        if match := pattern.search(text):
            try:
                return date(int(match[year]), int(match[month]), int(match[day]))
            except ValueError:
                return None
    return None


def _unique(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Leave out a column that comes twice."""
    return tuple({column.quantity: column for column in reversed(columns)}.values())[
        ::-1
    ]


def _line(error: BadInput) -> str:
    """Say which line is excluded because of an error."""
    line = f"line {error.place.line}" if error.place else "a line"
    return f"from {line} on it is" if isinstance(error, _RestError) else f"{line} is"


def _bad(name: str, line: int, what: str) -> BadInput:
    return BadInput(
        what,
        where=Place(name, line),
        way_out="Expected a log file as the HMC8015 writes it.",
    )
