"""The runs in a file of fio documents: which belong together, and their phases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from instruments.durations import parse_duration
from instruments.errors import BadInput
from workloads.fio.read.versions import UNTIMED, Document, Job

STAMP_LATE_MS = 250
"""fio makes its last document up to half a second after the load; the middle of it.

Public documents of 3.42, which tell the start as well, have 249 and 250 ms.
"""

_SAME_START_MS = 1_100
"""fio tells the time since its start in whole seconds, begun ones among them."""

ETA_UNKNOWN = 2**31 - 1
"""What fio tells of the time to its end where it does not know it: until it has run for
2 seconds, and of each group that was not yet begun then once more."""

SHARE_RUN = 0.9
"""Share of its runtime that a job ran at the least which ran to its end. Judged."""

_ENDS_EARLY = (
    "exitall",
    "exit_what",
    "exitall_on_error",
    "steadystate",
    "ss",
    "number_ios",
)
"""Options by which jobs end before their time, of their own or all of a run."""

_LONGEST_END_MS = 1_000
"""Time from the end of a load to its last document, at most."""


@dataclass(frozen=True, slots=True)
class Phase:
    """The jobs of a run that ran at the same time."""

    jobs: tuple[int, ...]  # their numbers in the documents of the run
    # when they began to measure, in ms since 1970 or since the run began
    start_ms: float
    runtime_ms: int  # how long they measured
    ramp_s: float  # seconds before that
    spread_ms: float  # how far the start may be off


@dataclass(frozen=True, slots=True)
class Run:
    """One run of fio."""

    documents: tuple[Document, ...]  # its documents, the last one being its result
    phases: tuple[Phase, ...]  # what it did, one after the other
    is_placed: bool  # whether the times of the phases are wall-clock times
    method: str  # how they were had

    @property
    def last(self) -> Document:
        """The document with the result."""
        return self.documents[-1]

    @property
    def is_order_told(self) -> bool:
        """Whether it is told which of its groups ran at the same time."""
        jobs = self.last.jobs
        return (
            len(self.phases) == 1
            or all(job.start_ms is not None for job in jobs)
            or any(job.elapsed_s for job in jobs)
        )


def runs_of(documents: Sequence[Document], name: str) -> list[Run]:
    """Divide the documents of a file into runs.

    Raises:
        BadInput: It is not to be told whether two are of one run, or which groups
            ran at the same time; names the file.
    """
    groups: list[list[Document]] = []
    for number, document in enumerate(documents, 1):
        is_next = bool(groups) and _continues(groups[-1][-1], document)
        if is_next is None:
            raise BadInput(
                f"its results {number - 1} and {number} are of one run that told how "
                "far it was, or of two runs, and nothing in it tells which",
                where=name,
                way_out="Import each result from its own file.",
            )
        if is_next:
            groups[-1].append(document)
        else:
            groups.append([document])
    return [_run(group, name) for group in groups]


def _continues(before: Document, after: Document) -> bool | None:
    """Whether a document is of the same run as the one before it; None for unknown."""
    if before.run is not None or after.run is not None:
        return before.run == after.run
    if _order(before) != _order(after):
        return False
    # At the end of its ramp a job counts anew, and its start is another one.
    pairs = [
        (b, a)
        for b, a in zip(before.jobs, after.jobs, strict=True)
        if not _is_in_ramp(b)
    ]
    starts = [(b.start_ms, a.start_ms) for b, a in pairs if b.start_ms and a.start_ms]
    if starts:
        return all(one == other for one, other in starts)
    if not all(_goes_on(*pair) for pair in pairs):
        return False
    return _by_times(before, after, same=all(b.sides == a.sides for b, a in pairs))


def _order(document: Document) -> list[tuple[str, int, Mapping[str, str]]]:
    """Get what fio was told to do."""
    return [(job.name, job.group, job.options) for job in document.jobs]


def _by_times(before: Document, after: Document, *, same: bool) -> bool | None:
    """Tell it by when fio was started, and by whether a run fits between the two."""
    began, begins = _began(before), _began(after)
    if began is None or begins is None:
        return None if not same or any(map(_is_in_ramp, before.jobs)) else True
    coarse = max(before.precision_ms, after.precision_ms)
    between = (after.moment_ms or 0) - (before.moment_ms or 0)
    earlier, later = (
        max(job.runtime_ms for job in document.jobs) for document in (before, after)
    )
    # However late fio is on a busy machine, another run begins after that document.
    most = max(later, (after.moment_ms or 0) - begins - 1000)
    if most > between + coarse:
        return True
    if abs(begins - began) > _SAME_START_MS + coarse:
        return False
    if same or _is_interim(before):
        return True
    return False if between > later - earlier + _LONGEST_END_MS + coarse else None


def _is_in_ramp(job: Job) -> bool:
    """Whether it was in its ramp; fio measures no latencies there."""
    counted = [side.counters for side in job.sides.values()]
    has_ramp = bool(counted) and seconds_of(job, "ramp_time") > 0
    return has_ramp and not any(one.latency_n for one in counted)


def _is_interim(document: Document) -> bool:
    """Whether fio wrote it while it ran: in its ramp, or with seconds left to run."""
    jobs = document.jobs
    if document.signal:
        return False
    if not any(job.sides for job in jobs) or any(map(_is_in_ramp, jobs)):
        return True
    if any(job.eta_s not in (0, ETA_UNKNOWN) for job in jobs):
        return True
    return not may_end_early(jobs) and any(
        job.error in (0, UNTIMED)
        and not seconds_of(job, "ramp_time")
        and job.runtime_ms < 1000 * SHARE_RUN * told_s(job)
        for job in jobs
    )


def may_end_early(jobs: Sequence[Job]) -> bool:
    """Whether jobs of a run may end before their time, as they were told to."""
    return any(option in job.options for job in jobs for option in _ENDS_EARLY)


def told_s(job: Job) -> float:
    """Get the seconds that a job was to run in any case, 0 where that is not told."""
    if job.options.get("time_based", "0") in ("0", "false"):
        return 0.0
    return seconds_of(job, "runtime") or seconds_of(job, "timeout")


def _goes_on(before: Job, after: Job) -> bool:
    """Whether a job can have come from one result to the other."""
    # fio reads the time of a job before its counts: one that begins just then has none.
    is_same_error = before.error in (0, UNTIMED, after.error)
    if not is_same_error or set(before.sides) - set(after.sides):
        return False
    return all(
        old.counters.runtime_ms <= new.counters.runtime_ms
        and old.counters.ios <= new.counters.ios + new.slack
        and old.counters.bytes_ <= new.counters.bytes_
        for old, new in ((s, after.sides[d]) for d, s in before.sides.items())
    )


def _began(document: Document) -> int | None:
    """Get when fio was started, in ms: at the earliest, and up to a second later."""
    elapsed = [job.elapsed_s for job in document.jobs if job.elapsed_s is not None]
    if document.moment_ms is None or not elapsed:
        return None
    return document.moment_ms - 1000 * max(elapsed)


def _run(documents: list[Document], name: str) -> Run:
    last = documents[-1]
    groups = _phases(documents, name)
    if last.moment_ms is None:
        return Run(tuple(documents), _in_a_row(last, groups), False, "no clock")
    end = last.moment_ms - STAMP_LATE_MS + (500 if last.precision_ms > 1 else 0)
    slack = STAMP_LATE_MS + last.precision_ms / 2
    phases: list[Phase] = []
    methods = []
    for numbers in reversed(groups):
        jobs = [last.jobs[n] for n in numbers]
        runtime = max(job.runtime_ms for job in jobs)
        ramp = max(seconds_of(job, "ramp_time") for job in jobs)
        begun = [job.start_ms for job in jobs if job.start_ms is not None]
        if begun:
            start, spread = float(min(begun)), 1.0
            methods.append("fio's own start of each job")
        elif watched := _watched(documents, numbers):
            start, spread = watched
            methods.append(
                "start = timestamps of the interim documents minus fio's runtime"
            )
        else:
            start, spread = float(end - runtime), slack
            methods.append("start = timestamp of the last document minus fio's runtime")
        phases.append(Phase(numbers, start, runtime, ramp, spread))
        # A phase before it ended before its ramp, at the latest.
        end, slack = round(start - 1000 * ramp), spread + 1000
    return Run(tuple(documents), tuple(reversed(phases)), True, methods[0])


def _phases(documents: Sequence[Document], name: str) -> list[tuple[int, ...]]:
    """Tell which jobs ran at the same time.

    fio makes a new group at a stonewall, which is not among the options it repeats
    where it stands without a value, and at new_group, after which it does not wait.
    Until 3.36 only its interim documents tell which, and the time since it was started.
    """
    by_group: dict[int, list[int]] = {}
    jobs = documents[-1].jobs
    for number, job in enumerate(jobs):
        by_group.setdefault(job.group, []).append(number)
    groups = [tuple(numbers) for _, numbers in sorted(by_group.items())]
    if len(groups) < 2:
        return groups
    if all(job.start_ms is not None for job in jobs):
        return _by_starts(jobs, groups)
    return _by_elapsed(jobs, _by_documents(documents, groups), name)


def _by_documents(
    documents: Sequence[Document], groups: Sequence[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """Put groups together of which one counted while the one before it still ran."""
    phases = [groups[0]]
    for numbers in groups[1:]:
        seen = [(d, _longest(d, phases[-1])) for d in documents if _longest(d, numbers)]
        if any(runtime != seen[-1][1] for _, runtime in seen):
            phases[-1] += numbers
        else:
            phases.append(numbers)
    return phases


def _longest(document: Document, numbers: Sequence[int]) -> int:
    """Get the longest time in ms that any of some jobs measured so far."""
    return max(document.jobs[number].runtime_ms for number in numbers)


def _by_elapsed(
    jobs: Sequence[Job], groups: list[tuple[int, ...]], name: str
) -> list[tuple[int, ...]]:
    elapsed = max((1000 * (job.elapsed_s or 0) for job in jobs), default=0)
    long = [max(jobs[n].runtime_ms for n in numbers) for numbers in groups]
    if not elapsed or sum(long) <= elapsed + 1000:
        return groups
    ramp = max(seconds_of(job, "ramp_time") for job in jobs)
    in_two = min(max(long[:n]) + max(long[n:]) for n in range(1, len(long)))
    if in_two > elapsed + 1000 or max(long) + 1000 * ramp + 2000 >= elapsed:
        return [tuple(range(len(jobs)))]
    raise BadInput(
        f"of its {len(groups)} groups some ran at the same time and some after others, "
        "and this fio does not tell which",
        where=name,
        way_out="Run each group alone, or use fio 3.36 or later.",
    )


def _by_starts(
    jobs: Sequence[Job], groups: Sequence[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    phases: list[tuple[int, ...]] = []
    end = 0
    for numbers in groups:
        begin = min(jobs[n].start_ms or 0 for n in numbers)
        if phases and begin < end - 500:
            phases[-1] += numbers
        else:
            phases.append(numbers)
        end = max(end, *((jobs[n].start_ms or 0) + jobs[n].runtime_ms for n in numbers))
    return phases


def _in_a_row(
    document: Document, groups: Sequence[tuple[int, ...]]
) -> tuple[Phase, ...]:
    """Place phases on their own clock: each begins where the one before ended."""
    found, at = [], 0.0
    for number, numbers in enumerate(groups):
        jobs = [document.jobs[n] for n in numbers]
        ramp = max(seconds_of(job, "ramp_time") for job in jobs)
        runtime = max(job.runtime_ms for job in jobs)
        at += 1000 * ramp
        found.append(Phase(numbers, at, runtime, ramp, 1000.0 * number))
        at += runtime
    return tuple(found)


def _watched(
    documents: Sequence[Document], numbers: Sequence[int]
) -> tuple[float, float] | None:
    """Place a phase by the documents that were made while it ran.

    Each tells the start as its own moment less the runtime, or later: on a busy machine
    fio stamps it half a second after it read its counts. The earliest is the one.

    Returns:
        Start in ms and how far it may be off, None without such documents.
    """
    starts = starts_of(documents, numbers)
    if len(starts) < 2 or documents[-1].precision_ms > 1:
        return None
    # fio takes its time for the last one.
    spread = max(starts[:-1]) - min(starts)
    return float(min(starts)), max(1.0, min(float(spread), 1000.0))


def starts_of(
    documents: Sequence[Document], numbers: Sequence[int], *, of_ramp: bool = False
) -> list[int]:
    """Get when some jobs began, in ms, as each document tells that shows them go on.

    Args:
        documents: Those of a run.
        numbers: The jobs.
        of_ramp: Whether to tell when they began their ramp, and not to measure.
    """
    starts: list[int] = []
    before = 0
    has_told_ramp = not _is_any_in_ramp(documents[-1], numbers)
    for document in documents if has_told_ramp or not of_ramp else ():
        if has_told_ramp and _is_any_in_ramp(document, numbers) is not of_ramp:
            continue
        runtime = _longest(document, numbers)
        if runtime < before:
            starts, before = [], 0
        if document.moment_ms is not None and runtime > before:
            starts.append(document.moment_ms - runtime)
        before = runtime
    return starts


def _is_any_in_ramp(document: Document, numbers: Sequence[int]) -> bool:
    return any(_is_in_ramp(document.jobs[number]) for number in numbers)


def seconds_of(job: Job, key: str) -> float:
    """Get an option that is a time, 0 where there is none that can be read."""
    text = job.options.get(key, "0")
    try:
        return float(text) if text.isdigit() else parse_duration(text)
    except ValueError:
        return 0.0
