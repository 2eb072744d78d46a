"""What VDBench prints and writes: interval lines, averages and the flatfile.

Its columns differ by version and by what it runs, so they are taken from its own
header lines. Formats as in published output of 5.04.06 and 5.04.07 (raw and file
system workloads) and of an older flatfile; VDBench itself was not at hand.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MIB = 1024 * 1024
"""VDBench's MB is 1024*1024 bytes, as its flatfile says."""

# Quantifiers are bounded or possessive: what is read may be anybody's file.
_ROW = re.compile(
    r"^(\d\d:\d\d:\d\d\.\d{3})\s*(?:avg_(\d{1,18})-(\d{1,18})|(\d{1,18}))\s+(.*)$"
)
# 12:00:01.001 Starting RD=rd1; I/O rate: Uncontrolled MAX; elapsed=60; ...
_START = re.compile(r"^(\d\d:\d\d:\d\d\.\d{3}) Starting RD=([^;\s]+)")
# The first of the two lines above the columns; dots may fill it.
_HEAD = re.compile(r"interval\.*+\s", re.IGNORECASE)
# Jan 24, 2019    interval        i/o   MB/sec   bytes   read ...
_DATE = re.compile(r"^\w{3} \d\d, \d{4}\s")
# Vdbench distribution: vdbench50407 Tue June 05  9:49:29 MDT 2018
_DISTRIBUTION = re.compile(r"^Vdbench distribution: (vdbench\S+)")
# Its HTML files are the same lines, with links in them.
_TAGS = re.compile(r"<[^<>]*+>")
COMPLETED = "Vdbench execution completed successfully"

_NAMES = {
    "i/o rate": "rate",
    "MB/sec 1024**2": "mb",
    "bytes i/o": "bytes",
    "read pct": "read_pct",
    "resp time": "resp",
    "read resp": "read_resp",
    "write resp": "write_resp",
    "ReqstdOps rate": "rate",
    "ReqstdOps resp": "resp",
    "read_group rate": "read_rate",
    "read_group resp": "read_resp",
    "write_group rate": "write_rate",
    "write_group resp": "write_resp",
    "mb/sec_group read": "mb_read",
    "mb/sec_group write": "mb_write",
    "mb/sec total": "mb",
    "xfer size": "bytes",
}
"""Columns that are used, by what the two header lines say of each."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the report: an interval, or an average of some.

    Attributes:
        tod: Its time of day, local and without date or zone.
        first: First interval; the only one of an interval's own line.
        last: Last interval.
        is_average: Whether it is the average of a run definition.
        values: Its values by short names; NaN where it prints n/a or NaN.
    """

    tod: str
    first: int
    last: int
    is_average: bool
    values: Mapping[str, float]

    def get(self, name: str) -> float:
        """Get a value, NaN where the layout has none."""
        return self.values.get(name, math.nan)


class Report:
    """Takes the lines of standard output, summary.html or totals.html one by one.

    Attributes:
        rd: Name of the run definition that runs, "" before the first.
        version: Such as "vdbench50407", "" where it is not given.
        rows: All rows by run definition.
        completed: Whether it reported that it completed successfully.
        torn: Lines that look like rows and do not fit the header.
    """

    def __init__(self) -> None:
        self.rd = ""
        self.version = ""
        self.rows: dict[str, list[Row]] = {}
        self.completed = False
        self.torn: list[str] = []
        self._columns: list[str] = []
        self._head = ""

    def feed(self, line: str) -> Row | None:
        """Take a line; return the row it is."""
        line = _TAGS.sub("", line).rstrip()
        if head := self._head:
            self._head = ""
            self._columns = columns(head, line)
            return None
        if match := _START.match(line):
            self.rd = match[2]
            self.rows.setdefault(self.rd, [])
        elif match := _DISTRIBUTION.match(line):
            self.version = match[1]
        elif COMPLETED in line:
            self.completed = True
        elif _DATE.match(line) and _HEAD.search(line):
            self._head = line
        elif (match := _ROW.match(line)) and self._columns:
            return self._row(match)
        return None

    def average(self, rd: str) -> Row | None:
        """Get the average of a run definition, None before its end."""
        return next((row for row in self.rows.get(rd, []) if row.is_average), None)

    def _row(self, match: re.Match[str]) -> Row | None:
        words = match[5].split()
        # Some versions add further text behind the last column; fewer words are a line
        # that was cut, and would give values of other columns.
        if len(words) < len(self._columns):
            self.torn.append(match[0])
            return None
        values = {
            name: number
            for name, word in zip(self._columns, words, strict=False)
            if name and not math.isnan(number := _number(word))
        }
        first, last = match[2] or match[4], match[3] or match[4]
        row = Row(match[1], int(first), int(last), match[2] is not None, values)
        self.rows.setdefault(self.rd, []).append(row)
        return row


def columns(first: str, second: str) -> list[str]:
    """Name the columns behind the interval from the two header lines.

    A raw workload has one word a column on both lines. A file system workload has
    dotted groups on the first line, each over two columns, such as "....read.....".
    """
    words = _DATE.sub("", first).split()[1:]
    below = second.split()
    if not any(word.startswith(".") for word in words):
        pairs = zip(words, below, strict=False)
        return [_NAMES.get(f"{above} {under}", "") for above, under in pairs]
    named, at = [], 0
    for word in words:
        group = word.strip(".")
        is_wide = word.startswith(".") and group != "xfer"
        width = 2 if is_wide else 1
        for under in below[at : at + width]:
            key = f"{group} {under}"
            wide = f"{group}_group {under}"
            # "mb/sec total" is in no group's names, but in the plain ones.
            named.append(_NAMES.get(wide if is_wide else key, _NAMES.get(key, "")))
        at += width
    return named


def read_flatfile(text: str) -> Iterator[dict[str, str]]:
    """Read flatfile.html: each line by the names, in small letters, of its header.

    The header is the line that begins with "tod"; the flatfile repeats none, but
    a file that several runs were written to has several.
    """
    names: list[str] = []
    for line in text.splitlines():
        words = _TAGS.sub("", line).split()
        if not words or words[0].startswith("*"):  # its comments
            continue
        if words[0] == "tod":
            names = [word.lower() for word in words]
        elif names and len(words) == len(names):
            yield dict(zip(names, words, strict=True))


def flatfile_average(text: str, rd: str) -> dict[str, float] | None:
    """Get the average line of a run definition, None where it is not there."""
    for line in read_flatfile(text):
        if line.get("run") == rd and line.get("interval", "").startswith("avg_"):
            return {name: _number(word) for name, word in line.items()}
    return None


def io_errors(text: str) -> list[str]:
    """Find lines that report an I/O error by the system's name of it.

    VDBench writes "op: read lun: ... errno: EIO: 'I/O error'" [an assumption of
    ours from published logs].
    """
    return [line.strip() for line in text.splitlines() if _ERRNO.search(line)]


# Errors that are the device's; see `fio.faults.DEVICE_ERRORS`.
_ERRNO = re.compile(r"\bE(?:IO|REMOTEIO|ILSEQ|TIMEDOUT)\b")


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return math.nan
