"""fio's normal text, of 2.x and 3.x: its runs, and what each of their reports says.

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

_HOST = r"^\s*(?:<\S+> )?"
_HEAD = re.compile(
    _HOST + r"(?P<name>\S.*): \(groupid=(?P<group>\d{1,9}), jobs=(?P<jobs>\d{1,9})\): "
    r"err=\s*(?P<error>\d{1,9})(?: \(.{0,200}\))?: pid=(?P<pid>\d{1,9})"
    r"(?:: (?P<date>.+))?$"
)
_BLOCKS = re.compile(r"\bbs=(\d{1,9})([KM]?)-\1\2(?:/\1\2-\1\2)*,")
"""Blocks of 2.x that all have one size."""

_CLOSING = re.compile(r"^\s*Run status group \d+")

_VERSION = re.compile(r"^\s*(fio-\d\S*|fio \d\S*)$")
_CLIENT = re.compile(r"^\s*hostname=.* fio=(\S+?)(?:,|$)")
_BANNER = re.compile(_HOST + r"(\S.*): \(g=(\d{1,9})\): rw=")
_STARTING = re.compile(_HOST + r"Starting (\d{1,9} (?:thread|process).*)$")
_FAILURE = re.compile(_HOST + r"fio: pid=(\d{1,9}), (?:err=(\d{1,9})/|got signal=)")
_DATE = re.compile(r"\w{3} (\w{3})\s+(\d\d?) (\d\d):(\d\d):(\d\d) (\d{4})")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
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
    started: int = 0  # jobs, 0 where it is not said
    is_idle: bool = False  # there are jobs among them that do no I/O
    failures: dict[int, int] = field(default_factory=dict)  # errors by process
    signal: int = 0  # what ended it before it was done
    summed: int = 0  # jobs in the client's sum, 0 where it is not said
    reports: list[_Report] = field(default_factory=list)


def is_text(text: str) -> bool:
    """Whether a text has the result of a job in it."""
    return any(_HEAD.match(line.rstrip()) for line in text.splitlines())


def is_started(text: str) -> bool:
    """Whether a text tells that jobs were started, if of no result."""
    lines = text.splitlines()
    return all(any(one.match(line) for line in lines) for one in (_BANNER, _STARTING))


def names_in(text: str, _: str) -> list[str]:
    """Get the names of all jobs that did something, in all reports."""
    names: list[str] = []
    head = ""
    for line in text.splitlines():
        if found := _HEAD.match(line.rstrip()):
            head = found["name"] if int(found["pid"]) else ""
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
    runs: list[_Run] = []
    into: TextJob | None = None
    for number, full in enumerate(text.splitlines(), 1):
        line = full.rstrip()
        run = runs[-1] if runs else None
        head = _HEAD.match(line)
        begins = head is None and _begins(line)
        if (head and run is None) or (begins and (run is None or _is_over(run, line))):
            run = _Run(number)
            runs.append(run)
        if run is None:
            continue
        if head:
            into = _entry(run, head, number)
        elif begins:
            into = None
            _begin(run, line)
        elif found := _FAILURE.match(line):
            run.failures[int(found[1])] = int(found[2] or KILLED)
        elif found := SIGNALLED.match(line):
            run.signal = int(found[1])
        elif run.reports and _CLOSING.match(line):
            run.reports[-1].is_closed, into = True, None
        elif into is not None:
            try:
                into.take(line)
            except ValueError as error:
                raise _bad(
                    name, number, f"the line is damaged: {plain_words(error)}"
                ) from error
    return [one for run in runs for one in _divided(run)]


def _entry(run: _Run, head: re.Match[str], number: int) -> TextJob:
    """Make a job of its first line, and put it into the report that it is of."""
    group, jobs, pid, error = map(int, head.group("group", "jobs", "pid", "error"))
    entry = TextJob(number, head["name"], group, jobs, pid, error)
    entry.block_size = run.block_sizes.get(group, 0)
    _place(run, entry, local_moment(head["date"] or ""))
    return entry


def _begins(line: str) -> bool:
    """Whether fio prints such a line before it starts jobs."""
    return any(one.match(line) for one in (_BANNER, _VERSION, _CLIENT, _STARTING))


def _is_over(run: _Run, line: str) -> bool:
    """Whether a line of a begin is that of another run."""
    if run.is_client:
        return bool(run.reports and (_VERSION.match(line) or _CLIENT.match(line)))
    return bool(run.reports or run.started)


def _begin(run: _Run, line: str) -> None:
    if found := _BANNER.match(line):
        run.named.append((found[1], int(found[2])))
        blocks, group = _BLOCKS.search(line), int(found[2])
        size = int(blocks[1]) << _SHIFTS[blocks[2]] if blocks else 0
        is_one = run.block_sizes.setdefault(group, size) == size
        run.block_sizes[group] = size if is_one else 0
        run.is_idle |= "ioengine=cpuio" in line
    elif found := _VERSION.match(line):
        run.version = found[1]
    elif found := _CLIENT.match(line):
        run.version, run.is_client = found[1], True
    elif found := _STARTING.match(line):
        run.started += sum(int(number) for number in re.findall(r"\d{1,9}", found[1]))


def _place(run: _Run, entry: TextJob, moment: int | None) -> None:
    """Put a job into the report that it is of."""
    last = run.reports[-1] if run.reports else None
    if entry.name == ALL_CLIENTS and not entry.pid:
        run.summed = entry.jobs
    elif last is not None and run.is_client:
        # Hosts close a report each; what is interim comes again.
        last.entries = [one for one in last.entries if one.key != entry.key]
        last.entries.append(entry)
    elif last is None or _is_next(last, entry, moment):
        run.reports.append(_Report(moment, [entry]))
    else:
        last.entries.append(entry)


def _is_next(report: _Report, entry: TextJob, moment: int | None) -> bool:
    """Whether a job is of a later report than the last one."""
    return bool(
        report.is_closed
        or any(one.key == entry.key for one in report.entries)
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
        if not {one.key for one in last} & {entry.key for entry in report.entries}:
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
    jobs = [[entry.job() for entry in report.entries] for report in reports]
    jobs[-1] += missing
    return [
        Document(run.version, report.moment, 1000, tuple(own), True, number, run.signal)
        for report, own in zip(reports, jobs, strict=True)
        if own
    ]


def _check(run: _Run, report: _Report, name: str) -> None:
    """Refuse a report that is cut short; raises BadInput."""
    count = sum(entry.jobs for entry in report.entries)
    for entry in report.entries:
        if entry.parts and not entry.issued:
            raise _bad(name, entry.line, f"the result of {entry.name} is cut short")
    last = report.entries[-1]
    if not report.is_closed and (count < run.started or not run.started):
        what = f"the report with {last.name} is cut short, its closing lines are absent"
        raise _bad(name, last.line, what)
    if run.summed and run.summed != count:
        what = f"{count} jobs of clients are told of, and their sum is of {run.summed}"
        raise _bad(name, last.line, what)


def _mark_killed(run: _Run, report: _Report, name: str) -> None:
    """Give jobs their killed processes, which fio itself counts as if they had ended.

    Raises:
        BadInput: It is not said in which group one was.
    """
    for pid in (pid for pid, error in run.failures.items() if error == KILLED):
        own = [entry for entry in report.entries if entry.pid == pid]
        own = own or [entry for entry in report.entries if entry.jobs > 1]
        if len(own) > 1:
            what = f"process {pid} was killed, of no group that is said"
            raise _bad(name, run.line, what)
        for entry in own:
            entry.error = entry.error or KILLED


def _missing(run: _Run, name: str) -> list[Job]:
    """Get the jobs that were started and left no result, with errors it told of them.

    fio prints none of jobs without any I/O.

    Raises:
        BadInput: It is not said in which group they were.
    """
    entries = run.reports[-1].entries if run.reports else []
    number = run.started - sum(entry.jobs for entry in entries)
    if number <= 0:
        return []
    reported = {(entry.name, entry.group) for entry in entries}
    named = [one for one in run.named if one not in reported] or run.named
    groups = {group for _, group in named}
    if entries and len(groups) != 1:
        what = (
            f"{number} of {run.started} jobs left no result, of no group that is said"
        )
        raise _bad(name, run.line, what)
    names = {one for one, _ in named}
    pids = {entry.pid for entry in entries}
    errors = [error for pid, error in run.failures.items() if pid not in pids]
    name = min(names) if len(names) == 1 else f"{number} of {run.started} jobs"
    if len(errors) < number and not run.is_idle:
        errors.append(NO_RESULT)
    group = min(groups, default=0)
    return [Job(name, group, error, {}) for error in errors]


def _dated(documents: Sequence[Document]) -> list[Document]:
    """Date runs without any report, which have no length, by those beside them."""
    found = list(documents)
    for order in (range(len(found)), reversed(range(len(found)))):
        moment = None
        for at in order:
            moment = found[at].moment_ms or moment
            if not any(job.sides for job in found[at].jobs):
                found[at] = replace(found[at], moment_ms=moment)
    return found


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


def _bad(name: str, line: int, what: str) -> BadInput:
    return BadInput(
        what,
        where=f"{name}, line {line}",
        way_out="Expected the whole output of fio as it prints it.",
    )
