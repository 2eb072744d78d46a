"""fio's logs beside the run they belong to: placed, added up over jobs, checked."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.record.imports.fio_windows import io_moments, sums_of, windows_of
from app.record.imports.found import MS, Clock, FileClock, Found, FoundStep, FoundTrace
from instruments.errors import BadInput
from workloads.fio_logs import DIRECTIONS, KINDS, Log, LogName, log_name, read_log

KIND = "fio log"


@dataclass(frozen=True, slots=True)
class FoundLog:
    """One log file, before it is known which run it is of.

    Attributes:
        path: The file.
        name: What its name says.
        log: Its rows.
    """

    path: Path
    name: LogName
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


def read_found_log(path: Path, content: bytes) -> FoundLog:
    """Read a log file.

    Raises:
        BadInput: Its name does not say what it is, or a row is damaged.
    """
    name = log_name(path)
    if name is None:
        raise BadInput(
            "it looks like a log of fio, and its name does not say of what",
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
        BadInput: A log is not of that run: other directions, or much longer.
    """
    shift, end_ms = 0, None
    clock = FileClock(Clock.OWN, MS, "time since the start of the job")
    has_epoch = logs[0].log.has_epoch
    if has_epoch:
        clock = FileClock(Clock.WALL, 2 * MS, "fio's log_unix_epoch")
    elif run is not None:
        own = run.steps[step]
        _check(logs, run, own)
        start, end = own.window or (own.start_ns, own.start_ns)
        shift, end_ms = start, (end - start) // MS
        how = f"start of its run as {run.path.name} tells it"
        clock = FileClock(run.clock.kind, run.clock.spread_ns + MS, how)
    folder = Path(os.path.commonpath([log.folder for log in logs]))
    traces: list[FoundTrace] = []
    jobs: dict[str, list[tuple[str, Log]]] = {}
    for log in logs:
        jobs.setdefault(_location(log, folder), []).append((log.name.kind, log.log))
    many = len(jobs) > 1
    moments = {job: io_moments(own) for job, own in jobs.items()}
    for log in logs:
        place = _location(log, folder) if many else ""
        traces += windows_of(
            log.log,
            log.name.kind,
            location=place,
            us_latency=us_latency,
            end_ms=end_ms,
            moments=moments[_location(log, folder)],
        )
    if many:
        traces += sums_of(traces)
    traces = [_shifted(trace, shift) for trace in traces]
    return Found(
        path=logs[0].path,
        kind=KIND,
        engine="fio",
        section="load",
        clock=clock,
        extent=(
            min(int(trace.starts[0]) for trace in traces),
            max(int(trace.ends[-1]) for trace in traces),
        ),
        maker="fio",
        model="logs",
        version=run.version if run else "",
        traces=tuple(traces),
        run_path=run.path if run else None,
        more_paths=tuple(log.path for log in logs[1:]),
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
                way_out="Leave one of them out; fio writes over logs of an older run.",
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


def _shifted(trace: FoundTrace, shift: int) -> FoundTrace:
    return FoundTrace(
        trace.quantities,
        trace.period_ns,
        trace.window_ns,
        trace.starts + shift,
        trace.ends + shift,
        trace.values,
    )
