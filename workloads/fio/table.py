"""The values of fio's last document: in sum by the names of report_table, by device."""

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from instruments.files.foreign_text import cell
from instruments.metric import BOTH, BY_DIRECTION, READ, WRITE
from workloads.base import Artefact, Measured
from workloads.fio.output import Counters, counters, latencies, together
from workloads.fio_job import FioJob

OUTPUT = "fio-output.json.zz"
"""The artefact with everything that fio printed, zlib-compressed."""


_ORIGIN = f"{OUTPUT}, last document"

_OF_A_DEVICE = tuple(metric.name for group in BY_DIRECTION.values() for metric in group)
"""Values that each of several devices has, in the order of their table."""

FAILED = "failed_after_s"
"""Seconds until the error of a device that failed; 0 where it never began."""

Job = Mapping[str, Any]


def table_values(jobs: Sequence[Job], directions: Sequence[str]) -> dict[str, Measured]:
    """Get the results of the jobs of a document, by the names of report_table.

    IOPS is read plus write, MB is 10**6 bytes; see `latencies`.
    """
    results: dict[str, Measured] = {}
    each = {way: counters(jobs, way) for way in (READ, WRITE)}
    total_iops = total_bytes = 0.0
    for direction, count in each.items():
        seconds = count.runtime_ms / 1000
        iops = count.ios / seconds if seconds else 0.0
        bandwidth = count.bytes_ / seconds if seconds else 0.0
        if direction in directions:
            results[f"{direction}_iops"] = Measured(iops, "1/s", _ORIGIN)
            results[f"{direction}_mb_s"] = Measured(bandwidth / 1e6, "MB/s", _ORIGIN)
            results |= latency_values(count, direction, _ORIGIN)
        total_iops += iops
        total_bytes += bandwidth
    results["iops"] = Measured(total_iops, "1/s", _ORIGIN)
    results["bandwidth_mb_s"] = Measured(total_bytes / 1e6, "MB/s", _ORIGIN)
    return results | latency_values(together(list(each.values())), BOTH, _ORIGIN)


def latency_values(counted: Counters, of: str, origin: str) -> dict[str, Measured]:
    """Get the latencies of `latencies` as results."""
    values = latencies(counted, of)
    return {name: Measured(value, "ms", origin) for name, value in values.items()}


def device_values(
    jobs: Sequence[Job], job: FioJob, source: str = _ORIGIN
) -> dict[str, Measured]:
    """Get the results of each device, such as "iops.dev07".

    One that failed has those of the time until its error, its origin says so, and
    "failed_after_s.dev07" is that time. `source` is where the entries are kept.
    """
    results: dict[str, Measured] = {}
    # Of one direction the sums say it all.
    excluded = ("read_", "write_") if len(job.directions) == 1 else ()
    quantities = [name for name in _OF_A_DEVICE if not name.startswith(excluded)]
    for name, values in _each(jobs, job).items():
        origin = f"{source}, job {name}"
        entries = _entries(jobs, name)
        if any(entry["error"] for entry in entries):
            seconds = _seconds(entries)
            results[f"{FAILED}.{name}"] = Measured(seconds, "s", origin)
            origin += f", {seconds:.1f} s until its error"
        for quantity in quantities:
            if quantity in values:
                results[f"{quantity}.{name}"] = replace(values[quantity], origin=origin)
    return results


def device_table(jobs: Sequence[Job], job: FioJob) -> Artefact:
    """Write the results of each device as a table, with its path and its error."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["device", "target", "error", "seconds", *_OF_A_DEVICE])
    for (name, values), target in zip(
        _each(jobs, job).items(), job.targets, strict=True
    ):
        entries = _entries(jobs, name)
        number = max((int(entry["error"]) for entry in entries), default=0)
        error = os.strerror(number) if number else ""
        shown = [values[q].value if q in values else "" for q in _OF_A_DEVICE]
        rows.writerow([cell(name), cell(str(target)), error, _seconds(entries), *shown])
    return Artefact("fio-devices.csv", "text/csv", text.getvalue().encode())


def _each(jobs: Sequence[Job], job: FioJob) -> dict[str, dict[str, Measured]]:
    return {
        name: table_values(_entries(jobs, name), job.directions) for name in job.devices
    }


def _entries(jobs: Sequence[Job], name: str) -> list[Job]:
    return [job for job in jobs if job["jobname"] == name]


def _seconds(jobs: Sequence[Job]) -> float:
    times = (job[d]["runtime"] for job in jobs for d in ("read", "write"))
    return max(times, default=0) / 1000
