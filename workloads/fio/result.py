"""What a fio that has ended leaves behind: its outcome, its values, its outputs."""

from collections.abc import Sequence
from dataclasses import dataclass

from instruments.reading import SECOND
from workloads.base import Artefact, LoadResult, Measured
from workloads.command_line import kept_line
from workloads.fio.faults import Ended, judged
from workloads.fio.fine import FineLog
from workloads.fio.live import Counted
from workloads.fio.steady import FioSteadyState, fio_steady_states
from workloads.fio.table import OUTPUT, device_table, device_values, table_values
from workloads.fio_job import FioJob

APART_S = 1.0
"""So far apart, two documents of fio, jobs may seem to begin that began at once."""


@dataclass(frozen=True, slots=True)
class FioResult(LoadResult):
    """What a fio leaves behind.

    Attributes:
        logs: Its finer logs that join the record.
        counted: What its documents counted, from one to the next.
        steady: What fio itself says of a steady state, where it was asked.
    """

    logs: tuple[FineLog, ...] = ()
    counted: tuple[Counted, ...] = ()
    steady: tuple[FioSteadyState, ...] = ()


def fio_result(job: FioJob, ended: Ended) -> FioResult:
    """Judge a fio that has ended, and make its values and artefacts."""
    end = judged(job, ended)
    artefacts = [Artefact("job.fio", "text/plain", job.text().encode())]
    if ended.command:
        artefacts.append(kept_line(ended.command))
    artefacts.append(Artefact(OUTPUT, "application/zlib", ended.packed))
    if ended.messages:
        text = "\n".join(ended.messages).encode()
        artefacts.append(Artefact("fio-messages.txt", "text/plain", text))
    values: dict[str, Measured] = {}
    # Without a window there are counts of the ramp at most.
    if ended.document is not None and ended.window is not None:
        jobs = ended.document["jobs"]
        values = table_values(jobs, job.directions)
        if job.devices:
            values |= device_values(jobs, job)
            artefacts.append(device_table(jobs, job))
        values["buffered"] = Measured(float(not job.direct), "", "direct")
    steady = fio_steady_states(ended.document or {})
    return FioResult(
        end.cause.outcome,
        end.reason,
        ended.window,
        values,
        cause=end.cause,
        artefacts=tuple(artefacts),
        steady=tuple(steady),
        jobs=job.jobs,
        apart_s=ended.apart_s,
    )


def apart_warning(job: FioJob, ended: Ended) -> str:
    """Say that jobs began apart, and how much too high the rate may be; else ""."""
    if ended.window is None or not ended.apart_s or ended.apart_s <= APART_S:
        return ""
    seconds = (ended.window[1] - ended.window[0]) / SECOND
    share = ended.apart_s / (seconds + ended.apart_s)
    return (
        f"its {job.jobs} jobs began at least {ended.apart_s:.1f} s apart: fio counts "
        f"what some did after the {seconds:.1f} s of the window, about {share:.0%} of "
        "the rate"
    )


def notable(messages: Sequence[str]) -> list[str]:
    """Get the messages that are worth an event, without those of every run."""
    return [
        message.removeprefix("fio: ")
        for message in messages
        if not message.startswith("note:") and "terminating on signal" not in message
    ]
