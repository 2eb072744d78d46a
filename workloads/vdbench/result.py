"""What VDBench measured: its averages by our names, and whether all of it is there."""

import math
from collections.abc import Mapping

from instruments.reading import SECOND
from workloads.base import Measured
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

    def best(name: str, own: str) -> float:
        found = flat.get(name, math.nan)
        return average.get(own) if math.isnan(found) else found

    rate, mb = best("rate", "rate"), best("mb/sec", "mb")
    found = {
        "iops": Measured(rate, "1/s", origin),
        "bandwidth_mb_s": Measured(mb * MIB / 1e6, "MB/s", origin),
        "latency_mean_ms": Measured(best("resp", "resp"), "ms", origin),
        "latency_max_ms": Measured(flat.get("resp_max", math.nan), "ms", origin),
    }
    share = best("read%", "read_pct") / 100
    for direction, part in (("read", share), ("write", 1 - share)):
        if direction not in job.directions:
            continue
        own = best(f"{direction}_rate", f"{direction}_rate")
        iops = rate * part if math.isnan(own) else own
        found[f"{direction}_iops"] = Measured(iops, "1/s", origin)
        moved = best(f"mb_{direction}", f"mb_{direction}")
        if math.isnan(moved) and ("," not in job.checked.text("xfersize")):
            moved = mb * part
        found[f"{direction}_mb_s"] = Measured(moved * MIB / 1e6, "MB/s", origin)
        time_ms = best(f"{direction}_resp", f"{direction}_resp")
        found[f"{direction}_latency_ms"] = Measured(time_ms, "ms", origin)
    return {k: value for k, value in found.items() if not math.isnan(value.value)}


def incomplete(told: Report, files: Mapping[str, bytes]) -> str | None:
    """Tell what is missing of the results, None where they are whole."""
    lacking = [n for n in ("flatfile.html", "totals.html") if n not in files]
    if lacking:
        return f"there is no {lacking[0]}"
    unfinished = [rd for rd in told.rows if told.average(rd) is None]
    average = told.average(RD)
    if unfinished or average is None:
        return f"{(*unfinished, RD)[0]} has no average"
    totals = Report()
    for line in _text(files["totals.html"]).splitlines():
        totals.feed(line)
    same = totals.average(RD)
    if same is None or (same.first, same.last) != (average.first, average.last):
        return f"totals.html has no average of {RD}"
    flat = flatfile_average(_text(files["flatfile.html"]), RD)
    own, other = (flat or {}).get("rate", math.nan), average.get("rate")
    if not abs(own - other) <= 0.01 * max(own, other) + 0.1:
        return (
            f"flatfile.html says {own:g} I/Os a second, the report {other:g}"
            if flat
            else f"flatfile.html has no average of {RD}"
        )
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
