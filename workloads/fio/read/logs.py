"""fio's log files: bandwidth, IOPS and latencies over time, of one job.

A row is time in ms, value, direction (0 read, 1 write, 2 trim), block size and, by
version and options, offset, priority and more. A row's time is the END of its window;
windows without I/O are absent. With log_window_value=both (3.37) the maximum stands
behind the value. Source: fio's HOWTO, "Log File Formats", and its stat.c.
"""

import io
import re
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from instruments.errors import BadInput

KINDS = ("bw", "iops", "lat", "clat", "slat")
"""Logs that are read, as the file's name says."""

DIRECTIONS = ("read", "write", "trim")
EPOCH_MS = 10**12
"""Times above this count from 1970 (log_unix_epoch); no run lasts 31 years."""

_LATEST_MS = 2**42
"""The year 2109; what is later is not a time."""

# fine_lat.3.log; a client calls what it fetched fine_lat.3.log.host1.
_NAME = re.compile(
    r"(?P<run>.+)_(?P<kind>bw|iops|lat|clat|slat|clat_hist)(?:\.(?P<job>\d+))?\.log"
    r"(?:\.(?P<host>.+))?"
)
# Time, value and direction.
_FEWEST = 3
# In numpy's message on a row that it cannot read.
_WHERE = re.compile(r"row (\d+)")


@dataclass(frozen=True, slots=True)
class LogName:
    """What is in the name of a log file.

    Attributes:
        run: The name that its run was given.
        kind: One of KINDS, or "clat_hist".
        job: Number of the job, from 1; 0 where it is not given.
        host: The host it was fetched from, "" for none.
    """

    run: str
    kind: str
    job: int
    host: str


@dataclass(frozen=True, slots=True)
class Log:
    """The rows of one log file.

    Attributes:
        name: What it is called in messages.
        times_ms: End of the window of each row.
        values: In KiB/s, 1/s, or the unit of latency of its version.
        directions: Number of the direction of each row, as in DIRECTIONS.
        sizes: Block size in bytes, 0 in rows that are averages.
    """

    name: str
    times_ms: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    directions: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]

    @property
    def has_epoch(self) -> bool:
        """Whether times count from 1970, and not from the start of the job."""
        return bool(self.times_ms[0] > EPOCH_MS)

    @property
    def is_averaged(self) -> bool:
        """Whether a row is a window, and not one I/O."""
        return not self.sizes.any()


def log_name(path: PurePath) -> LogName | None:
    """Read the name of a log file, None where it has no name of one."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        return None
    host = match["host"] or ""
    return LogName(match["run"], match["kind"], int(match["job"] or 0), host)


def looks_like_log(head: str) -> bool:
    """Whether the first line of a file could be a row of a log."""
    # Behind the direction: block size, offset, priority and issue time, by version.
    first = head.splitlines()[0] if head else ""
    return (
        re.fullmatch(r"\s*\d+,\s*-?\d+(,\s*(0x)?[\da-fA-F]+){1,6}\s*", first)
        is not None
    )


def read_log(content: bytes, name: str) -> Log:
    """Read the rows of a log.

    Raises:
        BadInput: It has none, or one is damaged; names the line.
    """
    first = content.split(b"\n", 1)[0].decode("ascii", "replace")
    width = first.count(",") + 1
    if not content.strip():
        raise _bad(name, 1, "it is empty")
    if width < _FEWEST:
        raise _bad(name, 1, f'"{first.strip()[:60]}" is not a row of a log')
    used = min(width, 5)
    table = _table(content, used, name)
    _check_width(content, width, len(table), name)
    column = 2
    if used >= 4 and not _are_directions(table[:, 2]) and _are_directions(table[:, 3]):
        column = 3
    if not _are_directions(table[:, column]):
        line = int(np.argmax((table[:, column] < 0) | (table[:, column] > 2))) + 1
        raise _bad(name, line, "the third number is not a direction (0, 1 or 2)")
    size_at = column + 1
    sizes = table[:, size_at] if used > size_at else np.zeros(len(table), np.int64)
    if not ((table[:, 0] >= 0) & (table[:, 0] < _LATEST_MS)).all():
        line = int(np.argmax((table[:, 0] < 0) | (table[:, 0] >= _LATEST_MS))) + 1
        raise _bad(name, line, f"{table[line - 1, 0]} ms is not a valid time")
    return Log(
        name=name,
        times_ms=table[:, 0],
        values=table[:, 1].astype(np.float64),
        directions=table[:, column],
        sizes=sizes,
    )


def _table(content: bytes, used: int, name: str) -> npt.NDArray[np.int64]:
    # A priority may stand in hexadecimal behind the columns that are used.
    try:
        return np.loadtxt(
            io.BytesIO(content),
            delimiter=",",
            dtype=np.int64,
            usecols=range(used),
            ndmin=2,
            comments=None,
        )
    except ValueError as error:
        # numpy counts rows from 0 in one of its two messages, and from 1 in the other.
        row = _WHERE.search(str(error))
        line = int(row[1]) + (0 if "invalid column" in str(error) else 1) if row else 1
        bad = b"".join(content.splitlines()[line - 1 : line])
        shown = bad[:60].decode("ascii", "replace")
        raise _bad(name, line, f'"{shown}" is not a row of a log') from error


def _check_width(content: bytes, width: int, rows: int, name: str) -> None:
    """Refuse a last row that was cut short; the others have no reason to be."""
    commas = content.count(b",")
    if commas == rows * (width - 1) and content.endswith(b"\n"):
        return
    last = content.rstrip().rsplit(b"\n", 1)[-1]
    if last.count(b",") + 1 != width or not content.endswith((b"\n", b"\r")):
        raise _bad(name, rows, "the last row is cut short")
    if commas != rows * (width - 1):
        raise _bad(name, 1, "its rows are not all of one width")


def _are_directions(column: npt.NDArray[np.int64]) -> bool:
    return bool(((column >= 0) & (column <= 2)).all())


def _bad(name: str, line: int, what: str) -> BadInput:
    return BadInput(
        what,
        where=f"{name}, line {line}",
        way_out="Expected a log as fio writes it: time, value, direction, block size.",
    )
