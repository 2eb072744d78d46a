"""Does the disk agree with the engine, and the mean block with the job."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.plan.cleanness import REST_IOPS, REST_MB_S, is_clean
from app.plan.limits import FOREIGN as SHARE
from app.plan.step import RESTING
from app.record.store import Result, Window
from instruments.reading import SECOND
from instruments.sizes import describe_size
from workloads.base import LoadResult, Measured
from workloads.disk_trace import MOVED
from workloads.fio.block_sizes import block_sizes, queued, queued_bytes
from workloads.fio.result import APART_S
from workloads.fio_job import direction

ANSWERED = 0.9
"""A disk that moved less than this share of what its engine moved was spared it."""

FOREIGN = 1.1
"""A disk that moved more than this share of it moved something else, too."""

NOTED = 0.01
"""From this share of all that a disk moved on, a row is noted for its other users."""

SLACK = 16 * 2**20
"""Bytes that are nobody's: journals, sessions being written."""

SHORT_S = 10.0
"""In a shorter window nothing is void: many jobs neither begin nor end at one moment.

On a busy machine they are seconds apart, which is as much as a cache would make. The
limit is judged.
"""

_MOST = 2.0
"""Up to this many times the share of that time may be moved in it. Judged."""

LOOK_S = 0.25
"""Seconds between two looks at the disk; between them its rate is taken as even."""


@dataclass(frozen=True, slots=True)
class IoFinding:
    """What the comparison says of one direction."""

    text: str  # a sentence; "" where another finding says it too
    is_void: bool  # whether the row must not be used: something but the disk answered
    result: str  # name of the value that goes with it
    value: float  # foreign bytes, or bytes that did not reach the disk


def check_io(result: LoadResult, under_way: float = 0.0) -> list[IoFinding]:
    """Compare what an engine says it moved with what its disk did, by direction.

    With direct I/O all of it has to reach the disk, and a row of which it did not is
    void, but for the shortest windows. A load through the page cache is only
    remarked: there it is what was asked for. Where a disk or a count is not known
    nothing is said.

    Args:
        result: The load's result, with the counts of its disk.
        under_way: Bytes that the load has under way at once: they may count for the
            load, and not for its disk, at the ends of the window.
    """
    if result.window is None:
        return []
    seconds = (result.window[1] - result.window[0]) / SECOND
    buffered = result.values.get("buffered")
    is_direct = buffered is not None and buffered.value == 0
    findings = []
    foreign: dict[str, float] = {}
    moved = 0.0
    for way, did in (("read", "read"), ("write", "wrote")):
        disk = result.values.get(f"device_{way}_bytes")
        own = _engine_bytes(result.values, way, seconds)
        if disk is None or own is None:
            continue
        moved += disk.value
        moved_text = (
            f"the load {did} {describe_size(own)}, its disk {describe_size(disk.value)}"
        )
        # Both edges of the window may be off by one look at the disk.
        slack = (
            SLACK + under_way + max(own, disk.value) * min(1.0, 2 * LOOK_S / seconds)
        )
        if disk.value < own * ANSWERED and own - disk.value > slack:
            spared = own - disk.value
            is_void = is_direct and seconds >= SHORT_S
            cause, why = _why_spared(result, seconds, spared / own)
            if is_direct and not is_void:
                why += f", or its {seconds:.1f} s are too short to tell"
            name = f"{cause}_{way}_bytes"
            findings.append(IoFinding(f"{moved_text}: {why}", is_void, name, spared))
        elif disk.value > own * FOREIGN + slack:
            foreign[way] = disk.value - own
    return findings + _foreign(foreign, moved)


def io_findings(
    engine: str, options: Mapping[str, str], result: LoadResult
) -> list[IoFinding]:
    """Find all that the disk says of a row, whether or not it has a load."""
    if engine == "fio":
        under_way = queued_bytes(options, result.jobs)
        return check_io(result, under_way) + check_blocks(options, result)
    return check_rest(result) if engine in RESTING else check_io(result)


def io_results(
    engine: str, load: LoadResult, found: Sequence[IoFinding], part: Window
) -> list[Result]:
    """Make the results of what the disk says of a row that measures `part`."""
    results = [
        Result(one.result, one.value, "B", *part, 1, 1, "io_checks", one.text)
        for one in found
    ]
    percent = None if engine in RESTING else foreign_percent(load, found)
    if percent is not None:
        results.append(Result(SHARE, percent, "%", *part, 1, 1, "io_checks"))
    return results


def foreign_percent(result: LoadResult, found: Sequence[IoFinding]) -> float | None:
    """Get the share of others in all that the disk of a load moved, in per cent.

    Returns:
        None where the disk's counts are not known, or moved nothing.
    """
    counts = [result.values.get(f"device_{way}_bytes") for way in ("read", "write")]
    moved = sum(count.value for count in counts if count is not None)
    others = sum(one.value for one in found if one.result.startswith("foreign_"))
    return 100 * others / moved if moved and result.window else None


def check_rest(result: LoadResult) -> list[IoFinding]:
    """Say what a disk moved while the row had no load: all of it is of others.

    Both directions are there where the disk's counts are known, also without a byte.
    """
    counts = {
        way: one.value
        for way in ("read", "write")
        if (one := result.values.get(f"device_{way}_bytes")) is not None
    }
    rates = {name: one.value for name, one in result.values.items()}
    text = ""
    if not is_clean(rates):
        each = " and ".join(f"{describe_size(n)} of {w}s" for w, n in counts.items())
        text = (
            f"other processes used its disk while no load ran: {each}, "
            f"{rates[REST_MB_S]:.1f} MB/s in {rates[REST_IOPS]:.0f} transfers a second"
        )
    return [
        IoFinding(text * (number == 0), False, f"foreign_{way}_bytes", count)
        for number, (way, count) in enumerate(counts.items())
    ]


def with_rest(result: LoadResult) -> LoadResult:
    """Add at which rates others used the disk of a row without a load, where known."""
    moved = [one for name in MOVED if (one := result.values.get(name)) is not None]
    if result.window is None or len(moved) < len(MOVED):
        return result
    seconds = (result.window[1] - result.window[0]) / SECOND
    reads, writes, read_bytes, written_bytes = (one.value for one in moved)
    rates = {
        REST_MB_S: Measured(
            (read_bytes + written_bytes) / 1e6 / seconds, "MB/s", "io_checks"
        ),
        REST_IOPS: Measured((reads + writes) / seconds, "1/s", "io_checks"),
    }
    return replace(result, values={**result.values, **rates})


def not_clean(values: Mapping[str, object], found: Sequence[IoFinding]) -> list[str]:
    """Mark a row whose disk had another user: one sentence, or none."""
    if is_clean(values):
        return []
    texts = (one.text for one in found if one.result.startswith("foreign_"))
    return [f"not clean: {text}" for text in texts if text]


def _foreign(foreign: Mapping[str, float], moved: float) -> list[IoFinding]:
    """Say once, as a share, what others moved on the disk of the load."""
    share = sum(foreign.values()) / moved if moved else 0.0
    each = " and ".join(f"{describe_size(n)} of {way}s" for way, n in foreign.items())
    text = (
        f"{100 * share:.0f} % of the I/O on its disk came from other processes: {each}"
    )
    return [
        IoFinding(
            text if number == 0 and share >= NOTED else "",
            False,
            f"foreign_{way}_bytes",
            count,
        )
        for number, (way, count) in enumerate(foreign.items())
    ]


def _why_spared(result: LoadResult, seconds: float, share: float) -> tuple[str, str]:
    """Say why the disk moved less than the load, with a word for the value's name.

    fio divides what all jobs did, whenever that was, by the time of the longest one:
    where they began apart, some of it lies after the window.
    """
    cached = "cached", "a cache answered"
    apart_s = result.apart_s
    if result.jobs < 2 or (apart_s is not None and apart_s <= APART_S):
        return cached
    if apart_s is not None and share <= _MOST * apart_s / (seconds + apart_s):
        return "outside", (
            f"its {result.jobs} jobs did not run at once, they started at least "
            f"{apart_s:.1f} s apart"
        )
    return cached[0], f"{cached[1]}, or its jobs did not run at the same time"


def _engine_bytes(
    values: Mapping[str, Measured], direction: str, seconds: float
) -> float | None:
    """Get what the engine moved in the window, None where it does not say.

    An engine whose rates are not over its window says bytes of its own; fio's rates
    are over its window. An engine that has no rate of a direction has none of it.
    """
    own = values.get(f"engine_{direction}_bytes")
    if own is not None:
        return own.value
    if any(name.startswith("engine_") for name in values):
        return None
    rate = values.get(f"{direction}_mb_s")
    if rate is not None:
        return rate.value * 1e6 * seconds
    return 0.0 if "bandwidth_mb_s" in values else None


_ROUNDING = 0.02
"""Share of the mean that rounding may make."""

# Of a mix of block sizes the mean itself scatters; five standard errors of it are no
# finding.
_SIGMAS = 5.0


def check_blocks(options: Mapping[str, str], result: LoadResult) -> list[IoFinding]:
    """Compare the mean block of a fio job with its options, by direction.

    A mean of n blocks is off by chance by the spread of the sizes over sqrt(n); five
    times that is allowed, and 2 % for rounding. fio counts bytes as an I/O ends, and
    I/Os as they are queued (ioengines.c), so what is under way at the ends of the
    window is in one of them only: that is allowed, too, and matters in short windows.
    """
    if result.window is None:
        return []
    seconds = (result.window[1] - result.window[0]) / SECOND
    findings = []
    for way in ("read", "write"):
        rate, bandwidth = (
            result.values.get(f"{way}_{unit}") for unit in ("iops", "mb_s")
        )
        wanted = block_sizes(options, way)
        if rate is None or bandwidth is None or wanted is None:
            continue
        count = rate.value * seconds
        if count < 1:
            continue
        mean = bandwidth.value * 1e6 / rate.value
        allowed = (_ROUNDING + queued(options, result.jobs) / count) * wanted.mean
        allowed += _SIGMAS * wanted.spread / math.sqrt(count)
        if abs(mean - wanted.mean) > allowed:
            text = (
                f"the mean block of its {way}s is {_kilo(mean)}, the job asks for "
                f"{_kilo(wanted.mean)}{_way_out(options, is_split=wanted.spread > 0)}"
            )
            findings.append(IoFinding(text, False, f"{way}_block_bytes", mean))
    return findings


def _kilo(size: float) -> str:
    return f"{size / 1000:.1f} kB"


def _way_out(options: Mapping[str, str], *, is_split: bool) -> str:
    """Name the usual cause: large blocks find no free place in the map of blocks."""
    has_map = options.get("norandommap", "0") == "0"
    if is_split and has_map and direction(options).startswith("rand"):
        return (
            "; fio's map of the blocks that it used favours small ones; norandommap "
            "avoids that"
        )
    return ""
