"""Values of a load on several hosts: of each, and sums of counters and histograms.

fio has its own sum, the entry "All clients" of its client, which is never read:

- with --status-interval it is computed once, of the first interim results, and every
  interim result of every host stands beside the final ones: the client is never given
  that option, and entries count only by host and port;
- it has no histogram even in json+, and so no percentile of all hosts;
- it is not there when one host could not be reached, and says nothing of one that was
  lost in mid run: hosts are counted against those that were asked;
- two servers at one address differ by port only, so both are the key.

The rate of a host is its I/Os over its own time. Those of all are added up over the
time in which all of them measured: who begins later leaves the others more until then.
Percentiles come from summed histograms, never from percentiles.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from instruments.metric import BOTH, READ, WRITE
from instruments.sizes import counted
from workloads.base import Measured
from workloads.fio.output import counters, together
from workloads.fio.table import device_values, latency_values, table_values
from workloads.fio_job import FioJob
from workloads.hosts.host_logs import HostLogs

Jobs = Sequence[Mapping[str, Any]]
"""The entries of one host's jobs in a document of fio."""

Window = tuple[int, int]

Change = Callable[[str, str], float | None]
"""Of a host and a quantity such as "read_iops": its `change_of`."""

_RATES = (("iops", "iops", "1/s", "iops"), ("bandwidth_mb_s", "mb_s", "MB/s", "bw"))
"""Each rate, what it is called of a direction, its unit, and its name in logs."""


_LACKING, _LACKING_ROWS = 0.02, 2.5
"""Of a window a log may lack so much at its end, as a share, or so many rows as its
last one: fio loses the row that is not full. [judged]"""


def change_of(
    log: HostLogs | None, offset_ns: int, quantity: str, own: Window, common: Window
) -> float | None:
    """Get the rate of a host over the common window, as a share of that over its own.

    Args:
        log: What it counted, on its clock.
        offset_ns: What to add to its clock to have ours.
        quantity: Such as "read_bw"; where that was not logged, I/Os tell.
        own: The window of its own rate.
        common: That in which all hosts measured.

    Returns:
        None where that is not known, or its log breaks off before the end.
    """
    if own == common:
        return 1.0
    if log is None:
        return None
    until = log.end_ns + offset_ns
    tracks = log.tracks(quantity) or log.tracks(f"{quantity.partition('_')[0]}_iops")
    rows = [float(times[-1] - times[-2]) for times, _ in tracks if times.size > 1]
    least = _LACKING_ROWS * max(rows, default=0.0)
    for start, end in (own, common):
        if until <= start or end - until > max(_LACKING * (end - start), least):
            return None

    def rate(window: Window) -> float:
        edges = np.array([window[0], min(window[1], until)]) - offset_ns
        moved = sum(float(np.diff(np.interp(edges, *track))[0]) for track in tracks)
        return moved / float(edges[1] - edges[0])

    whole = rate(own)
    return rate(common) / whole if whole > 0 else None


def sum_values(
    by_host: Mapping[str, Jobs],
    directions: Sequence[str],
    origin: str,
    change: Change = lambda _host, _quantity: 1.0,
) -> dict[str, Measured]:
    """Get the results of all hosts together, and those of each as `iops.load1`.

    Args:
        by_host: The last entries of each host that came to its end.
        directions: Which of "read" and "write" the load does.
        origin: Where the entries of a host are kept, with "{host}" for its name.
        change: What becomes of the rates of each in the common window; there is no sum
            of those that it does not know.
    """
    if not by_host:
        return {}
    own = {name: table_values(jobs, directions) for name, jobs in by_host.items()}
    summed = f"sum of {counted(len(own), 'host')}, from counters and histograms"
    results = _sum_rates(own, directions, change)
    each = {
        d: together([counters(jobs, d) for jobs in by_host.values()])
        for d in (READ, WRITE)
    }
    for direction in directions:
        results |= latency_values(each[direction], direction, summed)
    results |= latency_values(together(list(each.values())), BOTH, summed)
    for name, values in own.items():
        place = origin.format(host=name)
        results |= {
            f"{key}.{name}": replace(one, origin=place) for key, one in values.items()
        }
    return results


def _sum_rates(
    own: Mapping[str, Mapping[str, Measured]],
    directions: Sequence[str],
    change: Change,
) -> dict[str, Measured]:
    """Sum rates of all hosts, of each direction and of both; see `sum_values`."""
    results: dict[str, Measured] = {}
    common = f"sum of {counted(len(own), 'host')}, over the window that they share"
    for whole, kind, unit, log in _RATES:
        rates = [
            _in_common(own, f"{one}_{kind}", f"{one}_{log}", change)
            for one in directions
        ]
        present = [rate for rate in rates if rate is not None]
        for direction, rate in zip(directions, rates, strict=True):
            if rate is not None:
                results[f"{direction}_{kind}"] = Measured(rate, unit, common)
        if len(present) == len(rates):
            results[whole] = Measured(sum(present), unit, common)
    return results


def _in_common(
    own: Mapping[str, Mapping[str, Measured]], key: str, quantity: str, change: Change
) -> float | None:
    total = 0.0
    for host, values in own.items():
        rate = values[key].value
        share = change(host, quantity) if rate else 0.0
        if share is None:
            return None
        total += rate * share
    return total


def values_of_devices(
    host: str, jobs: Jobs, job: FioJob, origin: str
) -> dict[str, Measured]:
    """Get the results of each device of a host, such as `iops.load1.dev03`."""
    if not job.devices:
        return {}
    results = {}
    for key, one in device_values(jobs, job, origin).items():
        quantity, _, device = key.partition(".")
        results[f"{quantity}.{host}.{device}"] = one
    return results
