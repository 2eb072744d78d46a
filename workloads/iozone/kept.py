"""What an IOzone run resulted in, made again from what the session kept of it."""

from instruments.host.diskstats import Transfers
from workloads.base import LoadOutcome, LoadResult
from workloads.iozone.load import table_values, values_of
from workloads.iozone.output import parse
from workloads.kept import Kept


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; only its own figures where its system calls were not kept.

    Raises:
        ValueError: These are damaged.
    """
    output = parse(kept.text("iozone-output.txt"))
    if (counts := kept.counts) is None:
        values = table_values(output) if output.complete else {}
        return LoadResult(LoadOutcome.DONE, values=values)
    try:
        direct = bool(counts["direct"])
        moved = Transfers(**{k: int(v) for k, v in counts.items() if k != "direct"})
    except (KeyError, TypeError) as error:
        raise ValueError("its counts are damaged") from error
    values = values_of(output, moved, kept.window, direct=direct)
    return LoadResult(LoadOutcome.DONE, values=values)
