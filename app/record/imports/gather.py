"""All files of an import together: logs find their runs and replace their traces."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.record.imports.answers import Answers
from app.record.imports.fio_logs import FoundLog, agrees, found_of, step_of
from app.record.imports.found import Clock, Found, FoundTrace
from app.record.imports.recognise import Read
from instruments.errors import BadInput

_VERSION = re.compile(r"(?:fio[- ])?v?(\d{1,18})\.(\d{1,18})(?!\d)")
_NANOSECONDS_SINCE = (2, 99)


@dataclass(frozen=True, slots=True)
class LogGroup:
    """Logs that count from the same moment."""

    logs: tuple[FoundLog, ...]
    run: Found | None  # the run they are of, None where it is not there
    step: int  # which of its steps

    @property
    def asks_version(self) -> bool:
        """Whether the unit of a log is not known without its version of fio."""
        if all(log.knows_unit for log in self.logs):
            return False
        return self.run is None or is_microseconds(self.run.version) is None


def is_microseconds(version: str) -> bool | None:
    """Tell from a version whether logs hold latencies in us; None where it does not."""
    found = _VERSION.match(version.strip())
    if found is None:
        return None
    return (int(found[1]), int(found[2])) < _NANOSECONDS_SINCE


def log_groups(reads: Sequence[Read]) -> list[LogGroup]:
    """Put logs to the runs that were told to write them."""
    runs = [read.found for read in reads if isinstance(read.found, Found)]
    groups: dict[tuple[int, int, str, bool], list[FoundLog]] = {}
    beside: dict[tuple[int, int, str, bool], list[FoundLog]] = {}
    for read in reads:
        if not isinstance(read.found, FoundLog):
            continue
        log, has_epoch = read.found, read.found.log.has_epoch
        owners = _owners(log, runs)
        name = str(log.path.parent / log.name.run)
        if len(owners) == 1:
            groups.setdefault((*owners[0], "", has_epoch), []).append(log)
        elif only := _only_run(log, runs):
            beside.setdefault((*only[0], name, has_epoch), []).append(log)
        else:
            groups.setdefault((-1, 0, name, has_epoch), []).append(log)
    for key, logs in beside.items():
        number, step, name, has_epoch = key
        is_of_it = agrees(logs, runs[number].steps[step])
        stray = (-1, 0, name, has_epoch)
        groups.setdefault(key if is_of_it else stray, []).extend(logs)
    return [
        LogGroup(tuple(logs), runs[key[0]] if key[0] >= 0 else None, key[1])
        for key, logs in groups.items()
    ]


def _owners(log: FoundLog, runs: Sequence[Found]) -> list[tuple[int, int]]:
    """Find the runs, and their steps, that were told to write a log of this name."""
    owners = [
        (number, step)
        for number, run in enumerate(runs)
        if (step := step_of(log, run)) is not None
    ]
    if len(owners) > 1:  # Hosts write logs of the same name.
        owners = [one for one in owners if runs[one[0]].folder == log.folder]
    return owners


def _only_run(log: FoundLog, runs: Sequence[Found]) -> list[tuple[int, int]]:
    """Get the run beside a log that does not tell its logs, and the only one there."""
    beside = [
        (number, run)
        for number, run in enumerate(runs)
        if run.engine == "fio" and run.folder == log.folder
    ]
    return [
        (number, 0)
        for number, run in beside
        if len(beside) == len(run.steps) == 1 and not run.steps[0].options
    ]


def gather(reads: Sequence[Read], answers: Answers) -> list[Found]:
    """Get what all files say, with the logs on the clocks of their runs.

    Raises:
        BadInput: A log is of another run, or its unit has to be said.
    """
    runs = [read.found for read in reads if isinstance(read.found, Found)]
    made: list[tuple[Found | None, Found]] = []
    for group in log_groups(reads):
        us_latency = _is_us_latency(group, answers)
        logs = found_of(group.logs, group.run, group.step, us_latency=us_latency)
        made.append((group.run, logs))
    return [*(_beside_logs(run, made) for run in runs), *(logs for _, logs in made)]


def _beside_logs(run: Found, made: Sequence[tuple[Found | None, Found]]) -> Found:
    """Leave out of a run what its logs tell: a run of several steps has as many."""
    left = run
    for owner, logs in made:
        if owner is run:
            left = _without(left, logs)
    return left


def _is_us_latency(group: LogGroup, answers: Answers) -> bool:
    for version in (group.run.version if group.run else "", answers.fio_version):
        is_us = is_microseconds(version)
        if is_us is not None:
            return is_us
    if group.asks_version:
        raise version_missing(next(log for log in group.logs if not log.knows_unit))
    return False


def version_missing(log: FoundLog) -> BadInput:
    """Make the sentence that asks for the version of fio."""
    return BadInput(
        "its latencies are in us or ns, depending on the version of fio that wrote it",
        where=str(log.path),
        way_out="Import the JSON of its run with it, or set --fio-version.",
    )


def _without(run: Found, logs: Found) -> Found:
    """Leave out of a run's own traces what its logs tell in finer steps."""
    if run.clock.kind is not logs.clock.kind and logs.clock.kind is not Clock.WALL:
        return run
    finer = {quantity for trace in logs.traces for quantity in trace.quantities}
    first, last = logs.extent
    traces: list[FoundTrace] = []
    for trace in run.traces:
        outside = (trace.ends <= first) | (trace.starts >= last)
        for is_finer, rows in ((False, np.ones_like(outside)), (True, outside)):
            own = [
                n for n, q in enumerate(trace.quantities) if (q in finer) is is_finer
            ]
            if own and rows.any():
                traces.append(_part(trace, own, rows))
    return replace(run, traces=tuple(traces))


def _part(trace: FoundTrace, columns: list[int], rows: np.ndarray) -> FoundTrace:
    return replace(
        trace,
        quantities=tuple(trace.quantities[n] for n in columns),
        starts=trace.starts[rows],
        ends=trace.ends[rows],
        values=trace.values[rows][:, columns],
    )
