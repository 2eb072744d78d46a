"""fio's normal text, of 2.x and 3.x: its runs, and what is in each of their reports.

A run begins with the lines that name its jobs and count what is started. A report has
the jobs that did something, and ends with those of its groups; with --status-interval
there are several in a run, and the last one is its result.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from instruments.errors import BadInput, plain_words
from workloads.fio.read.text_job import TextJob, is_side
from workloads.fio.read.versions import (
    ALL_CLIENTS,
    KILLED,
    NO_RESULT,
    SIGNALLED,
    Document,
    Job,
)

# fio's client puts the name of the host before a line: "<host1> ".
_HOST = r"^\s*(?:<\S+> )?"
# job1: (groupid=0, jobs=2): err= 0: pid=4242: Mon Nov 23 09:00:00 2026
_HEAD = re.compile(
    _HOST + r"(?P<name>\S.*): \(groupid=(?P<group>\d{1,9}), jobs=(?P<jobs>\d{1,9})\): "
    r"err=\s*(?P<error>\d{1,9})(?: \(.{0,200}\))?: pid=(?P<pid>\d{1,9})"
    r"(?:: (?P<date>.+))?$"
)
_BLOCKS = re.compile(r"\bbs=(\d{1,9})([KM]?)-\1\2(?:/\1\2-\1\2)*,")
"""Blocks of 2.x that all have one size."""

# Run status group 0 (all jobs):
_CLOSING = re.compile(r"^\s*Run status group \d+")

# fio-3.33, with a blank in old versions.
_VERSION = re.compile(r"^\s*(fio-\d\S*|fio \d\S*)$")
# hostname=host1, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.33, flags=1
_CLIENT = re.compile(r"^\s*hostname=.* fio=(\S+?)(?:,|$)")
# job1: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) ..., ioengine=libaio, iodepth=32
_BANNER = re.compile(_HOST + r"(\S.*): \(g=(\d{1,9})\): rw=")
# Starting 2 threads and 1 process
_STARTING = re.compile(_HOST + r"Starting (\d{1,9} (?:thread|process).*)$")
# fio: pid=4242, err=5/file:backend.c:471, ... or fio: pid=4242, got signal=9
_FAILURE = re.compile(_HOST + r"fio: pid=(\d{1,9}), (?:err=(\d{1,9})/|got signal=)")
# Mon Nov 23 09:00:00 2026
_DATE = re.compile(r"\w{3} (\w{3})\s+(\d\d?) (\d\d):(\d\d):(\d\d) (\d{4})")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
# Bits to shift a number of bytes, KiB or MiB by.
_SHIFTS = {"": 0, "K": 10, "M": 20}
_ONE_REPORT_MS = 2000
"""Jobs of one report are printed within a second, and dates are in whole ones."""


@dataclass(slots=True)
class _Report:
    """What fio printed of all jobs at once."""

    moment: int | None
    entries: list[TextJob] = field(default_factory=list)
    is_closed: bool = False


@dataclass(slots=True)
class _Run:
    """One run: what it printed at its begin, and its reports, the last its result."""

    line: int
    version: str = ""
    is_client: bool = False  # several hosts may report, one after the other
    # Bytes of a block by group, 0 where they differ or are not told.
    block_sizes: dict[int, int] = field(default_factory=dict)
    named: list[tuple[str, int]] = field(default_factory=list)  # clones by one
    started: int = 0  # jobs, 0 where it is not given
    is_idle: bool = False  # there are jobs among them that do no I/O
    failures: dict[int, int] = field(default_factory=dict)  # errors by process
    signal: int = 0  # what ended it before it was done
    summed: int = 0  # jobs in the client's sum, 0 where it is not given
    reports: list[_Report] = field(default_factory=list)


def is_text(text: str) -> bool:
    """Whether a text has the result of a job in it."""
    return any(_HEAD.match(line.rstrip()) for line in text.splitlines())


def is_started(text: str) -> bool:
    """Whether a text shows that jobs were started, though no result."""
    lines = text.splitlines()
    return all(any(mark.match(line) for line in lines) for mark in (_BANNER, _STARTING))


def names_in(text: str, _: str) -> list[str]:
    """Get the names of all jobs that did something, in all reports."""
    names: list[str] = []
    head = ""
    for line in text.splitlines():
        if match := _HEAD.match(line.rstrip()):
            head = match["name"] if int(match["pid"]) else ""
        elif head and is_side(line):
            names.append(head)
            head = ""
    return names


def read_text(text: str, name: str) -> list[Document]:
    """Read the reports of all runs, each a document that knows its run.

    Raises:
        BadInput: There is none, or one is cut short or damaged; names the line.
    """
    documents: list[Document] = []
    for number, run in enumerate(_runs(text, name)):
        documents += _documents(run, number, name)
    if not documents:
        raise _bad(name, 1, "it contains no result of fio")
    return _dated(documents)


def _runs(text: str, name: str) -> list[_Run]:
    lines = _Lines()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            lines.take(number, line.rstrip())
        except ValueError as error:
            what = f"the line is damaged: {plain_words(error)}"
            raise _bad(name, number, what) from error
    return [part for run in lines.runs for part in _divided(run)]


class _Lines:
    """Takes lines one by one: which run, which report and which job they are of."""

    def __init__(self) -> None:
        self.runs: list[_Run] = []
        self._job: TextJob | None = None  # whose lines come

    def take(self, number: int, line: str) -> None:
        """Take the next line; raises ValueError where a figure cannot be read."""
        if head := _HEAD.match(line):
            self._job = _entry(self._run(number), head, number)
        elif _begins(line):
            self._job = None
            _begin(self._run(number, is_new=self._is_over(line)), line)
        elif self.runs:
            self._take_rest(self.runs[-1], line)

    def _run(self, number: int, *, is_new: bool = False) -> _Run:
        if is_new or not self.runs:
            self.runs.append(_Run(number))
        return self.runs[-1]

    def _is_over(self, line: str) -> bool:
        """Whether a line that begins a run is that of another one."""
        if not self.runs:
            return False
        run = self.runs[-1]
        if run.is_client:  # each host prints its own begin
            return bool(run.reports and (_VERSION.match(line) or _CLIENT.match(line)))
        return bool(run.reports or run.started)

    def _take_rest(self, run: _Run, line: str) -> None:
        if run.reports and _CLOSING.match(line):
            run.reports[-1].is_closed, self._job = True, None
        elif not _message(run, line) and self._job is not None:
            self._job.take(line)


def _message(run: _Run, line: str) -> bool:
    """Take a line that tells how a process ended; return whether it was one."""
    if match := _FAILURE.match(line):
        run.failures[int(match[1])] = int(match[2] or KILLED)
    elif match := SIGNALLED.match(line):
        run.signal = int(match[1])
    return match is not None


def _entry(run: _Run, head: re.Match[str], number: int) -> TextJob:
    """Make a job of its first line, and put it into its report."""
    group, jobs, pid, error = map(int, head.group("group", "jobs", "pid", "error"))
    entry = TextJob(number, head["name"], group, jobs, pid, error)
    entry.block_size = run.block_sizes.get(group, 0)
    _place(run, entry, local_moment(head["date"] or ""))
    return entry


def _begins(line: str) -> bool:
    """Whether fio prints such a line before it starts jobs."""
    return any(mark.match(line) for mark in (_BANNER, _VERSION, _CLIENT, _STARTING))


def _begin(run: _Run, line: str) -> None:
    if match := _BANNER.match(line):
        run.named.append((match[1], int(match[2])))
        blocks, group = _BLOCKS.search(line), int(match[2])
        size = int(blocks[1]) << _SHIFTS[blocks[2]] if blocks else 0
        is_one = run.block_sizes.setdefault(group, size) == size
        run.block_sizes[group] = size if is_one else 0
        run.is_idle |= "ioengine=cpuio" in line
    elif match := _VERSION.match(line):
        run.version = match[1]
    elif match := _CLIENT.match(line):
        run.version, run.is_client = match[1], True
    elif match := _STARTING.match(line):
        # "Starting 2 threads and 1 process": all numbers are of jobs.
        run.started += sum(int(number) for number in re.findall(r"\d{1,9}", match[1]))


def _place(run: _Run, entry: TextJob, moment: int | None) -> None:
    """Put a job into its report."""
    last = run.reports[-1] if run.reports else None
    if entry.name == ALL_CLIENTS and not entry.pid:
        run.summed = entry.jobs
    elif last is not None and run.is_client:
        # Hosts close a report each; what is interim comes again.
        last.entries = [each for each in last.entries if each.key != entry.key]
        last.entries.append(entry)
    elif last is None or _is_next(last, entry, moment):
        run.reports.append(_Report(moment, [entry]))
    else:
        last.entries.append(entry)


def _is_next(report: _Report, entry: TextJob, moment: int | None) -> bool:
    """Whether a job is of a later report than the last one."""
    return bool(
        report.is_closed
        or any(each.key == entry.key for each in report.entries)
        or entry.group < report.entries[-1].group
        or (moment or 0) - (report.moment or 0) >= _ONE_REPORT_MS
    )


def _divided(run: _Run) -> list[_Run]:
    """Divide reports that have no process in common: they are of different runs."""
    if not run.reports:
        return [run] if run.started else []
    runs = [run]
    reports, run.reports = run.reports, []
    for report in reports:
        last = runs[-1].reports[-1].entries if runs[-1].reports else report.entries
        if not {entry.key for entry in last} & {entry.key for entry in report.entries}:
            runs.append(_Run(report.entries[0].line, run.version))
        runs[-1].reports.append(report)
    return runs


def _documents(run: _Run, number: int, name: str) -> list[Document]:
    """Make a document of each report; the last one has what left no result, too."""
    for report in run.reports[-1:]:
        _check(run, report, name)
        _mark_killed(run, report, name)
    missing = _missing(run, name)
    reports = run.reports or [_Report(None)]
    jobs_of = [[entry.job() for entry in report.entries] for report in reports]
    jobs_of[-1] += missing
    return [
        Document(
            run.version, report.moment, 1000, tuple(jobs), True, number, run.signal
        )
        for report, jobs in zip(reports, jobs_of, strict=True)
        if jobs
    ]


def _check(run: _Run, report: _Report, name: str) -> None:
    """Refuse a report that is cut short; raises BadInput."""
    count = sum(entry.jobs for entry in report.entries)
    for entry in report.entries:
        if entry.parts and not entry.issued:  # which stands behind all directions
            raise _bad(name, entry.line, f"the result of {entry.name} is cut short")
    last = report.entries[-1]
    if not report.is_closed and (count < run.started or not run.started):
        what = f"the report with {last.name} is cut short, its closing lines are absent"
        raise _bad(name, last.line, what)
    if run.summed and run.summed != count:
        what = f"{count} jobs of clients are reported, and their sum is of {run.summed}"
        raise _bad(name, last.line, what)


def _mark_killed(run: _Run, report: _Report, name: str) -> None:
    """Give jobs their killed processes, which fio itself counts as if they had ended.

    Raises:
        BadInput: It is not known in which group one was.
    """
    for pid in (pid for pid, error in run.failures.items() if error == KILLED):
        owners = _owners(report.entries, pid)
        if len(owners) > 1:
            what = f"process {pid} was killed, of an unknown group"
            raise _bad(name, run.line, what)
        for entry in owners:
            entry.error = entry.error or KILLED


def _owners(entries: Sequence[TextJob], pid: int) -> list[TextJob]:
    """Get the jobs that a process may be of; a group shows only one of its own."""
    return [entry for entry in entries if entry.pid == pid] or [
        entry for entry in entries if entry.jobs > 1
    ]


def _missing(run: _Run, name: str) -> list[Job]:
    """Get the jobs that were started and left no result, with their printed errors.

    fio prints none of jobs without any I/O.

    Raises:
        BadInput: It is not known in which group they were.
    """
    entries = run.reports[-1].entries if run.reports else []
    number = run.started - sum(entry.jobs for entry in entries)
    if number <= 0:
        return []
    names, groups = _absent(run, entries)
    if entries and len(groups) != 1:
        what = f"{number} of {run.started} jobs left no result, of an unknown group"
        raise _bad(name, run.line, what)
    shown = names.pop() if len(names) == 1 else f"{number} of {run.started} jobs"
    group = min(groups, default=0)
    return [Job(shown, group, error, {}) for error in _unreported(run, entries, number)]


def _absent(run: _Run, entries: Sequence[TextJob]) -> tuple[set[str], set[int]]:
    """Get the names and the groups of what was started and has no entry."""
    reported = {(entry.name, entry.group) for entry in entries}
    absent = [job for job in run.named if job not in reported] or run.named
    return {name for name, _ in absent}, {group for _, group in absent}


def _unreported(run: _Run, entries: Sequence[TextJob], number: int) -> list[int]:
    """Get the errors of the jobs, this many, that have no entry."""
    pids = {entry.pid for entry in entries}
    errors = [error for pid, error in run.failures.items() if pid not in pids]
    if len(errors) < number and not run.is_idle:
        errors.append(NO_RESULT)
    return errors


def _dated(documents: Sequence[Document]) -> list[Document]:
    """Date runs without any report, which have no length, by those beside them."""
    dated = list(documents)
    # By the one before; those at the begin, in the second turn, by the one behind.
    for order in (range(len(dated)), reversed(range(len(dated)))):
        moment = None
        for at in order:
            moment = dated[at].moment_ms or moment
            if not any(job.sides for job in dated[at].jobs):
                dated[at] = replace(dated[at], moment_ms=moment)
    return dated


def local_moment(text: str) -> int | None:
    """Read a date and time as C's ctime writes it, as if it were UTC, in ms.

    Returns:
        None where there is none in the text.
    """
    match = _DATE.search(text)
    if match is None or match[1] not in _MONTHS:
        return None
    month = _MONTHS.index(match[1]) // 4 + 1
    day, hour, minute, second, year = (int(match[n]) for n in (2, 3, 4, 5, 6))
    try:
        # C allows a leap second, Python does not.
        when = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return int(when.timestamp()) * 1000


def _bad(name: str, line: int, what: str) -> BadInput:
    return BadInput(
        what,
        where=f"{name}, line {line}",
        way_out="Expected the whole output of fio as it prints it.",
    )
