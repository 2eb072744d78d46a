"""fio's logs beside the run they belong to: placed, added up over jobs, checked."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from app.record.imports.fio_windows import (
    KIB,
    io_moments,
    total_traces,
    windows_of,
)
from app.record.imports.found import MS, Clock, FileClock, Found, FoundStep, FoundTrace
from instruments.errors import BadInput
from instruments.reading import SECOND
from workloads.fio.read.logs import DIRECTIONS, KINDS, Log, LogName, log_name, read_log

KIND = "fio log"
_CLOSE = 0.1
"""Share by which counts of a run and of its logs may differ. Judged."""

_OTHER = (
    "its logs have other times or I/O counts than the run: they may be of some of its "
    "jobs only, or of another run; after their last row there is a gap"
)
_NO_PERIOD = (
    "the averaging time of its rows is unknown, it is taken to be the shortest time "
    "between two of them: a load with pauses may have had fewer I/Os"
)
_LATE_NS = SECOND // 2
"""How much later than its run a log may end: what fio needed to begin. Judged."""

_RESULTS = {"iops": ("iops", 1.0), "bw": ("mb_s", 1e6)}
"""The result of a run that a log tells, and what makes its unit that of a trace."""


_AVERAGED = {"bw": "bwavgtime", "iops": "iopsavgtime"}
"""Options of what a row of rates is averaged over, else it is log_avg_msec."""


@dataclass(frozen=True, slots=True)
class FoundLog:
    """One log file, before it is known which run it is of."""

    path: Path
    name: LogName  # what its name says
    log: Log

    @property
    def folder(self) -> Path:
        """Where it is, whether it was named from there, from the root or from here."""
        return self.path.absolute().parent

    @property
    def extent_ms(self) -> tuple[int, int]:
        """First and last time in ms of its clock."""
        times = self.log.times_ms
        begin = int(times.min()) if self.log.has_epoch else 0
        return begin, int(times.max())

    @property
    def knows_unit(self) -> bool:
        """Whether its values have one unit in all versions."""
        return self.name.kind in ("bw", "iops")

    def period_ms(self, options: Mapping[str, str]) -> int | None:
        """Get what fio was told to average a row over; None where it is not known."""
        log = options.get("log_avg_msec", "")
        told = options.get(_AVERAGED.get(self.name.kind, ""), log)
        return int(told) or None if re.fullmatch("[0-9]{1,9}", told) else None


def read_found_log(path: Path, content: bytes) -> FoundLog:
    """Read a log file.

    Raises:
        BadInput: Its name does not say what it is, or a row is damaged.
    """
    name = log_name(path)
    if name is None:
        raise BadInput(
            "it looks like a fio log, but its name does not say of what",
            where=str(path),
            way_out="Expected a name as fio gives it, such as run_bw.1.log.",
        )
    if name.kind not in KINDS:
        raise BadInput(
            "histogram logs of fio are not imported",
            where=str(path),
            way_out="Import the JSON of the run: json+ holds the whole histogram.",
        )
    return FoundLog(path, name, read_log(content, str(path)))


def step_of(log: FoundLog, run: Found) -> int | None:
    """Get the step of a run that was told to write a log of this name.

    None where it was not, or where the number of the job tells of no step.
    """
    steps = run.run_logs.get(log.name.run, ())
    if log.name.job and log.name.job <= len(steps):
        own = steps[log.name.job - 1]
        return own if own >= 0 else None
    known = {step for step in steps if step >= 0}
    return known.pop() if len(known) == 1 else None


def found_of(
    logs: Sequence[FoundLog], run: Found | None, step: int, *, us_latency: bool
) -> Found:
    """Make what the logs of one run say, on the clock of the run.

    Several jobs have a channel each, and their sum where it is one of rates: rates are
    added, means of latencies are not.

    Args:
        logs: Logs of one step; all count from the same moment.
        run: The run, None where it is not there.
        step: The step of it that they are of.
        us_latency: Whether latencies are in us, as before 2.99.

    Raises:
        BadInput: A log is not of that run: other directions, or much longer, or of
            more I/Os than it did.
    """
    axis = _axis_of(logs, run, step)
    options = run.steps[step].options if run is not None else {}
    traces = [
        replace(one, starts=one.starts + axis.shift_ns, ends=one.ends + axis.shift_ns)
        for one in _traces(logs, options, axis.end_ms, us_latency=us_latency)
    ]
    remarks = axis.remarks
    if any(log.log.is_averaged and log.period_ms(options) is None for log in logs):
        remarks += (_NO_PERIOD,)
    return Found(
        path=logs[0].path,
        kind=KIND,
        engine="fio",
        section="load",
        clock=axis.clock,
        extent=(
            min(int(trace.starts[0]) for trace in traces),
            max(int(trace.ends[-1]) for trace in traces),
        ),
        maker="fio",
        model="logs",
        version=run.version if run else "",
        traces=tuple(traces),
        remarks=remarks,
        run_path=run.path if run else None,
        more_paths=tuple(log.path for log in logs[1:]),
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where the times of logs are."""

    clock: FileClock
    shift_ns: int = 0  # what is added to their times
    end_ms: int | None = None  # when the load ended, None where nothing tells
    remarks: tuple[str, ...] = ()


def _axis_of(logs: Sequence[FoundLog], run: Found | None, step: int) -> _Axis:
    if run is not None:
        _check_counts(logs, run, run.steps[step])
    if logs[0].log.has_epoch:
        return _Axis(FileClock(Clock.WALL, 2 * MS, "fio's log_unix_epoch"))
    if run is None:
        return _Axis(FileClock(Clock.OWN, MS, "time since the start of the job"))
    own = run.steps[step]
    _check(logs, run, own)
    start, end = own.window or (own.start_ns, own.start_ns)
    how = f"start of its run according to {run.path.name}"
    clock = FileClock(run.clock.kind, run.clock.spread_ns + MS, how)
    if agrees(logs, own):
        return _Axis(clock, start, (end - start) // MS)
    return _Axis(clock, start, remarks=(_OTHER,))


def _traces(
    logs: Sequence[FoundLog],
    options: Mapping[str, str],
    end_ms: int | None,
    *,
    us_latency: bool,
) -> list[FoundTrace]:
    """Make the traces of each job, and their sums over the jobs."""
    folder = Path(os.path.commonpath([log.folder for log in logs]))
    jobs: dict[str, list[FoundLog]] = {}
    for log in logs:
        jobs.setdefault(_location(log, folder), []).append(log)
    moments = {
        job: io_moments([(log.name.kind, log.log) for log in own])
        for job, own in jobs.items()
    }
    traces: list[FoundTrace] = []
    for log in logs:
        job = _location(log, folder)
        traces += windows_of(
            log.log,
            log.name.kind,
            location=job if len(jobs) > 1 else "",
            us_latency=us_latency,
            end_ms=end_ms,
            period_ms=log.period_ms(options),
            moments=moments[job],
        )
    return traces + total_traces(traces) if len(jobs) > 1 else traces


def agrees(logs: Sequence[FoundLog], step: FoundStep) -> bool:
    """Whether logs tell of as much time and of as many I/Os as a step of a run.

    fio loses the window at the end of a log, and cuts each row to a whole number.
    """
    start, end = step.window or (0, 0)
    whole = end - start
    for log, trace in _unplaced(logs, step):
        lost = 2 * trace.period_ns + _CLOSE * whole
        last = int(trace.ends[-1] - (trace.starts[0] if log.log.has_epoch else 0))
        if not whole - lost <= last <= whole + lost + _LATE_NS:
            return False
    return all(
        (1 - _CLOSE) * run - lost - slack <= count <= (1 + _CLOSE) * run
        for run, count, lost, slack in _counts(logs, step).values()
    )


def _unplaced(
    logs: Sequence[FoundLog], step: FoundStep
) -> Iterator[tuple[FoundLog, FoundTrace]]:
    for log in logs:
        for trace in windows_of(
            log.log,
            log.name.kind,
            location="",
            us_latency=False,
            end_ms=None,
            period_ms=log.period_ms(step.options),
        ):
            yield log, trace


def _counts(
    logs: Sequence[FoundLog], step: FoundStep
) -> dict[str, tuple[float, float, float, float]]:
    """Count what a run and its logs tell of, by quantity: I/Os, or bytes.

    Returns:
        What the run did, what is in its logs, what two windows of it are, and what
        fio cut from the rows.
    """
    start, end = step.window or (0, 0)
    whole = end - start
    counts: dict[str, tuple[float, float, float, float]] = {}
    for _, trace in _unplaced(logs, step):
        name, unit, _ = trace.quantities[0]
        direction, kind = name.split("_")
        result, factor = _RESULTS.get(kind, ("", 1.0))
        told = step.values.get(f"{direction}_{result}")
        if told is None or whole <= 0:
            continue
        run = told.value * factor * whole / SECOND
        _, count, _, slack = counts.get(name, (0.0, 0.0, 0.0, 0.0))
        rows_s = (trace.ends - trace.starts) / SECOND
        count += float(trace.values[:, 0] @ rows_s)
        slack += float(rows_s.sum()) * (KIB if unit == "B/s" else 1)
        lost = run * min(1.0, 2 * trace.period_ns / whole)
        counts[name] = run, count, lost, slack
    return counts


def _check_counts(logs: Sequence[FoundLog], run: Found, step: FoundStep) -> None:
    """Refuse logs that tell of more than their run did; of some jobs they tell less."""
    for name, (did, count, lost, slack) in _counts(logs, step).items():
        if count > (1 + _CLOSE) * did + lost + slack:
            raise BadInput(
                f"it tells {name} of {count:.3g} in all, and {run.path.name} of "
                f"{did:.3g}: it is of another run, or over what its rows are averaged "
                "is not known",
                where=str(logs[0].path),
                way_out="Exclude them, or import them with the JSON of their run.",
            )


def _check(logs: Sequence[FoundLog], run: Found, step: FoundStep) -> None:
    """Refuse logs that another run wrote over those of this one."""
    # A rate that fio cut has a note in place of a value.
    names = (*step.values, *step.notes)
    did = {n.removesuffix("_iops") for n in names if n.endswith("_iops")}
    start, end = step.window or (0, 0)
    longest = (end - start) // MS
    for log in logs:
        other = {DIRECTIONS[int(n)] for n in np.unique(log.log.directions)} - did
        what = ""
        if did and other:
            what = f"it has rows of {min(other)}, and the run did only {_and(did)}"
        elif log.extent_ms[1] > 1.05 * longest + 2000:
            seconds = log.extent_ms[1] / 1000
            what = f"it is {seconds:.0f} s long, and the run {longest / 1000:.0f} s"
        if what:
            raise BadInput(
                f"{what}: it is of another run than {run.path.name}",
                where=str(log.path),
                way_out="Exclude one of them; fio overwrites the logs of an older run.",
            )


def _and(names: set[str]) -> str:
    return " and ".join(sorted(names))


def _location(log: FoundLog, folder: Path) -> str:
    """Name the job of a log, and its host: by its name, or its folder within one."""
    parts = (
        f"job{log.name.job}",
        log.name.host,
        *log.folder.relative_to(folder).parts,
    )
    return "-".join(re.sub(r"[^\w-]", "-", part) for part in parts if part)
