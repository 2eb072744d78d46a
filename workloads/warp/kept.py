"""What a WARP run resulted in, made again from what the session kept of it."""

from workloads.base import LoadOutcome, LoadResult
from workloads.kept import Kept
from workloads.warp.load import read_result
from workloads.warp.output import table_values


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; none where its result file was not kept, or is incomplete."""
    result, _ = read_result(kept.outputs, kept.ramp_s)
    values = table_values(result) if result is not None else {}
    return LoadResult(LoadOutcome.DONE, values=values)
