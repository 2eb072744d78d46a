"""What fio on several hosts resulted in, made again from what the session kept."""

import zlib
from collections.abc import Mapping
from pathlib import Path

from instruments.files.foreign_text import MISSHAPEN
from instruments.tools.command import MOST_OUTPUT
from workloads.base import LoadOutcome, LoadResult
from workloads.fio.kept import last_document
from workloads.fio.table import OUTPUT as OUTPUT_OF_ONE
from workloads.fio_job import FioJob
from workloads.hosts.counts import LoadCounts, read_counts
from workloads.hosts.servers import OUTPUT, client_results
from workloads.hosts.sums import Jobs
from workloads.kept import Kept


def kept_result(kept: Kept) -> LoadResult:
    """Get the values of all hosts.

    Raises:
        ValueError: What was kept is damaged, or not as fio writes it.
    """
    counts = read_counts(kept.counts or {})
    try:
        found = _jobs(kept.outputs, counts)
        jobs = {name: counts.hosts[name].marked(own) for name, own in found.items()}
        of = {name: _job(own, kept.options) for name, own in jobs.items()}
        values = counts.values(jobs, of)
        side_by_side = sum(job.jobs for job in of.values())
    except MISSHAPEN as error:
        raise ValueError("it is damaged, or not as fio writes it") from error
    return LoadResult(LoadOutcome.DONE, values=values, jobs=max(1, side_by_side))


def _jobs(outputs: Mapping[str, bytes], counts: LoadCounts) -> dict[str, Jobs]:
    """Get the last entries of each host that came to its end."""
    jobs: dict[str, Jobs] = {}
    packed = outputs.get(OUTPUT)
    if packed is not None:
        text = zlib.decompressobj().decompress(packed, MOST_OUTPUT).decode("utf-8")
        entries = {
            f"{address}:{port}": own
            for (address, port), own in client_results(text).items()
        }
        servers = {name: one.server for name, one in counts.hosts.items()}
        return {name: entries[at] for name, at in servers.items() if at in entries}
    for name, host in counts.hosts.items():
        document = last_document(outputs.get(f"{name}-{OUTPUT_OF_ONE}", b""))
        if document is not None and host.ended and host.window is not None:
            jobs[name] = document["jobs"]
    return jobs


def _job(jobs: Jobs, options: Mapping[str, str]) -> FioJob:
    """Make of a job only what values depend on: its devices and directions."""
    names = dict.fromkeys(job["jobname"] for job in jobs)
    return FioJob("", tuple(map(Path, names)), 0, 0.0, 0.0, True, options)
