"""What VDBench's files hold, made of their run definitions: steps and traces."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from app.record.imports.found import (
    Clock,
    FileClock,
    Found,
    FoundStep,
    FoundTrace,
)
from app.record.imports.vdbench_blocks import Block
from instruments.errors import BadInput
from instruments.reading import SECOND

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
