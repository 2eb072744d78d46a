"""VDBench's averages and lines as values, and whether its results are whole."""

import math
from collections.abc import Mapping
from pathlib import Path

from instruments.reading import SECOND
from workloads.base import LoadOutcome, LoadResult, Measured
from workloads.kept import Kept
from workloads.vdbench.job import RD, VdbenchJob
from workloads.vdbench.output import MIB, Report, Row, flatfile_average


def table_values(
    average: Row, flat: Mapping[str, float] | None, job: VdbenchJob
) -> dict[str, Measured]:
    """Get the results of the averages, by the names of report_table.

    The flatfile has more digits than the report; it is taken where it has a value.
    MB is 10**6 bytes here and 1024*1024 there.
    """
    origin = f"flatfile.html, {RD}, avg_{average.first}-{average.last}"
    flat = flat or {}

    def best(name: str, printed: str) -> float:
        exact = flat.get(name, math.nan)
        return average.get(printed) if math.isnan(exact) else exact

    rate, mb = best("rate", "rate"), best("mb/sec", "mb")
    results = {
        "iops": Measured(rate, "1/s", origin),
        "bandwidth_mb_s": Measured(mb * MIB / 1e6, "MB/s", origin),
        "latency_mean_ms": Measured(best("resp", "resp"), "ms", origin),
        "latency_max_ms": Measured(flat.get("resp_max", math.nan), "ms", origin),
    }
    share = best("read%", "read_pct") / 100
    for direction, part in (("read", share), ("write", 1 - share)):
        if direction not in job.directions:
            continue
        exact = best(f"{direction}_rate", f"{direction}_rate")
        iops = rate * part if math.isnan(exact) else exact
        results[f"{direction}_iops"] = Measured(iops, "1/s", origin)
        moved = best(f"mb_{direction}", f"mb_{direction}")
        # With several sizes reads may move more than their share of I/Os.
        if math.isnan(moved) and ("," not in job.checked.text("xfersize")):
            moved = mb * part
        results[f"{direction}_mb_s"] = Measured(moved * MIB / 1e6, "MB/s", origin)
        time_ms = best(f"{direction}_resp", f"{direction}_resp")
        results[f"{direction}_latency_ms"] = Measured(time_ms, "ms", origin)
        slowest_ms = flat.get(f"{direction}_max", math.nan)
        results[f"{direction}_max_ms"] = Measured(slowest_ms, "ms", origin)
    return {k: value for k, value in results.items() if not math.isnan(value.value)}


def incomplete(report: Report, files: Mapping[str, bytes]) -> str | None:
    """Tell what is missing of the results, None where they are whole."""
    for name in ("flatfile.html", "totals.html"):
        if name not in files:
            return f"there is no {name}"
    unfinished = [rd for rd in report.rows if report.average(rd) is None]
    average = report.average(RD)
    if unfinished or average is None:
        return f"{(*unfinished, RD)[0]} has no average"
    return _contradiction(average, files)


def _contradiction(average: Row, files: Mapping[str, bytes]) -> str | None:
    """Tell where its files say something else than what it printed."""
    totals = Report()
    for line in _text(files["totals.html"]).splitlines():
        totals.feed(line)
    total = totals.average(RD)
    if total is None or (total.first, total.last) != (average.first, average.last):
        return f"totals.html has no average of {RD}"
    flat = flatfile_average(_text(files["flatfile.html"]), RD)
    if not flat:
        return f"flatfile.html has no average of {RD}"
    exact, printed = flat.get("rate", math.nan), average.get("rate")
    # The report has fewer digits; "not <=", as a rate that is NaN agrees with none.
    if not abs(exact - printed) <= 0.01 * max(exact, printed) + 0.1:
        return f"flatfile.html says {exact:g} I/Os a second, the report {printed:g}"
    return None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def engine_bytes(
    values: Mapping[str, Measured], window: tuple[int, int]
) -> dict[str, Measured]:
    """Get what it moved in the window, for the comparison with the device."""
    seconds = (window[1] - window[0]) / SECOND
    return {
        f"engine_{direction}_bytes": Measured(
            values[f"{direction}_mb_s"].value * 1e6 * seconds,
            "B",
            values[f"{direction}_mb_s"].origin,
        )
        for direction in ("read", "write")
        if f"{direction}_mb_s" in values
    }


def values_of(
    report: Report,
    files: Mapping[str, bytes],
    job: VdbenchJob,
    window: tuple[int, int] | None,
) -> dict[str, Measured]:
    """Get all results of a run; none where it has no average.

    Args:
        report: What it printed.
        files: What it wrote, by name.
        job: What it was to do.
        window: Its measured window, where that is known.
    """
    average = report.average(RD)
    if average is None:
        return {}
    flat = _text(files.get("flatfile.html", b""))
    values = table_values(average, flatfile_average(flat, RD), job)
    values["buffered"] = Measured(float(not job.is_direct), "", "openflags")
    return values | (engine_bytes(values, window) if window is not None else {})


def live_values(row: Row) -> dict[str, float]:
    """Get the readings of a line: rates in 1/s and B/s, times in seconds."""
    share = row.get("read_pct") / 100
    rate = row.get("rate")
    values = {
        "iops": rate,
        "bw": row.get("mb") * MIB,
        "lat": row.get("resp") / 1000 if rate else math.nan,
        "read_iops": row.values.get("read_rate", rate * share),
        "write_iops": row.values.get("write_rate", rate * (1 - share)),
    }
    for direction in ("read", "write"):
        has = values[f"{direction}_iops"] > 0
        time_ms = row.get(f"{direction}_resp") if has else math.nan
        values[f"{direction}_lat"] = time_ms / 1000
    return values


_DIRECT = "openflags=o_direct"


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; none where its report was not kept, or has no average."""
    report = Report()
    for line in kept.text("vdbench-output.txt").splitlines():
        report.feed(line)
    lines = kept.text("parmfile").splitlines()
    direct = any(_DIRECT in line for line in lines if not line.startswith("*"))
    # Of the job only what its values depend on: its directions and sizes.
    job = VdbenchJob("", Path(), 0, 0.0, 0.0, direct, kept.options)
    values = values_of(report, kept.outputs, job, kept.window)
    return LoadResult(LoadOutcome.DONE, values=values)
