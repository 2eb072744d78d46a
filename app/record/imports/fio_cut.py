"""What tells that a phase of a run of fio was cut short, so that it is not DONE."""

from collections.abc import Sequence

from app.record.imports.fio_runs import Phase, Run, seconds_of
from workloads.fio.read.versions import Job

_LATE = 0.9
"""Share of its runtime that a job ran at the least which ran to its end. Judged."""

_LATE_S = 1.0
"""What it may lack in any case: fio looks at its clock between I/Os."""

_ENDS_EARLY = (
    "exitall",
    "exit_what",
    "exitall_on_error",
    "steadystate",
    "ss",
    "number_ios",
)
"""Options by which jobs end before their time, of their own or all of a run."""

_NEVER = 2**31 - 1
"""What fio tells of the time to its end where it does not know it."""


def cut_of(run: Run, phase: Phase) -> str:
    """Tell by what a phase was cut short; "" where nothing tells of it.

    A signal ended the last phase that did anything, and those that did not begin. Of
    groups of which it is not told when they ran it may have been any.
    """
    signal = max(document.signal for document in run.documents)
    if signal and (not run.is_order_told or not _is_followed(run, phase)):
        return f"fio was ended by signal {signal} before it was done"
    jobs = [run.last.jobs[number] for number in phase.jobs]
    if any(job.eta_s and job.eta_s != _NEVER for job in jobs):
        return "fio's last document was made while it ran, it told no end"
    if any(option in job.options for job in run.last.jobs for option in _ENDS_EARLY):
        return ""
    return next(filter(None, map(_shortfall, jobs)), "")


def _is_followed(run: Run, phase: Phase) -> bool:
    """Whether a later phase did anything."""
    later: Sequence[Phase] = run.phases[run.phases.index(phase) + 1 :]
    return any(one.runtime_ms for one in later)


def _shortfall(job: Job) -> str:
    """Say how long a job ran that was to run for a certain time."""
    # What ended without I/O or with an error is another fault.
    if job.options.get("time_based", "0") in ("0", "false") or not job.runtime_ms:
        return ""
    told = seconds_of(job, "runtime") or seconds_of(job, "timeout")
    ran = job.runtime_ms / 1000
    if job.error or ran >= min(_LATE * told, told - _LATE_S):
        return ""
    return f"it ran for {ran:.1f} s of the {told:g} s that it was to run"
