"""What a VDBench run resulted in, made again from what the session kept of it."""

from pathlib import Path

from workloads.base import LoadOutcome, LoadResult
from workloads.kept import Kept
from workloads.vdbench.job import VdbenchJob
from workloads.vdbench.load import values_of
from workloads.vdbench.output import Report

_DIRECT = "openflags=o_direct"


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; none where its report was not kept, or has no average."""
    report = Report()
    for line in kept.text("vdbench-output.txt").splitlines():
        report.feed(line)
    lines = kept.text("parmfile").splitlines()
    direct = any(_DIRECT in line for line in lines if not line.startswith("*"))
    # Of the job only what its values depend on: its directions and sizes.
    job = VdbenchJob("", Path(), 0, 0.0, 0.0, direct, kept.options)
    values = values_of(report, kept.outputs, job, kept.window)
    return LoadResult(LoadOutcome.DONE, values=values)
