"""The results of fio's jobs that ran at the same time, by the names of report_table."""

import errno
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from instruments.metric import (
    BOTH,
    PERCENTILES,
    READ,
    WRITE,
    mean_name,
    percentile_name,
)
from instruments.sizes import counted
from workloads.base import Measured
from workloads.fio.faults import DEVICE_ERRORS
from workloads.fio.output import Counters, latencies, together, within
from workloads.fio.read.side import Side
from workloads.fio.read.versions import KILLED, NO_RESULT, UNTIMED, Job

_IN_TABLE = ("read", "write", "mixed")
_RATES = ("iops", "bandwidth_mb_s")
_READ_BACK = (
    "not added up: fio first wrote and then read it back to verify it, each in its own "
    "time"
)
_MOST_CUT = 0.01
"""Share of a rate that may be unknown, since fio rounds what it prints."""

_MOST_APART = 0.01
"""Share of a run by which its jobs may begin one after the other."""

_Bounds = tuple[float, ...]
_TOLD = {
    NO_RESULT: "it was started and has no result",
    UNTIMED: "it did I/Os without a time for them: it crashed, or took under 1 ms",
    KILLED: "one of its processes was killed by a signal",
    errno.EILSEQ: "what it read is not what was written (fio's verification)",
}
_UNWEIGHED = "I/Os are not counted, so latencies of several kinds cannot be weighted"
_NO_PERCENTILE = "percentiles of several jobs or directions cannot be combined"
_LONGEST = 120
"""Characters of a job's name that are shown."""


def results_of(
    jobs: Sequence[Job], origin: str
) -> tuple[dict[str, Measured], dict[str, str]]:
    """Add up jobs from their counters and bins.

    IOPS is read plus write, MB is 10**6 bytes. Percentiles come from summed bins, or
    from fio itself where there is only one side: they are never averaged. None is above
    the longest I/O, as the value of its bucket may be.

    Returns:
        The values, and what is to be known of each or why there is none, by name.
    """
    results: dict[str, Measured] = {}
    notes: dict[str, str] = {}

    def put(name: str, value: float | None, unit: str, why_not: str = "") -> None:
        if why_not:
            notes[name] = why_not
        elif value is not None and math.isfinite(value):
            results[name] = Measured(value, unit, origin)

    def put_rates(iops: str, bandwidth: str, of: Sequence[Side]) -> None:
        least, most, narrow, wide = _bounds(of)
        put(iops, least, "1/s", _cut(least, most, "1/s"))
        put(bandwidth, narrow / 1e6, "MB/s", _cut(narrow, wide, "B/s"))

    def put_latencies(of: str, sides: Sequence[Side]) -> None:
        # With disable_lat there are percentiles of completion and no mean.
        timed = [s for s in sides if s.counters.latency_n or s.percentiles_ns]
        whole = together([side.counters for side in timed])
        has_bins = all(side.counters.bins for side in timed)
        known = latencies(whole if has_bins else replace(whole, bins={}), of)
        for name, value_ms in known.items():
            put(
                name, value_ms, "ms", _unweighed(timed) if name == mean_name(of) else ""
            )
        for percent in () if has_bins else PERCENTILES:
            name, one = percentile_name(of, percent), timed[0]
            value_ns = one.percentiles_ns.get(percent)
            if len(timed) > 1:
                is_told = any(percent in side.percentiles_ns for side in timed)
                put(name, None, "ms", _NO_PERCENTILE if is_told else "")
            elif value_ns is not None:
                put(name, within(one.counters, value_ns) / 1e6, "ms")
                if one.step_ns > _MOST_CUT * value_ns:
                    notes[name] = (
                        f"fio reported it in steps of {one.step_ns / 1e6:g} ms"
                    )

    sides: list[Side] = []
    for direction, own in _by_direction(jobs).items():
        if direction != "mixed":
            put_rates(f"{direction}_iops", f"{direction}_mb_s", own)
            put_latencies(direction, own)
        if direction in _IN_TABLE:
            sides += own
    if not sides:
        return results, notes
    is_verified = any(map(_reads_back, jobs))
    if is_verified:
        notes |= dict.fromkeys((*_RATES, mean_name(BOTH)), _READ_BACK)
    else:
        put_rates(*_RATES, sides)
        put_latencies(BOTH, sides)
    if all("direct" in job.options for job in jobs):
        buffered = any(job.options["direct"] in ("0", "false") for job in jobs)
        results["buffered"] = Measured(float(buffered), "", "direct")
    return results, notes | ({} if is_verified else _unequal(jobs, sides, results))


def _reads_back(job: Job) -> bool:
    """Whether a job read what it wrote once that was written, to verify it."""
    is_asked = job.options.get("verify", "0") not in ("0", "none")
    is_done = job.options.get("do_verify", "1") not in ("0", "false")
    return is_asked and is_done and {READ, WRITE} <= job.sides.keys()


def _unweighed(sides: Sequence[Side]) -> str:
    """Say why there is no mean latency, where counts are cut and latencies differ."""
    counts = [side.counters for side in sides if side.counters.latency_n]
    means = [count.latency_sum_ns / count.latency_n for count in counts]
    is_close = max(means) - min(means) <= _MOST_CUT * max(means)
    return "" if is_close or not any(map(_is_cut, sides)) else _UNWEIGHED


def _unequal(
    jobs: Sequence[Job], sides: Sequence[Side], found: Mapping[str, Measured]
) -> dict[str, str]:
    """Say where jobs did not run at the same time, and what their rates add up to."""
    parts = [(s.counters, s.counters.runtime_ms / 1000) for s in sides]
    lengths = [seconds for _, seconds in parts]
    how = f"sum over jobs of {min(lengths):g} to {max(lengths):g} s"
    apart_s = _apart_s(jobs)
    is_apart = apart_s > _MOST_APART * max(lengths)
    if is_apart:
        how += f" that began up to {apart_s:g} s apart"
    own = {
        "iops": sum(counts.ios / seconds for counts, seconds in parts),
        "bandwidth_mb_s": sum(c.bytes_ / seconds for c, seconds in parts) / 1e6,
    }
    return {
        name: f"{how}, by the longest time; their own rates add up to "
        f"{rate:.6g} {found[name].unit}"
        for name, rate in own.items()
        if name in found
        and (is_apart or abs(rate - found[name].value) > _MOST_CUT * rate)
    }


def _apart_s(jobs: Sequence[Job]) -> float:
    """Get how long after the first the last of the jobs that did something began."""
    starts = [job.start_ms for job in jobs if job.start_ms is not None and job.sides]
    return (max(starts) - min(starts)) / 1000 if starts else 0.0


def _bounds(sides: Sequence[Side]) -> _Bounds:
    """Get least and most IOPS, and least and most bytes a second."""
    counts = together([side.counters for side in sides])
    seconds = counts.runtime_ms / 1000
    most = counts.ios + sum(side.slack for side in sides)
    widest = counts.bytes_ + sum(side.slack_bytes for side in sides)
    amounts = (counts.ios, most, counts.bytes_, widest)
    return tuple(amount / seconds for amount in amounts)


def _cut(least: float, most: float, unit: str) -> str:
    """Say within which a rate is, where that is too wide for a value."""
    if most - least <= _MOST_CUT * least:
        return ""
    return f"fio's figures only give a range: {least:.6g} to {most:.6g} {unit}"


def _is_cut(side: Side) -> bool:
    return side.slack > _MOST_CUT * side.counters.ios


def _by_direction(jobs: Sequence[Job]) -> dict[str, list[Side]]:
    found: dict[str, list[Side]] = {}
    for job in jobs:
        for direction, side in job.sides.items():
            found.setdefault(direction, []).append(side)
    return found


def sums(jobs: Sequence[Job]) -> dict[str, Counters]:
    """Add up the counters of jobs that ran at the same time, by direction."""
    sides = _by_direction(jobs)
    return {d: together([side.counters for side in own]) for d, own in sides.items()}


def histograms_of(jobs: Sequence[Job]) -> dict[str, Counters]:
    """Add up the counters of jobs, by direction; nothing where a histogram lacks.

    Only fio's json+ has them, of completion latency unless that was turned off.
    """
    found = {d: one for d, one in sums(jobs).items() if d in (READ, WRITE)}
    timed = [
        side
        for job in jobs
        for direction, side in job.sides.items()
        if direction in _IN_TABLE and side.counters.latency_n
    ]
    is_whole = all(side.counters.bins for side in timed)
    is_total = any(
        job.options.get("clat_percentiles") in ("0", "false") for job in jobs
    )
    is_mixed = any("mixed" in job.sides for job in jobs)
    return found if timed and is_whole and not (is_total or is_mixed) else {}


def fault_of(jobs: Sequence[Job]) -> tuple[str, str]:
    """Tell what failed, and a sentence, by the rule of `workloads.fio.faults.judged`.

    It is "FAIL" where all errors are those of devices, and "ERROR" else.
    """
    failed = [job for job in jobs if job.error]
    if not failed:
        return "", ""
    own = [job for job in failed if job.error not in DEVICE_ERRORS]
    first = (own or failed)[0]
    place = f" on {first.host}" if first.host else ""
    others = len(failed) - 1
    more = f", and {counted(others, 'more job')} failed" if others else ""
    told = _TOLD.get(first.error) or os.strerror(first.error % 2**31)
    return "ERROR" if own else "FAIL", f"job {_shown(first.name)}{place}: {told}{more}"


def options_of(jobs: Sequence[Job]) -> Mapping[str, str]:
    """Get the options that all jobs have in common."""
    first = dict(jobs[0].options)
    for job in jobs[1:]:
        first = {k: v for k, v in first.items() if job.options.get(k) == v}
    return first


def label_of(jobs: Sequence[Job]) -> str:
    """Name a step by its jobs."""
    names = list(dict.fromkeys(_shown(job.name) for job in jobs))
    return names[0] if len(names) == 1 else f"{names[0]} .. {names[-1]}"


def _shown(name: str) -> str:
    """Make a name fit to be shown."""
    text = "".join(mark if mark.isprintable() else "\ufffd" for mark in name)
    return text[:_LONGEST] or "job"
