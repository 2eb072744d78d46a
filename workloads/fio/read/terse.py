"""fio's terse output (--minimal) of versions 2 to 5, in the form of its documents.

A line has neither the time it was printed nor its run. Lines of one report are
known by the counters of disks behind them, by their groups, or by a client's sum.
Source: fio's HOWTO, "Terse output", and lines of fio 2.0.15, 2.1.10 and 3.33.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from instruments.errors import BadInput, plain_words
from workloads.fio.read.side import Side, checked_runtime, counted, rated, timed
from workloads.fio.read.versions import (
    ALL_CLIENTS,
    SIGNALLED,
    Document,
    Job,
    judged,
    lines_of,
)

# Terse output tells sizes in KiB and times in us.
_KIB = 1024
_US = 1000
_FIRST = {"2": 1, "3": 2, "4": 2, "5": 2}
"""Number of the field with the job's name, by the version of the format."""

_DIRECTIONS = ("read", "write", "trim", "mixed")
_SAME = 0.02
_TO_DISKS = 5 + 7 + 10 + 12
"""Fields of the processor, depths and latencies in us and ms, before the disks."""

_BUSY_MS = 100
"""Disks that were busy for so long have no equal counters in two runs."""


@dataclass(frozen=True, slots=True)
class TerseLine:
    """One line: its number, and the fields of disks after those of its job."""

    number: int
    version: str
    job: Job
    disks: tuple[str, ...]

    @property
    def kib(self) -> float:
        """What all directions moved."""
        return sum(side.counters.bytes_ for side in self.job.sides.values()) / _KIB


def is_terse(line: str) -> bool:
    """Whether a line is one of the terse output."""
    fields = line.split(";")
    first = _FIRST.get(fields[0])
    if first is None or len(fields) < 40:
        return False
    return fields[first + 1].isdigit() and fields[first + 2].lstrip("-").isdigit()


def has_terse(text: str) -> bool:
    """Whether a text has a line of the terse output, even one that is cut short."""
    starts = ("2;", "3;fio-", "4;fio-", "5;fio-")
    lines = (line for line in text.splitlines() if line.startswith(starts))
    return any(is_terse(line) or line.count(";") > 3 for line in lines)


def names_in(text: str, name: str) -> list[str]:
    """Get the names of all jobs that did something; raises BadInput as reading does."""
    jobs = [line.job for line in read_lines(text, name)]
    return [job.name for job in jobs if job.sides and job.name != ALL_CLIENTS]


def read_terse(text: str, name: str) -> list[Document]:
    """Read all terse lines of a file; other lines are excluded.

    The counts of I/Os are IOPS times runtime, since it has none.

    Raises:
        BadInput: There is none, one is damaged, or it is not clear whether jobs
            ran at once or one after the other; names the line.
    """
    lines = read_lines(text, name)
    if not lines:
        raise _bad(name, 1, "it contains no terse output of fio")
    signals = lines_of(SIGNALLED, text)
    documents, at = [], 0
    for report in _reports(lines, name):
        ended = [n for where, n in signals if at < where <= report[0].number]
        at = report[-1].number
        jobs = tuple(line.job for line in report)
        signal = max(ended, default=0)
        documents.append(Document(report[-1].version, None, 1, jobs, signal=signal))
    return documents


def read_lines(text: str, name: str) -> list[TerseLine]:
    """Read each terse line by itself; raises BadInput for one that is damaged."""
    lines: list[TerseLine] = []
    for number, full in enumerate(text.splitlines(), 1):
        line = full.strip()
        if not is_terse(line):
            if line[:2] in ("2;", "3;", "4;", "5;"):
                raise _bad(name, number, "the line is cut short")
            continue
        fields = line.split(";")
        try:
            job, at = _job(fields)
        except (ArithmeticError, LookupError, ValueError) as error:
            raise _bad(
                name, number, f"the line is damaged: {plain_words(error)}"
            ) from error
        version = fields[1] if fields[0] != "2" else ""
        lines.append(TerseLine(number, version, job, _disks(fields[at + _TO_DISKS :])))
    return lines


def _disks(fields: Sequence[str]) -> tuple[str, ...]:
    """Get the fields of disks, nine each; a description may follow them."""
    end = 0
    while len(fields) >= end + 9 and fields[end + 8].endswith("%"):
        end += 9
    return tuple(fields[:end])


def _reports(lines: Sequence[TerseLine], name: str) -> list[list[TerseLine]]:
    """Divide lines into reports, each of the jobs of one run; raises BadInput."""
    reports: list[list[TerseLine]] = []
    unsure: TerseLine | None = None
    for line in lines:
        if line.job.name == ALL_CLIENTS and reports:
            reports, unsure = [_summed_up(reports, line, name)], None
            continue
        is_same = _is_same_report(reports[-1], line) if reports else False
        if is_same is None:
            unsure = unsure or line
        if is_same is False:
            reports.append([])
        reports[-1].append(line)
    if unsure is not None:
        raise BadInput(
            f"job {unsure.job.name} ran beside the one before it or after it, and "
            "terse output does not tell which",
            where=f"{name}, line {unsure.number}",
            way_out="Import fio's JSON or text, or one file for each run.",
        )
    return reports


def _summed_up(
    reports: Sequence[Sequence[TerseLine]], total: TerseLine, name: str
) -> list[TerseLine]:
    """Get the lines that a client sums up: what makes up the sum ran at once."""
    lines = [line for report in reports for line in report]
    # Each size is cut to whole KiB.
    if abs(sum(line.kib for line in lines) - total.kib) > 2 * len(lines):
        raise _bad(
            name, total.number, "the sum of all clients does not match their lines"
        )
    return lines


def _is_same_report(report: Sequence[TerseLine], line: TerseLine) -> bool | None:
    """Whether a line is of the report before it, None where that is not clear."""
    before = report[-1]
    if line.version != before.version or _begins_again(report, line.job):
        return False
    if line.disks and before.disks:
        if line.disks != before.disks:
            return False
        if _are_busy(line.disks):
            return True
    # A run begins with group 0.
    return True if line.job.group > before.job.group else None


def _begins_again(report: Sequence[TerseLine], job: Job) -> bool:
    """Whether a job is earlier in the order of a run than those before it."""
    last = report[-1].job
    is_clone = job.name == last.name
    is_repeated = not is_clone and job.name in [line.job.name for line in report]
    return job.group < last.group or is_repeated


def _are_busy(disks: Sequence[str]) -> bool:
    return any(field.isdigit() and int(field) >= _BUSY_MS for field in disks)


def _job(fields: Sequence[str]) -> tuple[Job, int]:
    """Read a line; return its job and the number of the processor's first field."""
    at = _FIRST[fields[0]]
    # Some errors of fio are negative, as the kernel's are; those of ours are, too.
    job_name, group, error = fields[at], int(fields[at + 1]), abs(int(fields[at + 2]))
    at += 3
    parts: list[Side] = []
    while not fields[at].endswith("%"):  # Up to the processor's share.
        side, at = _side(fields, at)
        parts.append(side)
    # With unified_rw_reporting there is one side, of all directions; 3 has no trims.
    names = [each for each in _DIRECTIONS if each != "trim" or fields[0] != "3"]
    if len(parts) == 1:
        names = ["mixed"]
    sides = timed(dict(zip(names, parts, strict=False)))
    did_any = any(side.counters.bytes_ for side in parts)
    return Job(job_name, group, judged(error, sides, did_any), sides), at


def _side(fields: Sequence[str], at: int) -> tuple[Side, int]:
    """Read one direction; return it and where the next one begins."""
    size, bandwidth, iops, runtime = (float(field) for field in fields[at : at + 4])
    if runtime and abs(size - bandwidth * runtime / 1000) > _SAME * size + bandwidth:
        raise ValueError("its bandwidth does not fit its size and runtime")
    at += 12  # Submission and completion latency have four fields each.
    percentiles = {}
    while "%=" in fields[at]:
        percent, _, value = fields[at].partition("%=")
        if float(value):
            percentiles[float(percent)] = float(value) * _US
        at += 1
    longest_us, mean_us = float(fields[at + 1]), float(fields[at + 2])
    at += 4 + 5  # Total latency, and the bandwidth's minimum to deviation.
    if fields[0] == "5":
        at += 1 + 5  # Counts of samples, and the same of IOPS.
    ios, slack = rated(iops, round(runtime))
    kib, most_kib = size, 1.0
    if bandwidth > size:  # in less than a second the rate has more digits
        kib, most_kib = bandwidth * runtime / 1000, runtime / 1000
    runtime_ms = checked_runtime(round(runtime))
    counters = counted(ios, kib * _KIB, runtime_ms, mean_us * _US, longest_us * _US)
    most_bytes = round(most_kib * _KIB)
    return Side(counters, percentiles, slack, most_bytes, _US), at


def _bad(name: str, line: int, what: str) -> BadInput:
    return BadInput(
        what,
        where=f"{name}, line {line}",
        way_out="Expected lines as fio --minimal writes them, versions 2 to 5.",
    )
