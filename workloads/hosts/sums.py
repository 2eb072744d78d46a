"""Values of a load on several hosts: of each, and sums of counters and histograms.

fio has a sum of its own, the entry "All clients" of its client, which is never read:

- with --status-interval it is computed once, of the first interim results, and every
  interim result of every host stands beside the final ones: the client is never given
  that option, and entries count only by host and port;
- it has no histogram even in json+, and so no percentile of all hosts;
- it is not there when one host could not be reached, and says nothing of one that was
  lost in mid run: hosts are counted against those that were asked;
- two servers at one address differ by port only, so both are the key.

A rate is each host's I/Os over its own time; percentiles come from summed histograms,
never from percentiles.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from instruments.metric import BOTH, BY_DIRECTION, READ, WRITE
from instruments.sizes import counted
from workloads.base import Measured
from workloads.fio.output import counters, together
from workloads.fio.table import device_values, latency_values, table_values
from workloads.fio_job import FioJob

Jobs = Sequence[Mapping[str, Any]]
"""The entries of one host's jobs in a document of fio."""

_RATES = [m.name for own in BY_DIRECTION.values() for m in own if m.is_rate]


def sum_values(
    by_host: Mapping[str, Jobs], directions: Sequence[str], origin: str
) -> dict[str, Measured]:
    """Get the results of all hosts together, and those of each as `iops.load1`.

    Args:
        by_host: The last entries of each host that came to its end.
        directions: Which of "read" and "write" the load does.
        origin: Where the entries of a host are kept, with "{host}" for its name.
    """
    if not by_host:
        return {}
    own = {name: table_values(jobs, directions) for name, jobs in by_host.items()}
    said = f"sum of {counted(len(own), 'host')}, from counters and histograms"
    found: dict[str, Measured] = {}
    for key in _RATES:
        parts = [values[key] for values in own.values() if key in values]
        if parts:
            total = sum(part.value for part in parts)
            found[key] = Measured(total, parts[0].unit, said)
    each = {
        d: together([counters(jobs, d) for jobs in by_host.values()])
        for d in (READ, WRITE)
    }
    for direction in directions:
        found |= latency_values(each[direction], direction, said)
    found |= latency_values(together(list(each.values())), BOTH, said)
    for name, values in own.items():
        place = origin.format(host=name)
        found |= {
            f"{key}.{name}": replace(one, origin=place) for key, one in values.items()
        }
    return found


def values_of_devices(
    host: str, jobs: Jobs, job: FioJob, origin: str
) -> dict[str, Measured]:
    """Get the results of each device of a host, such as `iops.load1.dev03`.

    Args:
        host: The name of the host.
        jobs: Its last entries.
        job: Its job; there are none unless each device has a job of its own.
        origin: Where the entries are kept; that of a device that failed says so.
    """
    if not job.devices:
        return {}
    found = {}
    for key, one in device_values(jobs, job, origin).items():
        quantity, _, device = key.partition(".")
        found[f"{quantity}.{host}.{device}"] = one
    return found
