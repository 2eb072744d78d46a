"""What fio itself counted, to hold what Bayscope reports of it against.

A rate that fio was told to keep says little of what it did on a busy machine.
"""

import json
import zlib
from collections.abc import Sequence
from typing import Any

WAYS = ("read", "write")


def counted_iops(kept: bytes, job: str = "") -> float:
    """Work out the rate of I/Os from what fio counted, both directions together.

    Args:
        kept: What fio printed, as it is in an artefact, compressed.
        job: Name of one of its jobs; all of them together where none is given.

    Returns:
        I/Os a second of the last document, and not from the rates it prints.
    """
    return sum(side["total_ios"] * 1e3 / side["runtime"] for side in _sides(kept, job))


def counted_bandwidth(kept: bytes) -> float:
    """Work out the bandwidth in bytes/s from what fio counted, both directions.

    Not IOPS by block size: fio counts an I/O when it is given to the kernel and its
    bytes when it is back, so either may have up to a queue depth more of a window.
    """
    return sum(side["io_bytes"] * 1e3 / side["runtime"] for side in _sides(kept))


def counted_s(kept: bytes) -> float:
    """Get the seconds that fio measured, those of its slowest job."""
    return max(side["runtime"] for side in _sides(kept)) / 1e3


def counted_together(kept: bytes, ways: Sequence[str] = WAYS) -> float:
    """Work out the rate of all jobs together, over the time of the slowest of them.

    That is less than the sum of theirs where they did not begin and end together.
    """
    found = [_sides(kept, ways=[way]) for way in ways]
    done = [sum(side["total_ios"] for side in sides) for sides in found]
    longest = [max(side["runtime"] for side in sides) for sides in found]
    return sum(ios * 1e3 / ms for ios, ms in zip(done, longest, strict=True))


def _sides(
    kept: bytes, job: str = "", ways: Sequence[str] = WAYS
) -> list[dict[str, float]]:
    """Get what was done of the last document's jobs, each direction for itself."""
    printed = zlib.decompress(kept).decode()
    text = printed[printed.rindex('{\n  "fio version"') :]
    entries: list[dict[str, Any]] = json.loads(text)["jobs"]
    sides = [
        entry[way]
        for entry in entries
        for way in ways
        if job in ("", entry["jobname"]) and entry[way]["total_ios"]
    ]
    assert sides, f"fio counted nothing of {job or 'all'}"
    return sides
