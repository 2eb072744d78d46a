"""The block sizes that fio's options ask for: their mean and how far they spread."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from instruments.sizes import parse_size

_PLACE = {"read": 0, "write": 1}


@dataclass(frozen=True, slots=True)
class BlockSizes:
    """Bytes of one I/O: mean and standard deviation."""

    mean: float
    spread: float


def block_sizes(options: Mapping[str, str], way: str) -> BlockSizes | None:
    """Get the sizes of one direction, None where they cannot be told.

    fio's default is 4 KiB. Options with commas have a part for reads and one for
    writes; where there is one part it holds for both. A bsrange is even between its
    ends, in steps of the lower one (fio 3.x, io_u.c).

    Args:
        options: The job's options.
        way: "read" or "write".
    """
    if options.get("bs_is_seq_rand", "0") != "0":  # The parts are another pair.
        return None
    try:
        if "bssplit" in options:
            return _split(_part(options["bssplit"], way))
        if "bsrange" in options:
            return _range(_part(options["bsrange"], way))
        size = _part(options.get("bs", options.get("blocksize", "4k")), way)
        return BlockSizes(float(parse_size(size or "4k")), 0.0)
    except ValueError:
        return None


def _part(text: str, way: str) -> str:
    parts = text.split(",")
    return parts[min(_PLACE[way], len(parts) - 1)]


def _split(text: str) -> BlockSizes:
    sizes, shares = [], []
    for entry in text.split(":"):
        size, _, share = entry.partition("/")
        sizes.append(float(parse_size(size)))
        shares.append(float(share) if share else math.nan)
    blank = sum(math.isnan(share) for share in shares)
    left = 100 - sum(share for share in shares if not math.isnan(share))
    shares = [left / blank if math.isnan(share) else share for share in shares]
    total = sum(shares)
    if not total:
        raise ValueError("no shares")
    pairs = list(zip(sizes, shares, strict=True))
    mean = sum(size * share for size, share in pairs) / total
    square = sum(size * size * share for size, share in pairs) / total
    return BlockSizes(mean, math.sqrt(max(0.0, square - mean * mean)))


def _range(text: str) -> BlockSizes:
    low, _, high = text.partition("-")
    first, last = float(parse_size(low)), float(parse_size(high))
    spread = math.sqrt(max(0.0, last * last - first * first) / 12)
    return BlockSizes((first + last) / 2, spread)


def mean_block_size(options: Mapping[str, str]) -> float | None:
    """Compute the mean bytes of one I/O of a job; None where it cannot be told.

    fio's default is 4 KiB; of a bssplit or a bs with several parts the first counts.
    """
    if "bsrange" in options:
        return None
    try:
        return _mean_block_size(options)
    except ValueError:
        return None


def _mean_block_size(options: Mapping[str, str]) -> float:
    if "bssplit" not in options:
        sizes = options.get("bs", options.get("blocksize", "4k")).split(",")
        return float(parse_size(sizes[0]))
    total, share_sum = 0.0, 0.0
    for entry in options["bssplit"].split(",")[0].split(":"):
        size, _, share = entry.partition("/")
        total += parse_size(size) * float(share or 0)
        share_sum += float(share or 0)
    return total / share_sum if share_sum else 4096.0
