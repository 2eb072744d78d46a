"""What I/Os fio's options ask for: how large, how spread, how many at once."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from instruments.sizes import parse_size

SYNCHRONOUS = ("sync", "psync", "vsync", "pvsync", "pvsync2", "splice", "mmap")
"""Engines that keep one I/O in flight whatever iodepth says."""

_PLACE = {"read": 0, "write": 1}


@dataclass(frozen=True, slots=True)
class BlockSizes:
    """Bytes of one I/O: mean and standard deviation."""

    mean: float
    spread: float


def block_sizes(options: Mapping[str, str], way: str) -> BlockSizes | None:
    """Get the sizes of one direction, None where they are not known.

    fio's default is 4 KiB. Options with commas have a part for reads and one for
    writes; where there is one part it holds for both. A bsrange is even between its
    ends, in steps of the lower one (fio 3.x, io_u.c).
    """
    if options.get("bs_is_seq_rand", "0") != "0":  # The parts are another pair.
        return None
    try:
        if "bssplit" in options:
            return _split(part_of(options["bssplit"], way))
        if "bsrange" in options:
            return _range(part_of(options["bsrange"], way))
        size = part_of(options.get("bs", options.get("blocksize", "4k")), way)
        return BlockSizes(float(parse_size(size or "4k")), 0.0)
    except ValueError:
        return None


def part_of(text: str, way: str) -> str:
    """Get the part of an option for one direction; their order is read, write, trim."""
    parts = text.split(",")
    return parts[min(_PLACE[way], len(parts) - 1)]


def _split(text: str) -> BlockSizes:
    pairs = _shares(text)
    total = sum(share for _, share in pairs)
    if not total:
        raise ValueError("no shares")
    mean = sum(size * share for size, share in pairs) / total
    square = sum(size * size * share for size, share in pairs) / total
    return BlockSizes(mean, math.sqrt(max(0.0, square - mean * mean)))


def _shares(text: str) -> list[tuple[float, float]]:
    """Read sizes with their shares in %; those without one divide the rest evenly."""
    entries = [entry.partition("/") for entry in text.split(":")]
    given = [float(share) for _, _, share in entries if share]
    rest = (100 - sum(given)) / max(1, len(entries) - len(given))
    sizes = [float(parse_size(size)) for size, _, _ in entries]
    shares = [float(share or rest) for _, _, share in entries]
    return list(zip(sizes, shares, strict=True))


def _range(text: str) -> BlockSizes:
    low, _, high = text.partition("-")
    first, last = float(parse_size(low)), float(parse_size(high))
    # Variance of the multiples 1 to n of the first: (n**2 - 1) / 12 of its square.
    spread = math.sqrt(max(0.0, last * last - first * first) / 12)
    return BlockSizes((first + last) / 2, spread)


def mean_block_size(options: Mapping[str, str]) -> float | None:
    """Compute the mean bytes of one I/O of a job; None where it is not known.

    Of a bssplit or a bs with several parts the first counts.
    """
    size = options.get("bs", options.get("blocksize", ""))
    if "bsrange" in options or size.startswith(","):
        return None
    sizes = block_sizes(options, "read")
    return None if sizes is None else sizes.mean


def queued(options: Mapping[str, str], jobs: int) -> int:
    """Get the I/Os that all jobs have under way: each its iodepth, 1 by default.

    Args:
        options: The job's options; what is not a number counts as 1.
        jobs: How many run side by side: numjobs of each device on each host.
    """
    depth = options.get("iodepth", "1")
    if options.get("ioengine") in SYNCHRONOUS or not depth.isdecimal():
        return jobs
    return max(1, int(depth)) * jobs


def queued_bytes(options: Mapping[str, str], jobs: int) -> float:
    """Get the bytes that are under way on average, 0 where block sizes are not known.

    They may be on either side of an edge of the measured window. See `queued`.
    """
    sizes = [block_sizes(options, way) for way in ("read", "write")]
    largest = max((s.mean for s in sizes if s is not None), default=0.0)
    return queued(options, jobs) * largest
