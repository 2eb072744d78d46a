"""Run definitions of VDBench, and the steps and traces that a file has of them."""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import numpy as np

from app.record.imports.found import (
    MS,
    Clock,
    FileClock,
    Found,
    FoundStep,
    FoundTrace,
    midnight_ns,
)
from instruments.errors import BadInput
from instruments.reading import SECOND
from workloads.base import Measured
from workloads.vdbench.output import MIB

_TOD = re.compile(r"(\d\d):(\d\d):(\d\d)\.(\d{3})")
_DAY_NS = 86_400 * SECOND
_WHOLE = 0.9
"""Share of its time that a run definition ran at the least, but for one cut short."""
# Lines have a time of day only: one that is far earlier than the last is of the next
# day.
_HALF_DAY_NS = _DAY_NS // 2


@dataclass(frozen=True, slots=True)
class Point:
    """One interval, or the average of some."""

    first: int  # first interval
    last: int  # last interval
    at_ns: int  # end of it on the clock of the file
    # values by the short names of `workloads.vdbench.output`
    values: Mapping[str, float]

    @property
    def is_hollow(self) -> bool:
        """Whether it is an average of no interval: its zeros were not measured.

        VDBench leaves out the first interval, so a run definition of one interval,
        such as SD_format, has "avg_2-1".
        """
        return self.last < self.first

    def get(self, name: str) -> float:
        """Get a value, NaN where there is none."""
        return self.values.get(name, math.nan)

    def rates(self) -> tuple[float, float, float]:
        """Get I/Os a second, bytes a second and seconds of latency.

        Where there was no I/O its latency is NaN; VDBench writes 0.
        """
        rate = self.get("rate")
        latency = self.get("resp") / 1000 if rate else math.nan
        return rate, self.get("mb") * MIB, latency

    def results(self, origin: str) -> dict[str, Measured]:
        """Get the results by the names of report_table; MB is 10**6 bytes."""
        if self.is_hollow:
            return {}
        rate, bandwidth, latency = self.rates()
        slowest = self.get("resp_max") if rate else math.nan
        results = {
            "iops": Measured(rate, "1/s", origin),
            "bandwidth_mb_s": Measured(bandwidth / 1e6, "MB/s", origin),
            "latency_mean_ms": Measured(latency * 1000, "ms", origin),
            "latency_max_ms": Measured(slowest, "ms", origin),
        }
        share = self.get("read_pct") / 100
        for direction, part in (("read", share), ("write", 1 - share)):
            own = self.get(f"{direction}_rate")
            iops = rate * part if math.isnan(own) else own
            moved = self.get(f"mb_{direction}") * MIB
            if math.isnan(moved) and share in (0.0, 1.0):
                moved = bandwidth * part
            if iops:
                time_ms = self.get(f"{direction}_resp")
                results[f"{direction}_iops"] = Measured(iops, "1/s", origin)
                results[f"{direction}_mb_s"] = Measured(moved / 1e6, "MB/s", origin)
                results[f"{direction}_latency_ms"] = Measured(time_ms, "ms", origin)
                slowest = self.get(f"{direction}_max")
                results[f"{direction}_max_ms"] = Measured(slowest, "ms", origin)
        return {k: v for k, v in results.items() if not math.isnan(v.value)}


@dataclass(slots=True)
class Block:
    """One run definition, or one turn of its loops."""

    name: str  # name of the run definition
    options: Mapping[str, str] = field(default_factory=dict)  # what its loops set
    # how long it was to run, warm-up included, 0 where it is not said
    elapsed_s: int = 0
    start_ns: int | None = None  # when it started, on the clock of the file
    points: list[Point] = field(default_factory=list)
    average: Point | None = None  # its average, None before its end

    @property
    def label(self) -> str:
        """Its name with what its loops set."""
        return " ".join([self.name, *(f"{k}={v}" for k, v in self.options.items())])

    def add(self, point: Point, *, is_average: bool) -> None:
        """Add an interval, or the average of them, with which it ends."""
        if is_average:
            self.average = point
        else:
            self.points.append(point)

    def interval_ns(self) -> int:
        """Get the length of an interval, 0 where it cannot be told."""
        pairs = [(p.first, p.at_ns) for p in self.points]
        steps = [
            (b[1] - a[1]) / (b[0] - a[0])
            for a, b in itertools.pairwise(pairs)
            if b[0] > a[0]
        ]
        if steps:
            # Lines come within some ms of the second that they are for.
            return round(float(np.median(steps)) / SECOND) * SECOND
        if self.elapsed_s and self.average is not None:
            return self.elapsed_s * SECOND // self.average.last
        return 0

    def shortfall(self) -> str:
        """Say where it ran for much less than it was to; "" else."""
        ran = (self.average.last if self.average else 0) * self.interval_ns() / SECOND
        if not ran or ran >= _WHOLE * self.elapsed_s:
            return ""
        return f"it ran for {ran:g} s of the {self.elapsed_s} s that it was to run"

    def window(self) -> tuple[int, int] | None:
        """Get the time that the average is of, None where it cannot be told."""
        interval = self.interval_ns()
        if self.average is None or self.average.is_hollow or not interval:
            return None
        ends = {point.first: point.at_ns for point in self.points}
        end = ends.get(self.average.last, self.average.at_ns)
        begin = ends.get(self.average.first - 1)
        if begin is None:
            begin = end - (self.average.last - self.average.first + 1) * interval
        return begin, end


class TimeOfDay:
    """Makes times of day rise over midnight, from a date where one is known."""

    def __init__(self) -> None:
        self.has_day = False
        self._base = 0
        self._before = -1

    def set_day(self, day: date) -> None:
        """Take the date that the following lines are of."""
        self._base, self._before, self.has_day = midnight_ns(day), -1, True

    def read(self, text: str) -> int | None:
        """Get a time in ns, None where the text is none."""
        found = _TOD.fullmatch(text)
        if found is None:
            return None
        hours, minutes, seconds, millis = (int(part) for part in found.groups())
        own = ((hours * 60 + minutes) * 60 + seconds) * SECOND + millis * MS
        if own < self._before - _HALF_DAY_NS:
            self._base += _DAY_NS
        self._before = own
        return self._base + own

    @staticmethod
    def settle(blocks: list[Block]) -> None:
        """Drop starts that were read before the first date was known."""
        for block in blocks:
            first = block.points[0] if block.points else block.average
            if first and block.start_ns and first.at_ns - block.start_ns > _DAY_NS:
                whole = first.at_ns - first.at_ns % _DAY_NS
                start = whole + block.start_ns % _DAY_NS
                is_before = start <= first.at_ns
                block.start_ns = start if is_before else start - _DAY_NS


def number_of(text: str | None) -> float:
    """Read a value, NaN where it is not one."""
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


def whole_of(text: str) -> int | None:
    """Read a whole number, None where it is not one."""
    return int(text) if text.isdigit() else None


_HOLLOW = (
    "its average covers no interval (avg_{0.first}-{0.last}), so it has no values; "
    "VDBench excludes the first one"
)


def found_of(
    path: Path,
    kind: str,
    clock: Clock,
    method: str,
    blocks: Sequence[Block],
    *,
    keep_rest: bool,
) -> Found:
    """Make what a file holds of its run definitions.

    Raises:
        BadInput: A run definition has no average, or there is none; names the file.
    """
    whole, torn = _divided(path, blocks, keep_rest=keep_rest)
    steps = [_step(path, block) for block in whole]
    traces = list(_traces(whole))
    ends = (step.window[1] if step.window else step.start_ns for step in steps)
    remarks = [f"{b.name} has no average, it is excluded" for b in torn]
    if kind == "VDBench report" and not traces:
        remarks.append("it has averages only, there is nothing to draw")
    return Found(
        path=path,
        kind=kind,
        engine="vdbench",
        section="load",
        clock=FileClock(clock, SECOND, method),
        extent=(min(step.start_ns for step in steps), max(ends)),
        maker="Oracle",
        model="VDBench",
        steps=tuple(steps),
        traces=tuple(traces),
        remarks=tuple(remarks),
    )


def _divided(
    path: Path, blocks: Sequence[Block], *, keep_rest: bool
) -> tuple[list[Block], list[Block]]:
    """Tell those with an average from those that were cut short."""
    whole = [block for block in blocks if block.average is not None]
    torn = [block for block in blocks if block.average is None]
    if not whole or (torn and not keep_rest):
        name = torn[0].name if torn else "any run definition"
        raise BadInput(
            f"it has no average of {name}: it is cut short",
            where=str(path),
            way_out="Expected a report or flatfile of a VDBench run that ended.",
        )
    return whole, torn


def _step(path: Path, block: Block) -> FoundStep:
    average = block.average
    if average is None:
        raise ValueError("a block without its average")
    origin = f"{path.name}, {block.name}, avg_{average.first}-{average.last}"
    window = block.window()
    start = block.start_ns or (window[0] if window else average.at_ns)
    return FoundStep(
        label=block.label,
        engine="vdbench",
        start_ns=min(start, window[0]) if window else start,
        window=window,
        values=average.results(origin),
        reason=_HOLLOW.format(average) if average.is_hollow else block.shortfall(),
        options=block.options,
        ramp_s=(window[0] - start) / SECOND if window and start < window[0] else 0.0,
    )


def _traces(blocks: Sequence[Block]) -> Iterator[FoundTrace]:
    names = (("iops", "1/s"), ("bw", "B/s"), ("lat", "s"))
    period = next((p for block in blocks if (p := block.interval_ns())), 0)
    starts, ends, rows = [], [], []
    for block in blocks:
        for point in block.points:
            starts.append(point.at_ns - period)
            ends.append(point.at_ns)
            rows.append(point.rates())
    if rows and period:
        yield FoundTrace(
            tuple((name, unit, "") for name, unit in names),
            period,
            period,
            np.array(starts, np.int64),
            np.array(ends, np.int64),
            np.array(rows, np.float64),
        )
