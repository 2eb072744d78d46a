"""IOzone's own results in the report: its tests by record size, beside the table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.report.table import Cell, Column, Table, name_of, number_of
from workloads.iozone.output import TESTS
from workloads.sizes import parse_size

_UNITS = {"mb_s": "MB/s", "iops": "operations/s"}
_NAME = re.compile(r"([a-z_]+?)(?:_(\d+[kmgt]))?(?:_of_(\d+[kmgt]))?_(mb_s|iops)")
_OF_THE_WINDOW = "bandwidth"
"""What is counted over the whole window, and is no test of IOzone's."""

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Value:
    """What the name of a result says; a size is "" where the name has none."""

    name: str
    test: str
    record: str
    file: str
    unit: str

    @property
    def head(self) -> str:
        """Write it as the head of a column."""
        words = [_words(self.test), self.record, f"of {self.file}" * bool(self.file)]
        return f"{' '.join(filter(None, words))} ({_UNITS[self.unit]})"


def iozone_tables(rows: Sequence[Row]) -> list[tuple[str, Table]]:
    """Make the tables of IOzone's results, each with its title.

    A line is a step with one size of files and one of records, a column is a test.

    Args:
        rows: As `report_rows` makes them.
    """
    found = ((f"IOzone ({text})", _table(rows, unit)) for unit, text in _UNITS.items())
    return [(title, table) for title, table in found if table is not None]


def iozone_columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Get a column for each of its results, for programs."""
    heads = {value.name: value.head for row in rows for value in _values(row)}
    return tuple(Column(head, name, 1) for name, head in heads.items())


def _values(row: Row) -> Iterator[_Value]:
    if row.get("engine") != "iozone":
        return
    for name in row:
        found = _NAME.fullmatch(name)
        if found and found[1] != _OF_THE_WINDOW and number_of(row, name) is not None:
            yield _Value(name, found[1], found[2] or "", found[3] or "", found[4])


def _table(rows: Sequence[Row], unit: str) -> Table | None:
    of_rows = [[one for one in _values(row) if one.unit == unit] for row in rows]
    used = [one for values in of_rows for one in values]
    if not used:
        return None
    given = {one.test for one in used}
    tests = [*(t for t in TESTS if t in given), *sorted(given.difference(TESTS))]
    has_file, has_record = any(v.file for v in used), any(v.record for v in used)
    sizes = [Column("File", "file")] * has_file + [Column("Record", "record")] * (
        has_record
    )
    out: list[tuple[Cell, ...]] = []
    for row, values in zip(rows, of_rows, strict=True):
        for file, record in sorted({(v.file, v.record) for v in values}, key=_bytes):
            names = {
                v.test: v.name for v in values if (v.file, v.record) == (file, record)
            }
            cells = [number_of(row, names.get(test, "")) for test in tests]
            told = [file] * has_file + [record] * has_record
            out.append((name_of(row), *told, *cells))
    heads = (Column(_words(test), test, 1) for test in tests)
    return Table((Column("Workload", "step"), *sizes, *heads), tuple(out))


def _bytes(sizes: tuple[str, str]) -> tuple[int, ...]:
    return tuple(parse_size(size) if size else 0 for size in sizes)


def _words(test: str) -> str:
    return test.replace("_", " ").capitalize()
