"""What a copy resulted in, made again from what the session kept of it."""

from workloads.base import LoadOutcome, LoadResult
from workloads.copy.job import check
from workloads.copy.load import values_of
from workloads.copy.run import CopyCounts
from workloads.kept import Kept


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; none where its counts were not kept.

    Raises:
        ValueError: These are damaged.
    """
    if (counts := kept.counts) is None:
        return LoadResult(LoadOutcome.DONE)
    try:
        ways = [way for way in ("read", "write") if way in counts["device"]]
        numbers = {name: counts[name] + 0 for name in CopyCounts._fields}
    except (KeyError, TypeError) as error:
        raise ValueError("its counts are damaged") from error
    options = check(kept.options)
    values = values_of(CopyCounts(**numbers), kept.window, ways, options)
    return LoadResult(LoadOutcome.DONE, values=values)
