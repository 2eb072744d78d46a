"""What a set-up step resulted in, made again from what the session kept of it."""

from workloads.base import LoadOutcome, LoadResult
from workloads.kept import Kept
from workloads.setup.load import values_of


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; none where the times of its disks were not kept.

    Raises:
        ValueError: These are damaged.
    """
    if (counts := kept.counts) is None:
        return LoadResult(LoadOutcome.DONE)
    try:
        seconds = [float(each) for each in counts["seconds"]]
        values = values_of(int(counts["disks"]), seconds, str(counts["engine"]))
    except (KeyError, TypeError) as error:
        raise ValueError("the times of its disks are damaged") from error
    return LoadResult(LoadOutcome.DONE, values=values)
