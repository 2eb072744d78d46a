"""fio's results of any version and form: runs become steps, interim ones traces."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.record.imports.fio_runs import (
    ETA_UNKNOWN,
    SHARE_RUN,
    Phase,
    Run,
    may_end_early,
    runs_of,
    starts_of,
    told_s,
)
from app.record.imports.fio_values import (
    fault_of,
    histograms_of,
    label_of,
    options_of,
    results_of,
    sums,
)
from app.record.imports.found import (
    MS,
    Clock,
    FileClock,
    Found,
    FoundStep,
    FoundTrace,
)
from instruments.errors import BadInput
from instruments.reading import SECOND
from workloads.fio.output import ZERO, Counters, rates
from workloads.fio.read import terse as fio_terse
from workloads.fio.read import text as fio_text
from workloads.fio.read.versions import Document, Job, clones_of, read_documents

_LATE_S = 1.0
"""What it may lack in any case: fio looks at its clock between I/Os."""


def cut_of(run: Run, phase: Phase) -> str:
    """Tell by what a phase was cut short; "" where nothing tells of it.

    A signal ended the last phase that did anything, and those that did not begin. Of
    groups of which it is not told when they ran it may have been any.
    """
    signal = max(document.signal for document in run.documents)
    if signal and (not run.is_order_told or not _is_followed(run, phase)):
        return f"fio was ended by signal {signal} before it was done"
    jobs = [run.last.jobs[number] for number in phase.jobs]
    if any(job.eta_s and job.eta_s != ETA_UNKNOWN for job in jobs):
        return "fio's last document was written while it ran, the end is missing"
    if may_end_early(run.last.jobs):
        return ""
    return next(filter(None, map(_shortfall, jobs)), "")


def _is_followed(run: Run, phase: Phase) -> bool:
    """Whether a later phase did anything."""
    later: Sequence[Phase] = run.phases[run.phases.index(phase) + 1 :]
    return any(one.runtime_ms for one in later)


def _shortfall(job: Job) -> str:
    """Say how long a job ran that was to run for a certain time."""
    # What ended without I/O or with an error is another fault.
    told, ran = told_s(job), job.runtime_ms / 1000
    if not ran or job.error or ran >= min(SHARE_RUN * told, told - _LATE_S):
        return ""
    return f"it ran for {ran:.1f} s of the {told:g} s that it was to run"


_QUANTITIES = (("iops", "1/s"), ("bw", "B/s"), ("lat", "s"), ("p99", "s"))
_KEYS = ("jobs", "client_stats", "fio version")
_LOGS = ("write_bw_log", "write_iops_log", "write_lat_log", "write_hist_log")
_SHORTEST = 0.2
"""Documents closer than this share of what lies between two are not differenced: fio
reads its counters while jobs run, and they disagree over short times."""

_NO_LENGTH = (
    "it does not say how long it was to run, so a run that was cut short cannot "
    "be recognised where fio itself was killed"
)
_NO_ORDER = (
    "whether its groups ran at once or one after the other is unknown: its time is "
    "uncertain, and so is what was measured over it"
)
_KILLED = "one of its processes was killed by a signal"

_Fits = Callable[[str], bool]
_Read = Callable[[str, str, bool], Sequence[Document]]
_Names = Callable[[str, str], Sequence[str]]
_FORMS: Mapping[str, tuple[_Fits, _Read, _Names]] = {
    "JSON": (
        lambda text: any(f'"{key}"' in text for key in _KEYS),
        lambda text, name, rest: read_documents(text, name, keep_rest=rest),
        lambda _, __: (),
    ),
    "text": (
        fio_text.is_text,
        lambda text, name, _: fio_text.read_text(text, name),
        fio_text.names_in,
    ),
    "terse": (
        fio_terse.has_terse,
        lambda text, name, _: fio_terse.read_terse(text, name),
        fio_terse.names_in,
    ),
}
"""Forms of a result, the one that tells most first: how to know it, how to read it, and
how to get the names of all jobs that did something."""

_Row = tuple[int, int, float, float, float, float]


def is_fio(text: str) -> bool:
    """Whether a file has results of fio in any form."""
    return bool(_forms(text))


def _forms(text: str) -> list[str]:
    found = [form for form, (fits, *_) in _FORMS.items() if fits(text)]
    return found or ["text"] * fio_text.is_started(text)


def read_fio(path: Path, text: str, *, keep_rest: bool = False) -> Found:
    """Read a file of fio's results: of several forms the one that tells most.

    Raises:
        BadInput: There is none in it, or one is damaged; names the line. Or its forms
            tell of different runs.
    """
    form, *others = _forms(text)
    name = str(path)
    documents = _FORMS[form][1](text, name, keep_rest)
    done = Counter(job.name for d in documents for job in d.jobs if job.sides)
    for other in others:
        # Terse output of version 3 leaves out jobs that only trim.
        if Counter(_FORMS[other][2](text, name)) - done and not keep_rest:
            raise BadInput(
                f"its {other} has results that are not in its {form}",
                where=name,
                way_out="Import each from its own file.",
            )
    return found_of(path, form, documents)


def found_of(path: Path, form: str, documents: Sequence[Document]) -> Found:
    """Make what the documents of a file say; `form` is JSON, terse or text.

    Raises:
        BadInput: It is not to be told whether two documents are of one run.
    """
    runs = runs_of(documents, str(path))
    is_placed = all(run.is_placed for run in runs)
    if not is_placed:
        runs = _after_each_other(runs)
    phases = [(run, phase) for run in runs for phase in run.phases]
    spread_ms = max(phase.spread_ms for _, phase in phases)
    remarks = {
        "it has no times; runs are placed one after the other": not is_placed,
        _NO_LENGTH: form != "JSON",
        "it has no times of its groups; they are placed back to back": spread_ms > 1000,
    }
    last = runs[-1].last
    kind = Clock.LOCAL if last.is_local else Clock.WALL
    kind = kind if is_placed else Clock.OWN
    clock = FileClock(kind, round(spread_ms * MS), runs[0].method)
    steps = [_step(path, run, phase) for run, phase in phases]
    ends = [step.window[1] for step in steps if step.window]
    return Found(
        path=path,
        kind=f"fio {form}",
        engine="fio",
        section="load",
        clock=clock,
        extent=(min(s.start_ns for s in steps), max(ends, default=0)),
        maker="fio",
        model=form,
        version=last.version,
        steps=tuple(steps),
        traces=tuple(_traces(runs)),
        run_logs=_log_steps(runs),
        remarks=tuple(remark for remark, holds in remarks.items() if holds),
    )


def _after_each_other(runs: Sequence[Run]) -> list[Run]:
    """Place runs without a clock one after the other, from 0."""
    found, at = [], 0.0
    for run in runs:
        shift = at - (run.phases[0].start_ms - 1000 * run.phases[0].ramp_s)
        phases = tuple(replace(p, start_ms=p.start_ms + shift) for p in run.phases)
        found.append(Run(run.documents, phases, False, "no clock"))
        at = phases[-1].start_ms + phases[-1].runtime_ms
    return found


def _step(path: Path, run: Run, phase: Phase) -> FoundStep:
    jobs = [run.last.jobs[number] for number in phase.jobs]
    start = round(phase.start_ms * 1000) * 1000
    window = (start, start + phase.runtime_ms * MS) if phase.runtime_ms else None
    values, notes = results_of(jobs, f"{path.name}, last document")
    fault, reason = fault_of(jobs)
    cut = cut_of(run, phase)
    if fault:
        reason += f"; {cut}" if cut else ""
    elif any(document.is_killed for document in run.documents):
        # Its JSON has no error of it, and does not tell the processes of its jobs.
        fault, reason = "ERROR", _KILLED
    elif cut:
        fault, reason = "ABORTED", cut
    elif window is None:
        fault, reason = "ERROR", "it reports no measured I/O"
    if not run.is_order_told:
        reason = "; ".join(filter(None, (reason, _NO_ORDER)))
    return FoundStep(
        label=label_of(jobs),
        engine="fio",
        start_ns=start - round(phase.ramp_s * SECOND),
        window=window,
        values=values,
        options=options_of(jobs),
        ramp_s=phase.ramp_s,
        fault=fault,
        reason=reason,
        notes=notes,
        counted=histograms_of(jobs),
        hosts=len({job.host for job in jobs}),
    )


def _log_steps(runs: Sequence[Run]) -> dict[str, tuple[int, ...]]:
    """Tell which steps each log is of: by its name, for job 1, 2 and so on.

    fio numbers the logs by all jobs of the run, also where it reports groups.
    """
    steps: dict[str, tuple[int, ...]] = {}
    first = 0
    for run in runs:
        numbered = list(_logs_by_job(run, first))
        for name in {name for _, written in numbered for name in written}:
            steps[name] = tuple(s if name in w else -1 for s, w in numbered)
        first += len(run.phases)
    return steps


def _logs_by_job(run: Run, first: int) -> Iterator[tuple[int, frozenset[str]]]:
    """Give the step of each job, and the names of its logs; clones are jobs, too."""
    step_of = {n: first + k for k, p in enumerate(run.phases) for n in p.jobs}
    names = [job.name for job in run.last.jobs]
    for number, job in enumerate(run.last.jobs):
        written = frozenset(
            Path(job.options[key].replace("\\", "/")).name
            for key in _LOGS
            if job.options.get(key)
        )
        count = clones_of(job.options) if names.count(job.name) == 1 else 1
        yield from [(step_of[number], written)] * count


def _traces(runs: Sequence[Run]) -> Iterator[FoundTrace]:
    """Make traces of what happened between the documents of a run."""
    rows: dict[str, list[_Row]] = {}
    for run in runs:
        if len(run.documents) > 1 and run.is_placed and not run.last.is_local:
            for phase in run.phases:
                for direction, row in _changes(run.documents, phase):
                    rows.setdefault(direction, []).append(row)
    for direction, found in rows.items():
        found.sort()
        table = np.array(found, dtype=np.float64)
        starts = np.array([row[0] for row in found], dtype=np.int64)
        ends = np.array([row[1] for row in found], dtype=np.int64)
        period = max(MS, int(np.median(ends - starts)))
        quantities = tuple((f"{direction}_{q}", u, "") for q, u in _QUANTITIES)
        yield FoundTrace(quantities, period, period, starts, ends, table[:, 2:])


def _changes(documents: Sequence[Document], phase: Phase) -> Iterator[tuple[str, _Row]]:
    """Difference the documents; one that begins again at zero ends the ramp."""
    before: dict[str, Counters] = {}
    moments = [d.moment_ms for d in documents if d.moment_ms is not None]
    shortest_s = _SHORTEST * float(np.median(np.diff(moments))) / 1000
    ramp = starts_of(documents, phase.jobs, of_ramp=True)
    for document in documents:
        jobs = [document.jobs[number] for number in phase.jobs]
        now = sums(jobs)
        for direction, after in now.items():
            change = rates(_since(before.get(direction, ZERO), after, phase), after)
            before[direction] = after
            if change is None or change.seconds < shortest_s:
                continue
            end_ms = phase.start_ms + after.runtime_ms
            if phase.ramp_s > 0 and not after.latency_n:
                # In the ramp the runtime counts from the begin of the ramp.
                at_all = document.moment_ms or 0
                end_ms = min(ramp) + after.runtime_ms if ramp else at_all
            end = round(end_ms * 1000) * 1000
            start = end - round(change.seconds * SECOND)
            values = (change.iops, change.bandwidth, change.latency_s, change.p99_s)
            yield direction, (start, end, *values)


def _since(old: Counters, after: Counters, phase: Phase) -> Counters:
    """Get what is taken off: nothing where fio began to count again after its ramp."""
    is_ramp_over = phase.ramp_s > 0 and after.latency_n and not old.latency_n
    return ZERO if after.runtime_ms < old.runtime_ms or is_ramp_over else old
