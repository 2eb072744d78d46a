"""One job in fio's normal text: its lines brought into the form of its documents.

Its figures are rounded to three or four digits; the counts of I/Os are exact. Units
stand in each line and differ from line to line. Samples: fio 2.0.15, 3.1, 3.25, 3.33.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from workloads.fio.read.side import Side, checked_runtime, counted, rated, timed
from workloads.fio.read.versions import Job, judged

#   read: IOPS=..., in 2.x "read : io=..."
_SIDE = re.compile(r"^\s*(?P<side>read|write|trim|mixed)\s*: (?P<rest>(?:io|IOPS)=.+)")
# io=4096.0KB, bw=1024.0KB/s, iops=256 , runt=  4000msec
_OLD = re.compile(
    r"io=(?P<io>\S+), bw=(?P<per_s>\S+?),\s*iops=(?P<iops>\S+?)\s*,"
    r"\s*runt=\s*(?P<runtime>\d{1,18})\s*msec"
)
# IOPS=20.0k, BW=78.1MiB/s (81.9MB/s)(156MiB/2001msec)
_NEW = re.compile(
    r"IOPS=(?P<iops>\S+), BW=(?P<bw>\S+) \((?P<other>[^\s()]+)\)"
    r"\((?P<io>[^\s()/]+)/(?P<runtime>\d{1,18})msec\)"
)
#     lat (usec): min=41, max=2210, avg=99.31, stdev=35.20
_LATENCY = re.compile(r"^\s*lat \(([num])sec\)\s*: min=.*avg=\s*([\d.]+\w?)")
#     clat percentiles (usec):
_PERCENTILES = re.compile(r"percentiles \(([num])sec\)")
_OF_SIDE = re.compile(r"^\s*(c?lat) percentiles")
#      | 99.00th=[  212], 99.50th=[  285], 99.90th=[ 1012],
_PERCENTILE = re.compile(r"\b(\d{1,3}\.\d{1,20})th=\[\s*([\d.]+)\]")
_MAX = re.compile(r"\bmax=\s*([\d.]+\w?)")
#   issued rwts: total=40013,0,0,0 short=0,0,0,0 dropped=0,0,0,0
_ISSUED = re.compile(r"^\s*issued(?: rwts?)?\s*: total=(\S+)")
#   errors    : total=1, first_error=5/<Input/output error>
_ERRORS = re.compile(r"^\s*errors\s*: total=\s*\d+, first_error=\s*(\d{1,18})(?!\d)")
_TO_NS = {"n": 1.0, "u": 1e3, "m": 1e6}
# 20.0k, 78.1MiB/s or 4096.0KB: number, decimals, prefix, binary or not, unit.
_FIGURE = re.compile(r"(\d{1,20}(?:\.(\d{1,20}))?)([kKMGTP]?)(i?)(B|b|bit)?(?:/s)?")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
# Of the numbers behind "total=".
_ORDER = ("read", "write", "trim")


@dataclass(slots=True)
class _Part:
    """What the lines of one direction say: percentiles by what they are of.

    Of its rate, its size and its percentiles there is one of the last digit, too. The
    size has a second value where units of 2.x may be those of kb_base=1000.
    """

    iops: tuple[float, float]
    bytes_: tuple[float, float]
    runtime_ms: int
    decimal: tuple[float, float] | None = None
    mean_ns: float = 0.0
    longest_ns: float = math.nan
    percentiles_ns: dict[str, dict[float, float]] = field(default_factory=dict)
    step_ns: float = 0.0


@dataclass(slots=True)
class TextJob:
    """What the lines of one job, or of a group of them, say.

    Attributes:
        line: Where they begin.
        name: Its name.
        group: Its reporting group.
        jobs: Number of jobs in it.
        pid: Its process, 0 for none.
        error: Its errno, 0 for none.
        parts: What each direction did.
        issued: I/Os of each direction.
        side: The direction that the last line was of, "" for none.
        block_size: Bytes of each I/O, 0 where they are not given or differ.
        block: What the percentiles that follow are of, and their unit in ns.
    """

    line: int
    name: str
    group: int
    jobs: int
    pid: int
    error: int
    parts: dict[str, _Part] = field(default_factory=dict)
    issued: Mapping[str, int] = field(default_factory=dict)
    side: str = ""
    block_size: int = 0
    block: tuple[str, float] = ("", 1.0)

    @property
    def key(self) -> tuple[str, int, int]:
        """What is different from all others of its run."""
        return self.name, self.group, self.pid

    def take(self, line: str) -> None:
        """Take the next line; percentiles are those of the line that opened them.

        Raises:
            ValueError: A figure in it cannot be read.
        """
        if match := _SIDE.match(line):
            self.side, self.block = match["side"], ("", 1.0)
            self.parts[self.side] = _part(match["rest"])
        elif match := _ISSUED.match(line):
            numbers = [int(n) for n in re.findall(r"\b\d{1,18}\b", match[1])]
            self.issued = dict(zip(_ORDER, numbers, strict=False))
            self.side = ""
        elif match := _ERRORS.match(line):
            self.error = self.error or int(match[1])
        elif "fsync/fdatasync" in line:
            self.side = ""  # What follows are latencies of syncs.
        elif self.side:
            self._take_latency(self.parts[self.side], line)

    def _take_latency(self, part: _Part, line: str) -> None:
        if match := _LATENCY.match(line):
            part.mean_ns = _figure(match[2])[0] * _TO_NS[match[1]]
            if longest := _MAX.search(line):
                part.longest_ns = _figure(longest[1])[0] * _TO_NS[match[1]]
        elif match := _PERCENTILES.search(line):
            name = _OF_SIDE.match(line)
            self.block = (name[1] if name else "", _TO_NS[match[1]])
        else:
            of, step = self.block
            for percent, value in _PERCENTILE.findall(line):
                by_percent = part.percentiles_ns.setdefault(of, {})
                by_percent[float(percent)] = float(value) * step
                part.step_ns = step

    def job(self) -> Job:
        """Bring it into the form of all."""
        sides = timed({d: _side(self, d) for d in self.parts})
        error = judged(self.error, sides, any(self.issued.values()))
        return Job(self.name, self.group, error, sides)


def _part(text: str) -> _Part:
    """Read rate, size and runtime; of sizes the one with most digits is taken."""
    match = _OLD.match(text) or _NEW.match(text)
    if match is None:
        raise ValueError("its rate and size cannot be read")
    given = match.groupdict()
    runtime = checked_runtime(int(given["runtime"]))
    iops = _figure(given["iops"])
    if "per_s" in given:
        return _Part(iops, *_old_sizes(given["io"], given["per_s"], runtime))
    sizes = [_figure(given["io"])]
    for rate, last in [_figure(given[key]) for key in ("bw", "other")]:
        sizes.append((rate * runtime / 1000, last * runtime / 1000))
    size = min(sizes, key=lambda size: size[1] / size[0] if size[0] else math.inf)
    return _Part(iops, size, runtime)


def _old_sizes(
    size: str, per_s: str, runtime_ms: int
) -> tuple[tuple[float, float], int, tuple[float, float] | None]:
    """Read a size of 2.x, of which KB are 1024 bytes, or 1000 with kb_base=1000.

    Size and rate show which, where one is in KB and the other in MB.
    """
    fits = []
    for base in (1024.0, 1000.0):
        (all_, last), (rate, step) = (_figure(text, base) for text in (size, per_s))
        off = abs(all_ - rate * runtime_ms / 1000)
        if off <= last + (step + rate / runtime_ms) * runtime_ms / 1000:
            fits.append((all_, last))
    if len(fits) == 1:
        return fits[0], runtime_ms, None
    return _figure(size, 1024.0), runtime_ms, _figure(size, 1000.0)


def is_side(line: str) -> bool:
    """Whether a line begins what a direction did."""
    return _SIDE.match(line) is not None


def _side(entry: TextJob, direction: str) -> Side:
    """Make a direction's counters: the count is exact, if it agrees with the rate."""
    part = entry.parts[direction]
    ios, slack = entry.issued.get(direction, 0), 0
    if direction == "mixed":
        ios = sum(entry.issued.values())
    rate, last = part.iops
    seconds = part.runtime_ms / 1000
    # fio cuts the rate to a whole number, so the count may be up to 1/s above it.
    if not (rate - last) * seconds <= ios <= (rate + max(1.0, last)) * seconds:
        ios, slack = rated(rate, part.runtime_ms)
        slack = max(slack, math.ceil(last * seconds))
    size, last = _size(part, None if slack else ios * entry.block_size)
    counters = counted(ios, size, part.runtime_ms, part.mean_ns, part.longest_ns)
    by_percent = part.percentiles_ns.get("clat") or part.percentiles_ns.get("lat") or {}
    percentiles_ns = {percent: value for percent, value in by_percent.items() if value}
    return Side(counters, percentiles_ns, slack, round(last) - 1, part.step_ns)


def _size(part: _Part, moved: int | None) -> tuple[float, float]:
    """Choose between the sizes of both bases: the bytes, and one of the last digit.

    Args:
        part: What the lines say.
        moved: Bytes by the count of I/Os and their block, None where it is not exact.
    """
    size, last = part.bytes_
    if part.decimal is None or size == part.decimal[0]:
        return size, last
    # Blocks of one size are exact: fio writes 4096 as 4K by either base.
    least, digit = part.decimal
    if moved is not None and abs(moved - size) <= last:
        return size, last
    if moved is not None and abs(moved - least) <= digit:
        return least, digit
    return least, size + last - least


def _figure(text: str, kilo: float = 1000.0) -> tuple[float, float]:
    """Read a number with its unit: how much it is, and one of its last digit.

    3.x writes KiB for 1024 bytes; what 2.x means by KB is `kilo`.
    """
    match = _FIGURE.fullmatch(text)
    if match is None:
        raise ValueError(f'"{text}" is not a number')
    base = 1024.0 if match[4] else kilo
    unit = base ** _POWERS[match[3].upper()] / (8 if match[5] in ("b", "bit") else 1)
    return float(match[1]) * unit, unit / 10 ** len(match[2] or "")
