"""fio's normal text, of 2.x and 3.x, in the form of its documents.

Its figures are rounded to three or four digits; the counts of I/Os are exact. Units
stand in each line and differ from line to line. Samples: fio 2.0.15, 3.1, 3.25, 3.33.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from instruments.errors import BadInput
from workloads.fio_output import Counters
from workloads.fio_side import Side, checked_runtime
from workloads.fio_versions import Document, Job

_HEAD = re.compile(
    r"^(?P<name>.+): \(groupid=(?P<group>\d+), jobs=(?P<jobs>\d+)\): "
    r"err=\s*(?P<error>\d+)[^:]*(?::[^:]*)?: pid=\d+(?:: (?P<date>.+))?$"
)
_OLD = re.compile(
    r"^\s+(?P<side>read|write|trim|mixed)\s*: io=(?P<io>[\d.]+\w*), bw=.*?,"
    r"\s*iops=(?P<iops>[\d.]+\w?)\s*,\s*runt=\s*(?P<runtime>\d+)\s*msec"
)
_NEW = re.compile(
    r"^\s+(?P<side>read|write|trim|mixed)\s*: IOPS=(?P<iops>[\d.]+\w?), "
    r"BW=\S+ \((?P<bw>[\d.]+\w?)B/s\)\([^/]*/(?P<runtime>\d+)msec\)"
)
"""Of sizes the decimal one is taken: binary ones are cut to whole units at times."""

_LATENCY = re.compile(r"^\s+lat \((\w)sec\)\s*: min=.*avg=\s*([\d.]+\w?)")
_PERCENTILES = re.compile(r"^\s+(?:c?lat) percentiles \((\w)sec\)")
_P99 = re.compile(r"\b99\.00th=\[\s*([\d.]+)\]")
_ISSUED = re.compile(r"^\s+issued(?: rwts?)?\s*: total=(\S+)")
_VERSION = re.compile(r"^(fio-\d\S*|fio \d\S*)$")
_DATE = re.compile(r"\w{3} (\w{3})\s+(\d+) (\d+):(\d+):(\d+) (\d{4})")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_TO_NS = {"n": 1.0, "u": 1e3, "m": 1e6}
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_SIZE = re.compile(r"([\d.]+)([kmgtp]?)(i?)b?", re.IGNORECASE)
_ORDER = ("read", "write", "trim")


@dataclass(slots=True)
class _Part:
    """What the lines of one direction say."""

    io: float
    iops: float
    runtime_ms: int
    mean_ns: float = 0.0
    p99_ns: float | None = None


@dataclass(slots=True)
class _Entry:
    """What the lines of one job say."""

    name: str
    group: int
    error: int
    parts: dict[str, _Part] = field(default_factory=dict)
    issued: Mapping[str, int] = field(default_factory=dict)
    scale: float = 1.0
    side: str = ""


def is_text(text: str) -> bool:
    """Whether a text has the result of a job in it."""
    return any(_HEAD.match(line) for line in text.splitlines())


def read_text(text: str, name: str) -> Document:
    """Read the results of all jobs.

    Raises:
        BadInput: There is none, or one lacks its counts; names the line.
    """
    entries: list[_Entry] = []
    lines: list[int] = []
    version, moment = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if found := _HEAD.match(line):
            entries.append(
                _Entry(found["name"], int(found["group"]), int(found["error"]))
            )
            lines.append(number)
            moment = local_moment(found["date"] or "") or moment
        elif found := _VERSION.match(line.strip()):
            version = found[1]
        elif entries:
            try:
                _take(entries[-1], line)
            except ValueError as error:
                raise _bad(name, number, f"the line is damaged ({error})") from error
    if not entries:
        raise _bad(name, 1, "there is no result of fio in it")
    for entry, number in zip(entries, lines, strict=True):
        if entry.parts and not entry.issued:
            raise _bad(name, number, f"the result of {entry.name} is cut short")
    jobs = tuple(_job(entry) for entry in entries)
    return Document(version, moment, 1000, jobs, is_local=True)


def _take(entry: _Entry, line: str) -> None:
    if found := _OLD.match(line) or _NEW.match(line):
        given = found.groupdict()
        runtime = checked_runtime(int(given["runtime"]))
        if "io" in given:
            bytes_ = _size(given["io"])
        else:
            bytes_ = _number(given["bw"]) * runtime / 1000
        entry.side = given["side"]
        entry.parts[entry.side] = _Part(bytes_, _number(given["iops"]), runtime)
    elif found := _ISSUED.match(line):
        numbers = [int(n) for n in re.findall(r"\d+", found[1])]
        entry.issued = dict(zip(_ORDER, numbers, strict=False))
        entry.side = ""
    elif "fsync/fdatasync" in line:
        entry.side = ""  # What follows are latencies of syncs.
    elif entry.side:
        part = entry.parts[entry.side]
        if found := _LATENCY.match(line):
            part.mean_ns = _number(found[2]) * _TO_NS[found[1]]
        elif found := _PERCENTILES.match(line):
            entry.scale = _TO_NS[found[1]]
        elif found := _P99.search(line):
            part.p99_ns = float(found[1]) * entry.scale


def _job(entry: _Entry) -> Job:
    sides = {}
    for direction, part in entry.parts.items():
        ios = entry.issued.get(direction, 0)
        if direction == "mixed":
            ios = sum(entry.issued.values())
        # Counts include the ramp and what the last moment left; the rate does not.
        rated = round(part.iops * part.runtime_ms / 1000)
        if abs(ios - rated) > 0.01 * rated + 1:
            ios = rated
        count = ios if part.mean_ns > 0 else 0
        counters = Counters(
            ios=ios,
            bytes_=round(part.io),
            runtime_ms=part.runtime_ms,
            latency_sum_ns=part.mean_ns * count,
            latency_n=count,
            bins={},
        )
        sides[direction] = Side(counters, part.p99_ns)
    return Job(entry.name, entry.group, entry.error, {}, "", None, None, sides)


def local_moment(text: str) -> int | None:
    """Read a date and time as C's ctime writes it, as if it were UTC, in ms.

    Returns:
        None where there is none in the text.
    """
    found = _DATE.search(text)
    if found is None or found[1] not in _MONTHS:
        return None
    month = _MONTHS.index(found[1]) // 4 + 1
    day, hour, minute, second, year = (int(found[n]) for n in (2, 3, 4, 5, 6))
    try:
        when = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return int(when.timestamp()) * 1000


def _size(text: str) -> float:
    """Read a size of 2.x, which writes KB for 1024 bytes."""
    found = _SIZE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text} is no size")
    return float(found[1]) * 1024.0 ** _POWERS[found[2].lower()]


def _number(text: str) -> float:
    """Read a number that may end in k, M or G, of 1000 each."""
    last = text[-1].lower()
    if last in "kmgtp":
        return float(text[:-1]) * 1000.0 ** _POWERS[last]
    return float(text)


def _bad(name: str, line: int, what: str) -> BadInput:
    return BadInput(
        what,
        where=f"{name}, line {line}",
        way_out="Expected the whole output of fio as it prints it.",
    )
