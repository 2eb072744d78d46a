"""How much a fio job has under way at once: what may be on either side of an edge."""

from collections.abc import Mapping

from workloads.fio.block_sizes import block_sizes

_ONE_AT_A_TIME = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap")
"""Engines of fio that wait for each I/O; for them iodepth means nothing."""


def queued(options: Mapping[str, str], jobs: int) -> int:
    """Get the I/Os that all jobs have under way: each its iodepth, 1 by default.

    Args:
        options: The job's options; what is no number counts as 1.
        jobs: How many run side by side: numjobs of each device on each host.
    """
    depth = _number(options.get("iodepth", "1"))
    if options.get("ioengine") in _ONE_AT_A_TIME:
        depth = 1
    return depth * jobs


def queued_bytes(options: Mapping[str, str], jobs: int) -> float:
    """Get the bytes that are under way on average, 0 where block sizes are not known.

    Args:
        options: The job's options.
        jobs: How many run side by side.
    """
    sizes = [block_sizes(options, way) for way in ("read", "write")]
    largest = max((s.mean for s in sizes if s is not None), default=0.0)
    return queued(options, jobs) * largest


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and int(text) > 0 else 1
